// Adapter of fft for the harness: its description, sizes and table of variants, and the factories of variants that need
// an optional library.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::fft {

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the variants on ranks; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();
/// Factories of the FFTW variants; defined only in builds with FFTW.
std::vector<harness::Binding> fftw_runs();
/// Factories of the cuFFT variants; defined only in builds with cuFFT.
std::vector<harness::Binding> cufft_runs();

/// The time limit of FFTW's planner in seconds for arrays of min_patient_array points and more, which are planned with
/// FFTW_PATIENT. Smaller ones are planned with FFTW_MEASURE, which takes a short time.
inline constexpr double max_planning_seconds = 60;
inline constexpr std::int64_t min_patient_array = 1 << 20;

}  // namespace speedwell::fft
