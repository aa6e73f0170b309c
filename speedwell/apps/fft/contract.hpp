// What plans refuse, checked before anything is allocated.
#pragma once

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/fft/rows.hpp"

namespace speedwell::fft {

/// Throws std::invalid_argument as fft.hpp says.
void require_shape(const Shape& shape);
/// The same of the options, and core::Unavailable for what the memory cannot hold. Returns the shape.
const Shape& require_plan(Kind kind, const Shape& shape, const Options& options, std::size_t real_bytes);
/// Bytes that such a plan and its arrays take.
double estimated_bytes(Kind kind, const Shape& shape, int threads, std::size_t real_bytes);

}  // namespace speedwell::fft
