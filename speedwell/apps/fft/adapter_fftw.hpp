// How long FFTW may plan.
#pragma once

#include <cstdint>

namespace speedwell::fft {

/// The time limit of the planner in seconds for arrays of min_patient_array points and more, which are planned with
/// FFTW_PATIENT. Smaller ones are planned with FFTW_MEASURE, which takes a short time.
inline constexpr double max_planning_seconds = 60;
inline constexpr std::int64_t min_patient_array = 1 << 20;

}  // namespace speedwell::fft
