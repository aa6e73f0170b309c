// Ceilings of the host: caches and arithmetic here, with all threads and with one; memory in host_memory.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/host/core_sharing.hpp"
#include "speedwell/machine/host/cpu.hpp"
#include "speedwell/machine/host/host_session.hpp"
#include "speedwell/machine/host/team.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::machine {
namespace {

const HostKernels& best_kernels() { return SPEEDWELL_OF_ISA(core::best_isa(), host_kernels); }

// Seconds of one sample of repeated work.
double sample_seconds(Effort effort) { return effort == Effort::quick ? 2e-3 : 10e-3; }

// The number of repeats, at most `max_repeats`, for which run(repeats) takes about `seconds` on the calling thread. It
// is based on the minimum of three trials, because one interruption by the operating system is longer than most of
// these runs.
template <class Run>
std::int64_t repeats_for(double seconds, std::int64_t max_repeats, const Run& run) {
  const auto once = [&](std::int64_t repeats) {
    const auto begin = std::chrono::steady_clock::now();
    run(repeats);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (std::int64_t repeats = 1;; repeats = std::min(max_repeats, 4 * repeats)) {
    const double took = std::min({once(repeats), once(repeats), once(repeats)});
    if (took >= 0.2 * seconds || repeats == max_repeats) {
      const double wanted = static_cast<double>(repeats) * seconds / took;
      return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(max_repeats)));
    }
  }
}

void measure_cache(HostSession& session, const HostPlan::CacheLevel& level) {
  const int threads = session.plan.threads;
  const std::int64_t n = level.elements_per_array;
  // The three arrays of a thread have different page offsets: with equal ones, loads would suffer from 4K aliasing with
  // preceding stores.
  constexpr std::int64_t shift = 24, page = 512;  // in doubles
  const std::int64_t per_thread = (3 * (n + shift) + page - 1) / page * page;
  core::HostBuffer<double> block(static_cast<std::size_t>(per_thread * threads), core::Pages::large);
  const auto arrays = [&](int part) {
    double* b = block.data() + part * per_thread;
    return std::array{b + 2 * (n + shift), b, b + n + shift};  // a, b, c
  };
  constexpr double scale = 3;
  const auto b_at = [](std::int64_t i) { return static_cast<double>(i % 97 + 1); };  // small whole numbers: exact
  const auto c_at = [](std::int64_t i, int part) { return static_cast<double>((i + part) % 89 + 1); };
  timed_team(threads, [&](int part) {
    const auto [a, b, c] = arrays(part);
    for (std::int64_t i = 0; i < n; ++i) a[i] = -1, b[i] = b_at(i), c[i] = c_at(i, part);
  });
  const auto run = [&](int part, std::int64_t repeats) {
    const auto [a, b, c] = arrays(part);
    for (std::int64_t r = 0; r < repeats; ++r) session.kernels.triad(a, b, c, scale, n);
  };
  const std::int64_t repeats =
      repeats_for(sample_seconds(session.effort), std::int64_t{1} << 30, [&](std::int64_t r) { run(0, r); });
  const double bytes = 24.0 * static_cast<double>(n * threads) * static_cast<double>(repeats);
  auto rates = take_samples(session.effort, [&] {
    const double took = timed_team(threads, [&](int part) { run(part, repeats); });
    return bytes / took * 1e-9;
  });
  const std::string name = fmt::format("host.l{}.triad", level.level);
  for (int part = 0; part < threads; ++part) {
    const auto [a, b, c] = arrays(part);
    for (std::int64_t i = 0; i < n; ++i)
      if (a[i] != b_at(i) + scale * c_at(i, part)) throw_wrong(name);
  }
  const std::string note =
      fmt::format("{}, {} a thread", session.kernels.isa, core::format_bytes(24.0 * static_cast<double>(n)));
  session.ceilings.entries.push_back(make_ceiling(name, "GB/s", std::move(rates), note));
}

// The chains of one thread, on cache lines of their own.
template <class T>
struct alignas(4096) Chains {
  T v[max_lanes];
};

// The result of `iterations` steps from `start` must be near v_N = p + x^N (start - p) with p = y / (1 - x). |x| < 1,
// so that steps do not amplify earlier errors, and each adds half a unit in the last place of a number below 2,
// 2^-digits, or twice that if multiplication and addition are rounded separately: N 2^(1-digits) bounds the error. x^N
// is near -1/e for N = 2^20.
template <class T>
bool fma_result_is_right(T start, T end, T x, T y, std::int64_t iterations) {
  const double xd = x, p = y / (1 - xd);
  const double expected = p + std::pow(xd, static_cast<double>(iterations)) * (start - p);
  const double bound = static_cast<double>(iterations) * std::ldexp(1.0, 1 - std::numeric_limits<T>::digits);
  return std::abs(end - expected) <= bound;
}

constexpr int kinds = 7;  // of starting values
constexpr double fma_x = -(1 - 0x1p-20), fma_y = 0.5;
constexpr std::uint32_t integer_x = 0x9e3779b9u, integer_y = 0x85ebca6bu;

template <class T>
bool right(T start, T end, std::int64_t iterations) {
  if constexpr (std::is_floating_point_v<T>) {
    return fma_result_is_right(start, end, static_cast<T>(fma_x), static_cast<T>(fma_y), iterations);
  } else {
    T v = start;
    for (std::int64_t i = 0; i < iterations; ++i) v = (v + integer_x) ^ integer_y;
    return v == end;
  }
}

// Measures two operations in each of `lanes` lanes per iteration of `kernel(values, iterations)`.
template <class T, class Kernel>
void measure_arithmetic(HostSession& session, const std::string& name, const char* unit, int threads, int lanes,
                        const Kernel& kernel) {
  std::vector<Chains<T>> chains(static_cast<std::size_t>(threads));
  const auto start = [](int lane) {
    return static_cast<T>(1 + lane % kinds) / static_cast<T>(std::is_integral_v<T> ? 1 : 4);
  };
  const auto reset = [&] {
    for (auto& c : chains)
      for (int lane = 0; lane < lanes; ++lane) c.v[lane] = start(lane);
  };
  reset();
  std::int64_t iterations = repeats_for(sample_seconds(session.effort), std::int64_t{1} << 21,
                                        [&](std::int64_t n) { kernel(chains[0].v, n); });
  iterations |= 1;  // odd: x^N is then far from 1
  const double operations = 2.0 * lanes * threads * static_cast<double>(iterations);
  auto rates = take_samples(session.effort, [&] {
    reset();
    const double took =
        timed_team(threads, [&](int part) { kernel(chains[static_cast<std::size_t>(part)].v, iterations); });
    return operations / took * 1e-9;
  });
  // Lanes with equal initial values must have equal results, so that one of each kind is computed.
  for (const auto& c : chains)
    for (int lane = 0; lane < lanes; ++lane)
      if (c.v[lane] != chains[0].v[lane % kinds]) throw_wrong(name);
  for (int lane = 0; lane < kinds; ++lane)
    if (!right(start(lane), chains[0].v[lane], iterations)) throw_wrong(name);
  session.ceilings.entries.push_back(make_ceiling(name, unit, std::move(rates), session.kernels.isa));
}

void measure_all_arithmetic(HostSession& session, const std::string& prefix, int threads) {
  const HostKernels& k = session.kernels;
  measure_arithmetic<double>(session, prefix + "fma.f64", "GFLOP/s", threads, k.lanes_f64,
                             [&](double* v, std::int64_t n) { k.fma_f64(v, fma_x, fma_y, n); });
  measure_arithmetic<float>(
      session, prefix + "fma.f32", "GFLOP/s", threads, k.lanes_f32,
      [&](float* v, std::int64_t n) { k.fma_f32(v, static_cast<float>(fma_x), static_cast<float>(fma_y), n); });
  measure_arithmetic<std::uint32_t>(session, prefix + "integer", "Gop/s", threads, k.lanes_integer,
                                    [&](std::uint32_t* v, std::int64_t n) { k.integer(v, integer_x, integer_y, n); });
}

// The best sample of a ceiling, 0 without one. Other load on the machine only lowers samples.
double best_sample(const HostSession& session, std::string_view name) {
  for (const Ceiling& c : session.ceilings.entries)
    if (c.name == name) return c.high;
  return 0;
}

// The number of hardware threads that share a core, a power of two: a pair on one core slows each other down. If the
// host of a virtual machine migrates its threads, no pair need share a core, but all together reach half the rate of as
// many cores. Without sharing, all cores together are at most a fifth slower per core than one alone.
int threads_per_core(const HostSession& session, int threads) {
  const auto of_pairs = static_cast<int>(std::bit_floor(
      static_cast<unsigned>(std::max(1, measured_threads_per_core(allowed_cpus(), session.kernels).value_or(1)))));
  if (threads <= 2 || threads > static_cast<int>(allowed_cpus().size())) return of_pairs;
  const bool shared = best_sample(session, "host.fma.f64") < 0.7 * threads * best_sample(session, "host.core.fma.f64");
  return std::max(of_pairs, shared ? 2 : 1);
}

}  // namespace

void throw_wrong(const std::string& ceiling) {
  throw core::DeviceError("the ceiling kernel of " + ceiling + " computed a wrong result on this machine");
}

Ceilings measure_host(int threads, Effort effort) {
  if (threads < 1) throw std::invalid_argument(fmt::format("{} threads: at least 1 is needed", threads));
  HostSession session{best_kernels(), {}, effort, {}};
  measure_all_arithmetic(session, "host.", threads);
  measure_all_arithmetic(session, "host.core.", 1);
  const int sharing = threads_per_core(session, threads);
  session.ceilings.entries.push_back(make_ceiling(threads_per_core_name, "threads", {static_cast<double>(sharing)},
                                                  "by fused multiply-adds of pairs and of all"));
  Cpu cpu = detect_cpu();
  if (cpu.threads == cpu.cores)  // as virtual machines report: the caches of a core then count for each of its threads
    for (Cache& cache : cpu.caches)
      if (cache.shared_by == 1) cache.instances = std::max(1, cache.instances / sharing);
  session.plan = plan_host(cpu, available_host_bytes(), threads, effort);
  measure_host_memory(session);
  for (const auto& level : session.plan.caches) measure_cache(session, level);
  return std::move(session.ceilings);
}

}  // namespace speedwell::machine
