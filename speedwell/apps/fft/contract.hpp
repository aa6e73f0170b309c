// What plans refuse, checked before anything is allocated.
#pragma once

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/fft/rows.hpp"

namespace speedwell::fft {

/// Returns the shape. Throws as fft.hpp says.
const Shape& require_plan(Kind kind, const Shape& shape, const Options& options, std::size_t real_bytes);
/// Bytes that such a plan and its arrays take.
double estimated_bytes(Kind kind, const Shape& shape, int threads, std::size_t real_bytes);

}  // namespace speedwell::fft
