// Binding of OpenMP's threads to hardware threads.
#pragma once

#include <vector>

namespace speedwell::machine {

/// Binds the threads of OpenMP teams of `threads` to different hardware threads, spread over those that this process
/// may use, so that they neither migrate nor share one during measurements. The calling thread is not bound: threads
/// that libraries (BLAS, FFTW) start from it inherit its mask. Does nothing if the user has bound threads
/// (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY), if there are more of them than hardware threads, or
/// without OpenMP. Returns whether they are bound.
bool bind_team(int threads);

/// While it exists, the calling thread may run on all of the given hardware threads, and OpenMP teams that it starts
/// have `threads` threads: for the work of one rank during which the ranks that are bound to the other cores wait. The
/// mask and the number of threads are restored when it is destroyed, by the same thread. Does nothing if the calling
/// thread may already run on all of them, if the user has bound threads (as above), if the system refuses, or without
/// OpenMP.
class WiderTeam {
 public:
  WiderTeam(const std::vector<int>& cpus, int threads);
  ~WiderTeam();
  WiderTeam(const WiderTeam&) = delete;
  WiderTeam& operator=(const WiderTeam&) = delete;
  /// Whether it has an effect.
  bool is_wider() const { return !previous_cpus_.empty(); }

 private:
  std::vector<int> previous_cpus_;
  int previous_threads_ = 0;
};

}  // namespace speedwell::machine
