// The one verdict on every variant.
#pragma once

#include <span>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::wavefront {

/// Holds the cells after a sweep against the oracle's, bit by bit. The error is the number of cells that differ, to be
/// 0: of a cell that is wrong by a rounding nothing could be said, since its error grows with every path from it.
/// Throws std::invalid_argument if there are more or fewer than the extents say.
template <class T>
core::Verdict verify(const Extents& extents, std::span<const T> expected, std::span<const T> got);

}  // namespace speedwell::wavefront
