// A team of OpenMP threads that start together, and its time. Without OpenMP the team is one thread.
#pragma once

#include <chrono>

#include "speedwell/core/team_member.hpp"

namespace speedwell::machine {

/// Calls work(part) for each part in [0, parts), part p by thread p of `parts` threads; if OpenMP provides fewer, each
/// calls several. Returns the seconds from the time at which all are ready until the last has finished. `work` must not
/// throw.
template <class Work>
double timed_team(int parts, const Work& work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin, end;
#pragma omp parallel num_threads(parts)
  {
    const core::TeamMember member = core::team_member();
    const int thread = member.index, threads = member.size;
#pragma omp barrier
    if (thread == 0) begin = Clock::now();
#pragma omp barrier
    for (int part = thread; part < parts; part += threads) work(part);
#pragma omp barrier
    if (thread == 0) end = Clock::now();
  }
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace speedwell::machine
