// Where OpenMP's threads run.
#pragma once

namespace speedwell::machine {

/// Binds the threads of OpenMP teams of `threads` to hardware threads of their own, spread over those that this process
/// may use, so that they neither move nor meet while they are measured. The calling thread stays free: threads that
/// others (BLAS, FFTW) start from it inherit its mask. Does nothing where the user has bound them (OMP_PROC_BIND,
/// OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY), where there are more of them than hardware threads, or without OpenMP.
/// Returns whether they are bound.
bool bind_team(int threads);

}  // namespace speedwell::machine
