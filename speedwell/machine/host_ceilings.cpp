// Ceilings of the host: memory, caches and arithmetic, with all threads and with one. Each thread works on a piece of
// memory of its own that it touched first, so that the piece lies on its own NUMA node.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/cpu.hpp"
#include "speedwell/machine/host_kernels.hpp"
#include "speedwell/machine/host_plan.hpp"
#include "speedwell/machine/sampling.hpp"
#include "speedwell/machine/team.hpp"

namespace speedwell::machine {
namespace {

const HostKernels& best_kernels() {
#if defined(__x86_64__)
  switch (core::best_isa()) {
    case core::Isa::avx512:
      return avx512::host_kernels;
    case core::Isa::avx2:
      return avx2::host_kernels;
    case core::Isa::baseline:
      break;
  }
#endif
  return baseline::host_kernels;
}

[[noreturn]] void wrong(const std::string& what) {
  throw core::DeviceError("the ceiling kernel of " + what + " computed something wrong on this machine");
}

// --- memory
// -----------------------------------------------------------------------------------------------------------

// The data: whole numbers from 1 to 1024, so that every sum and triad below is exact and can be compared exactly.
std::int32_t datum(std::int64_t i) {
  return static_cast<std::int32_t>(1 + ((static_cast<std::uint32_t>(i) * 0x9e3779b1u) >> 22));
}

// A part of the block: elements first to first + size of the whole.
struct Piece {
  double* data;
  std::int64_t size;
  std::int64_t first;
  std::int64_t expected_sum;  // of the data, added up as integers when they were made
  double* sum;                // that read finds
};

// Some elements of every region, its ends among them: what is checked, and spoilt before.
template <class Visit>
void for_spots(std::int64_t size, const Visit& visit) {
  visit(0);
  visit(size - 1);
  for (std::uint64_t k = 0; k < 256; ++k)
    visit(static_cast<std::int64_t>(core::random_bits(k + 1, 0) % static_cast<std::uint64_t>(size)));
}
void spoil(double* region, std::int64_t size) {
  for_spots(size, [&](std::int64_t i) { region[i] = -1; });
}

// One kernel over a whole piece, 8 bytes for each of its elements: read and write take it as one array, copy as two
// halves, triad as three thirds.
struct MemoryKernel {
  struct Way {
    const char* name;
    std::function<void(const Piece&)> run;
  };
  const char* name;
  std::vector<Way> ways;
  std::function<void(const Piece&)> spoil;
  std::function<bool(const Piece&)> correct;
};

constexpr double written = 7, scale = 3;

MemoryKernel read_kernel(const HostKernels& k) {
  return {"read",
          {{"loads", [&k](const Piece& p) { *p.sum = k.read(p.data, p.size); }}},
          [](const Piece& p) { *p.sum = -1; },
          [](const Piece& p) { return *p.sum == static_cast<double>(p.expected_sum); }};
}

MemoryKernel copy_kernel(const HostKernels& k) {
  const auto run = [](auto copy) { return [copy](const Piece& p) { copy(p.data + p.size / 2, p.data, p.size / 2); }; };
  MemoryKernel kernel{"copy", {{"plain stores", run(k.copy)}}, {}, {}};
  if (k.copy_streaming) kernel.ways.push_back({"non-temporal stores", run(k.copy_streaming)});
  kernel.spoil = [](const Piece& p) { spoil(p.data + p.size / 2, p.size / 2); };
  kernel.correct = [](const Piece& p) {
    bool right = true;
    for_spots(p.size / 2,
              [&](std::int64_t i) { right = right && p.data[p.size / 2 + i] == p.data[i] && p.data[i] > 0; });
    return right;
  };
  return kernel;
}

MemoryKernel triad_kernel(const HostKernels& k) {
  const auto run = [](auto triad) {
    return [triad](const Piece& p) {
      const std::int64_t third = p.size / 3;
      triad(p.data + 2 * third, p.data, p.data + third, scale, third);
    };
  };
  MemoryKernel kernel{"triad", {{"plain stores", run(k.triad)}}, {}, {}};
  if (k.triad_streaming) kernel.ways.push_back({"non-temporal stores", run(k.triad_streaming)});
  kernel.spoil = [](const Piece& p) { spoil(p.data + 2 * (p.size / 3), p.size / 3); };
  kernel.correct = [](const Piece& p) {
    const std::int64_t third = p.size / 3;
    bool right = true;
    for_spots(third, [&](std::int64_t i) {
      const double b = p.data[i], c = p.data[third + i];
      right = right && p.data[2 * third + i] == b + scale * c && b > 0 && c > 0;
    });
    return right;
  };
  return kernel;
}

MemoryKernel write_kernel(const HostKernels& k) {
  const auto run = [](auto write) { return [write](const Piece& p) { write(p.data, p.size, written); }; };
  MemoryKernel kernel{"write", {{"plain stores", run(k.write)}}, {}, {}};
  if (k.write_streaming) kernel.ways.push_back({"non-temporal stores", run(k.write_streaming)});
  kernel.spoil = [](const Piece& p) { spoil(p.data, p.size); };
  kernel.correct = [](const Piece& p) {
    bool right = true;
    for_spots(p.size, [&](std::int64_t i) { right = right && p.data[i] == written; });
    return right;
  };
  return kernel;
}

// Samples in GB/s of the best way, named in the note.
Ceiling measure(const std::string& prefix, const MemoryKernel& kernel, const std::vector<Piece>& pieces, int samples,
                const std::string& working_set) {
  double bytes = 0;
  for (const Piece& p : pieces) bytes += 8.0 * static_cast<double>(p.size);
  const auto pass = [&](const MemoryKernel::Way& way) {
    return timed_team(static_cast<int>(pieces.size()),
                      [&](int part) { way.run(pieces[static_cast<std::size_t>(part)]); });
  };
  const auto check = [&](const MemoryKernel::Way& way) {
    for (const Piece& p : pieces)
      if (!kernel.correct(p)) wrong(fmt::format("{}{} ({})", prefix, kernel.name, way.name));
  };

  const MemoryKernel::Way* best = &kernel.ways.front();
  double best_seconds = INFINITY;
  for (const auto& way : kernel.ways) {
    for (const Piece& p : pieces) kernel.spoil(p);
    const double seconds = pass(way);
    check(way);
    if (seconds < best_seconds) best_seconds = seconds, best = &way;
  }
  std::vector<double> rates;
  for (const Piece& p : pieces) kernel.spoil(p);
  for (int i = 0; i < samples; ++i) rates.push_back(bytes / pass(*best) * 1e-9);
  check(*best);
  return make_ceiling(prefix + kernel.name, "GB/s", std::move(rates), fmt::format("{}, {}", best->name, working_set));
}

void measure_memory(const HostKernels& kernels, const HostPlan& plan, int samples, Ceilings& ceilings) {
  core::HostBuffer<double> block(static_cast<std::size_t>(plan.elements_per_thread * plan.threads));
  // Large pages keep address translation out of the figure; where they are refused, small ones do.
  (void)madvise(block.data(), block.bytes(), MADV_HUGEPAGE);
  std::vector<double> sums(static_cast<std::size_t>(plan.threads));
  std::vector<Piece> all;
  for (std::int64_t t = 0; t < plan.threads; ++t) {
    const std::int64_t first = t * plan.elements_per_thread;
    all.push_back({block.data() + first, plan.elements_per_thread, first, 0, &sums[static_cast<std::size_t>(t)]});
  }
  timed_team(plan.threads, [&](int part) {
    Piece& p = all[static_cast<std::size_t>(part)];
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < p.size; ++i)
      sum += datum(p.first + i), p.data[i] = static_cast<double>(datum(p.first + i));
    p.expected_sum = sum;
  });
  std::vector<Piece> one = {all[0]};
  for (int t = 1; t < plan.parts_one_thread; ++t) {
    one[0].size += all[static_cast<std::size_t>(t)].size;
    one[0].expected_sum += all[static_cast<std::size_t>(t)].expected_sum;
  }

  const auto both = [&](const MemoryKernel& kernel) {
    ceilings.entries.push_back(
        measure("host.", kernel, all, samples, plan.note(plan.elements_per_thread * plan.threads)));
    ceilings.entries.push_back(measure("host.core.", kernel, one, samples, plan.note(one[0].size)));
  };
  // Results overwrite data, but with positive whole numbers again: triad at most doubles their digits, copy keeps them.
  // Write comes last since it leaves nothing of them.
  both(read_kernel(kernels));
  both(triad_kernel(kernels));
  both(copy_kernel(kernels));
  both(write_kernel(kernels));
}

// --- repeated work that stays in caches or registers
// ------------------------------------------------------------------

// How often to repeat so that run(repeats) takes about `seconds`, at most `most` times. The least of three counts: one
// interruption by the operating system is longer than most of these runs.
template <class Run>
std::int64_t repeats_for(double seconds, std::int64_t most, const Run& run) {
  for (std::int64_t repeats = 1;; repeats = std::min(most, 4 * repeats)) {
    const double took = std::min({run(repeats), run(repeats), run(repeats)});
    if (took >= 0.2 * seconds || repeats == most)
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(repeats) * seconds / took), 1,
                                      most);
  }
}

void measure_cache(const HostKernels& kernels, const HostPlan& plan, const HostPlan::CacheLevel& level, int samples,
                   double seconds, Ceilings& ceilings) {
  const std::int64_t n = level.elements_per_array;
  // The three arrays of a thread are shifted against each other: at equal distances from a page's start, a store would
  // seem to the processor to collide with the loads that follow it.
  constexpr std::int64_t shift = 24, page = 512;  // in doubles
  const std::int64_t per_thread = (3 * (n + shift) + page - 1) / page * page;
  core::HostBuffer<double> block(static_cast<std::size_t>(per_thread * plan.threads));
  (void)madvise(block.data(), block.bytes(), MADV_HUGEPAGE);
  const auto arrays = [&](int part) {
    double* b = block.data() + part * per_thread;
    return std::array{b + 2 * (n + shift), b, b + n + shift};  // a, b, c
  };
  timed_team(plan.threads, [&](int part) {
    const auto [a, b, c] = arrays(part);
    for (std::int64_t i = 0; i < n; ++i) a[i] = -1, b[i] = datum(i), c[i] = datum(i + part + 1);
  });
  const auto run = [&](std::int64_t repeats) {
    return timed_team(plan.threads, [&](int part) {
      const auto [a, b, c] = arrays(part);
      for (std::int64_t r = 0; r < repeats; ++r) kernels.triad(a, b, c, scale, n);
    });
  };
  const std::int64_t repeats = repeats_for(seconds, std::int64_t{1} << 40, run);
  std::vector<double> rates;
  for (int i = 0; i < samples; ++i)
    rates.push_back(24.0 * static_cast<double>(n * plan.threads) * static_cast<double>(repeats) / run(repeats) * 1e-9);
  const std::string name = fmt::format("host.l{}.triad", level.level);
  for (int part = 0; part < plan.threads; ++part) {
    const auto [a, b, c] = arrays(part);
    for (std::int64_t i = 0; i < n; ++i)
      if (a[i] != datum(i) + scale * datum(i + part + 1)) wrong(name);
  }
  ceilings.entries.push_back(
      make_ceiling(name, "GB/s", std::move(rates),
                   fmt::format("{}, {} a thread", kernels.isa, core::format_bytes(24.0 * static_cast<double>(n)))));
}

// The chains of one thread, on cache lines of their own.
template <class T>
struct alignas(4096) Chains {
  T v[most_lanes];
};

// What `iterations` steps make of `start` must be near v_N = p + x^N (start - p) with p = y / (1 - x). |x| < 1, so no
// step makes an older error larger, and each adds half a unit in the last place of a number below 2, 2^-digits, or
// twice that where multiplication and addition round apart: N 2^(1-digits) bounds the error. x^N is near -1/e for N =
// 2^20.
template <class T>
bool fma_result_is_right(T start, T end, T x, T y, std::int64_t iterations) {
  const double xd = x, p = y / (1 - xd);
  const double expected = p + std::pow(xd, static_cast<double>(iterations)) * (start - p);
  const double bound = static_cast<double>(iterations) * std::ldexp(1.0, 1 - std::numeric_limits<T>::digits);
  return std::abs(end - expected) <= bound;
}

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

// Two operations in each of `lanes` lanes for each iteration of `kernel(values, iterations)`.
template <class T, class Kernel>
void measure_arithmetic(const std::string& name, const char* unit, const char* isa, int threads, int lanes,
                        const Kernel& kernel, int samples, double seconds, Ceilings& ceilings) {
  std::vector<Chains<T>> chains(static_cast<std::size_t>(threads));
  const auto start = [](int lane) {
    return static_cast<T>(1 + lane % 7) / static_cast<T>(std::is_integral_v<T> ? 1 : 4);
  };
  const auto reset = [&] {
    for (auto& c : chains)
      for (int lane = 0; lane < lanes; ++lane) c.v[lane] = start(lane);
  };
  const auto run = [&](std::int64_t iterations) {
    return timed_team(threads, [&](int part) { kernel(chains[static_cast<std::size_t>(part)].v, iterations); });
  };
  reset();
  const std::int64_t iterations = repeats_for(seconds, std::int64_t{1} << 21, run) | 1;  // odd: x^N is far from 1
  std::vector<double> rates;
  for (int i = 0; i < samples; ++i) {
    reset();
    rates.push_back(2.0 * lanes * threads * static_cast<double>(iterations) / run(iterations) * 1e-9);
  }
  // Lanes that started alike must have ended alike, so seven of them speak for all.
  for (const auto& c : chains)
    for (int lane = 0; lane < lanes; ++lane)
      if (c.v[lane] != chains[0].v[lane % 7]) wrong(name);
  for (int lane = 0; lane < 7; ++lane)
    if (!right(start(lane), chains[0].v[lane], iterations)) wrong(name);
  ceilings.entries.push_back(make_ceiling(name, unit, std::move(rates), isa));
}

void measure_all_arithmetic(const HostKernels& k, const std::string& prefix, int threads, int samples, double seconds,
                            Ceilings& ceilings) {
  measure_arithmetic<double>(
      prefix + "fma.f64", "GFLOP/s", k.isa, threads, k.lanes_f64,
      [&](double* v, std::int64_t n) { k.fma_f64(v, fma_x, fma_y, n); }, samples, seconds, ceilings);
  measure_arithmetic<float>(
      prefix + "fma.f32", "GFLOP/s", k.isa, threads, k.lanes_f32,
      [&](float* v, std::int64_t n) { k.fma_f32(v, static_cast<float>(fma_x), static_cast<float>(fma_y), n); }, samples,
      seconds, ceilings);
  measure_arithmetic<std::uint32_t>(
      prefix + "integer", "Gop/s", k.isa, threads, k.lanes_integer,
      [&](std::uint32_t* v, std::int64_t n) { k.integer(v, integer_x, integer_y, n); }, samples, seconds, ceilings);
}

}  // namespace

Ceilings measure_host(int threads, Effort effort) {
  if (threads < 1) throw std::invalid_argument(fmt::format("{} threads: at least 1 is needed", threads));
  const HostKernels& kernels = best_kernels();
  const HostPlan plan = plan_host(detect_cpu(), available_host_bytes(), threads, effort);
  const int samples = sample_count(effort);
  const double seconds = effort == Effort::quick ? 2e-3 : 10e-3;
  Ceilings ceilings;
  measure_memory(kernels, plan, samples, ceilings);
  for (const auto& level : plan.caches) measure_cache(kernels, plan, level, samples, seconds, ceilings);
  measure_all_arithmetic(kernels, "host.", threads, samples, seconds, ceilings);
  measure_all_arithmetic(kernels, "host.core.", 1, samples, seconds, ceilings);
  return ceilings;
}

}  // namespace speedwell::machine
