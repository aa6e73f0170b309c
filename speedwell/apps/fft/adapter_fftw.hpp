// The peer's row, from adapter_fftw.cpp or adapter_without_fftw.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::fft {

std::vector<harness::Binding> fftw_runs();

/// FFTW takes the best plan that it has found until then, in seconds, for arrays of this many points or more. Plans of
/// smaller ones are measured without being patient, which is soon done.
inline constexpr double max_planning_seconds = 60;
inline constexpr std::int64_t min_patient_array = 1 << 20;

}  // namespace speedwell::fft
