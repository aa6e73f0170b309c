// Verification, common to all variants.
#pragma once

#include <span>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::wavefront {

/// Compares the cells after a sweep bit by bit with those of the oracle. The error is the number of cells that differ
/// and must be 0: no tolerance for rounding errors is possible, since they grow with every path from a cell. Throws
/// std::invalid_argument if the number of cells does not match the extents.
template <class T>
core::Verdict verify(const Extents& extents, std::span<const T> expected, std::span<const T> got);

}  // namespace speedwell::wavefront
