// Checks of the arguments of plans, made before anything is allocated.
#pragma once

#include "speedwell/numerics/fft/cpu/rows.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

/// Throws std::invalid_argument for a shape that fft.hpp does not allow.
void require_shape(const Shape& shape);
/// Checks shape and options, and throws core::Unavailable if the memory of this machine is too small. Returns the
/// shape.
const Shape& require_plan(Kind kind, const Shape& shape, const Options& options, std::size_t real_bytes);
/// Estimated bytes of a plan and its arrays.
double estimated_bytes(Kind kind, const Shape& shape, int threads, std::size_t real_bytes);

}  // namespace speedwell::fft
