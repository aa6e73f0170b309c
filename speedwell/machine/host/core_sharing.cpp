// Detects whether hardware threads share physical cores. A virtual machine may report every hardware thread as a core;
// two that share one are detected by their speed: each executes fused multiply-adds half as fast while the other does.
#include "speedwell/machine/host/core_sharing.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace speedwell::machine {
namespace {

using Clock = std::chrono::steady_clock;

bool pin_to(int cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (!set) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  const bool pinned = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
  CPU_FREE(set);
  return pinned;
}

// Times a kernel on one or two pinned threads that synchronise by spinning.
class Trials {
 public:
  Trials(const HostKernels& kernels, std::int64_t iterations) : kernels_(kernels), iterations_(iterations) {}

  // The shortest time of `count` concurrent runs on `cpus`; the time of a run is that of its slower thread. Nothing if
  // a thread cannot be pinned. Throws std::system_error if one cannot be created.
  std::optional<double> best(const std::vector<int>& cpus, int count) {
    std::vector<double> times(static_cast<std::size_t>(count), 0.0);
    std::atomic<int> ready{0};
    std::atomic<bool> failed{false}, incomplete{false};
    std::vector<std::vector<double>> of_thread(cpus.size(), times);
    std::vector<std::thread> threads;
    const auto join = [&] {
      for (std::thread& thread : threads) thread.join();
    };
    const auto begin_thread = [&](std::size_t t) {
      threads.emplace_back([&, t] {
        if (!pin_to(cpus[t])) failed = true;
        alignas(64) double values[max_lanes] = {};
        for (int i = 0; i < count; ++i) {
          ++ready;
          const int all = static_cast<int>(cpus.size()) * (i + 1);
          while (ready < all && !incomplete) std::this_thread::yield();
          const auto begin = Clock::now();
          kernels_.fma_f64(values, -0.999, 0.5, iterations_);
          of_thread[t][static_cast<std::size_t>(i)] = std::chrono::duration<double>(Clock::now() - begin).count();
        }
      });
    };
    try {
      threads.reserve(cpus.size());
      for (std::size_t t = 0; t < cpus.size(); ++t) begin_thread(t);
    } catch (...) {  // the started threads would wait for the others
      incomplete = true;
      join();
      throw;
    }
    join();
    if (failed) return std::nullopt;
    double shortest = 1e300;
    for (std::size_t i = 0; i < times.size(); ++i) {
      double slower = 0;
      for (const auto& own : of_thread) slower = std::max(slower, own[i]);
      shortest = std::min(shortest, slower);
    }
    return shortest;
  }

 private:
  const HostKernels& kernels_;
  std::int64_t iterations_;
};

}  // namespace

std::optional<int> measured_threads_per_core(const std::vector<int>& cpus, const HostKernels& kernels) {
  constexpr int few = 9, many = 100;
  constexpr double shared = 1.5;  // ratio to the time alone: 1 on different cores, 2 on a shared one
  if (cpus.empty()) return std::nullopt;
  std::int64_t iterations = 1 << 12;
  const auto alone_for = [&](std::int64_t n) { return Trials(kernels, n).best({cpus.front()}, few); };
  std::optional<double> alone = alone_for(iterations);
  while (alone && *alone < 1e-4 && iterations < (std::int64_t{1} << 30)) alone = alone_for(iterations *= 2);
  if (!alone) return std::nullopt;
  Trials trials(kernels, iterations);
  int sharing = 1;
  for (std::size_t other = 1; other < cpus.size(); ++other) {
    const std::vector<int> pair = {cpus.front(), cpus[other]};
    auto together = trials.best(pair, few);
    // Other programs on these cores also slow runs down, but hardly a hundred runs.
    if (together && *together > shared * *alone) together = trials.best(pair, many);
    if (!together) return std::nullopt;
    if (*together > shared * *alone) ++sharing;
  }
  return sharing;
}

}  // namespace speedwell::machine
