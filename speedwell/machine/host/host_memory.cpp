// Memory bandwidth of the host: read, write, copy and triad, with all threads and with one. Each thread works on a
// separate piece of memory that it touched first, so that the piece is on its own NUMA node.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/machine/host/host_session.hpp"
#include "speedwell/machine/host/team.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::machine {
namespace {

// The data: whole numbers from 1 to 1024, so that every sum and triad below is exact and can be compared exactly.
std::int32_t datum(std::int64_t i) {
  return static_cast<std::int32_t>(1 + ((static_cast<std::uint32_t>(i) * 0x9e3779b1u) >> 22));
}

// A part of the block: elements first to first + size of the whole.
struct Piece {
  double* data;
  std::int64_t size;
  std::int64_t first;
  std::int64_t expected_sum;  // integer sum of the data, from their initialisation
  double* sum;                // the sum computed by the read kernel
};

// Visits some elements of every region, including its ends: those that are checked, and overwritten before.
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

// One kernel over a whole piece, 8 bytes per element: read and write use it as one array, copy as two halves, triad as
// three thirds.
struct MemoryKernel {
  struct Method {
    const char* name;
    std::function<void(const Piece&)> run;
  };
  const char* name;
  std::vector<Method> methods;
  std::function<void(const Piece&)> spoil;
  std::function<bool(const Piece&)> correct;
};

constexpr double written = 7, scale = 3;

MemoryKernel read_kernel(const HostKernels& k) {
  return {"read",
          {{"one stream of loads", [&k](const Piece& p) { *p.sum = k.read(p.data, p.size); }},
           {"four streams of loads", [&k](const Piece& p) { *p.sum = k.read_streams(p.data, p.size); }}},
          [](const Piece& p) { *p.sum = -1; },
          [](const Piece& p) { return *p.sum == static_cast<double>(p.expected_sum); }};
}

MemoryKernel copy_kernel(const HostKernels& k) {
  const auto run = [](auto copy) { return [copy](const Piece& p) { copy(p.data + p.size / 2, p.data, p.size / 2); }; };
  MemoryKernel kernel{"copy", {{"plain stores", run(k.copy)}}, {}, {}};
  if (k.copy_streaming) kernel.methods.push_back({"non-temporal stores", run(k.copy_streaming)});
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
  if (k.triad_streaming) kernel.methods.push_back({"non-temporal stores", run(k.triad_streaming)});
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
  if (k.write_streaming) kernel.methods.push_back({"non-temporal stores", run(k.write_streaming)});
  kernel.spoil = [](const Piece& p) { spoil(p.data, p.size); };
  kernel.correct = [](const Piece& p) {
    bool right = true;
    for_spots(p.size, [&](std::int64_t i) { right = right && p.data[i] == written; });
    return right;
  };
  return kernel;
}

// Samples in GB/s of the best method, which is named in the note.
Ceiling measure(const std::string& prefix, const MemoryKernel& kernel, const std::vector<Piece>& pieces, Effort effort,
                const std::string& working_set) {
  double bytes = 0;
  for (const Piece& p : pieces) bytes += 8.0 * static_cast<double>(p.size);
  const auto pass = [&](const MemoryKernel::Method& method) {
    return timed_team(static_cast<int>(pieces.size()),
                      [&](int part) { method.run(pieces[static_cast<std::size_t>(part)]); });
  };
  const auto check = [&](const MemoryKernel::Method& method) {
    for (const Piece& p : pieces)
      if (!kernel.correct(p)) throw_wrong(fmt::format("{}{} ({})", prefix, kernel.name, method.name));
  };

  const MemoryKernel::Method* best = &kernel.methods.front();
  double best_seconds = INFINITY;
  for (const auto& method : kernel.methods) {
    for (const Piece& p : pieces) kernel.spoil(p);
    const double seconds = pass(method);
    check(method);
    if (seconds < best_seconds) best_seconds = seconds, best = &method;
  }
  for (const Piece& p : pieces) kernel.spoil(p);
  auto rates = take_samples(effort, [&] { return bytes / pass(*best) * 1e-9; });
  check(*best);
  return make_ceiling(prefix + kernel.name, "GB/s", std::move(rates), fmt::format("{}, {}", best->name, working_set));
}

}  // namespace

void measure_host_memory(HostSession& session) {
  const HostKernels& kernels = session.kernels;
  const HostPlan& plan = session.plan;
  core::HostBuffer<double> block(static_cast<std::size_t>(plan.elements_per_thread * plan.threads),
                                 core::Pages::large);  // so that TLB misses do not affect the rate
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
    session.ceilings.entries.push_back(
        measure("host.", kernel, all, session.effort, plan.note(plan.elements_per_thread * plan.threads)));
    session.ceilings.entries.push_back(measure("host.core.", kernel, one, session.effort, plan.note(one[0].size)));
  };
  // Results overwrite the data with positive integers again: triad at most doubles their digits, copy keeps them. Write
  // is last, because it overwrites all of them.
  both(read_kernel(kernels));
  both(triad_kernel(kernels));
  both(copy_kernel(kernels));
  both(write_kernel(kernels));
}

}  // namespace speedwell::machine
