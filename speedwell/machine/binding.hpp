// Binding of OpenMP's threads to hardware threads.
#pragma once

namespace speedwell::machine {

/// Binds the threads of OpenMP teams of `threads` to different hardware threads, spread over those that this process
/// may use, so that they neither migrate nor share one during measurements. The calling thread is not bound: threads
/// that libraries (BLAS, FFTW) start from it inherit its mask. Does nothing if the user has bound threads
/// (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY), if there are more of them than hardware threads, or
/// without OpenMP. Returns whether they are bound.
bool bind_team(int threads);

}  // namespace speedwell::machine
