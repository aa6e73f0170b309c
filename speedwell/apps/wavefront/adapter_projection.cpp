#include "speedwell/apps/wavefront/adapter_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/adapter_ranks_model.hpp"
#include "speedwell/apps/wavefront/cpu/plane_group_kernel.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::wavefront {
namespace {

/// 1, 2, 4 ... up to `most`, and that itself.
std::vector<int> numbers_up_to(std::int64_t most) {
  std::vector<int> numbers;
  for (std::int64_t n = 1; n < most; n *= 2) numbers.push_back(static_cast<int>(n));
  numbers.push_back(static_cast<int>(most));
  return numbers;
}

/// What one of so many takes for a block of its part of the grid.
using BlockTimeOf = std::function<model::BlockTime(int number)>;
/// Seconds of a sweep by so many in row chunks of so many steps.
using RowChunksTime = std::function<double(int number, std::int64_t length)>;

/// One kind of units ("ranks", "gpus") of a pipeline, and their performance model.
struct Units {
  std::string name;
  std::int64_t most;
  BlockTimeOf block_of;
  model::Network network;
  std::int64_t unit_of_chunk;
  RowChunksTime in_row_chunks;  // none where the units sweep chunks alone
};

struct Foreseen {
  std::string division, piece;
  double seconds;
};
/// The fastest rectangle and piece for so many; nothing where no rectangle gives each a cell.
std::optional<Foreseen> foresee(const Units& units, int number, const Extents& extents, int element_bytes) {
  const model::BlockTime block = units.block_of(number);
  const auto how = best_decomposition(extents, number, element_bytes, block, units.network, units.unit_of_chunk);
  if (!how) return std::nullopt;
  Foreseen best{fmt::format("{} x {}", how->px, how->py), fmt::format("{} cells", how->chunk),
                pipeline_seconds(extents, *how, element_bytes, block, units.network)};
  if (!units.in_row_chunks || number == 1 || number > extents.nx) return best;
  for (std::int64_t length = max_lanes; length <= extents.nz; length += max_lanes) {
    const double seconds = units.in_row_chunks(number, length);
    if (seconds < best.seconds) best = {fmt::format("{} x 1", number), fmt::format("{} steps", length), seconds};
  }
  return best;
}

std::vector<std::vector<std::string>> table_of(const Units& units, const Settings& settings) {
  const Extents& extents = settings.data.extents;
  const int element_bytes = settings.f32 ? sizeof(float) : sizeof(double);
  std::vector<std::vector<std::string>> table = {{units.name, "px x py", "piece", "foreseen", "rate", "efficiency"}};
  const double alone = pipeline_seconds(extents, {1, 1, extents.nz}, element_bytes, units.block_of(1), units.network);
  for (const int number : numbers_up_to(units.most)) {
    const auto found = foresee(units, number, extents, element_bytes);
    if (!found && number == units.most)
      throw std::invalid_argument(fmt::format("--project: no rectangle of {} {} gives each a cell of {} x {}", number,
                                              units.name, extents.nx, extents.ny));
    if (!found) continue;
    table.push_back({std::to_string(number), found->division, found->piece, core::format_seconds(found->seconds),
                     core::format_number(static_cast<double>(extents.cells()) / found->seconds / 1e9) + " GCUPS",
                     fmt::format("{:.0f} %", 100 * alone / found->seconds / number)});
  }
  return table;
}

/// The network of the machine's description; values that it does not give are those of `known` or, without one, usual
/// ones.
model::Network network_of(const harness::Problem& machine, const std::optional<model::Network>& known) {
  const model::Network usual = known.value_or(model::Network{0.5e-6, 1e-6, 1e-10});
  const double overhead = machine.get<double>("overhead_us"), latency = machine.get<double>("latency_us"),
               link = machine.get<double>("link_GBps");
  return {.overhead_s = overhead > 0 ? overhead * 1e-6 : usual.overhead_s,
          .latency_s = latency > 0 ? latency * 1e-6 : usual.latency_s,
          .byte_s = link > 0 ? 1e-9 / link : usual.byte_s};
}

std::string note_of(const model::Network& network, const std::string& whence) {
  return fmt::format("{}: a message takes both ends {} and arrives after {} and its bytes at {} GB/s", whence,
                     core::format_seconds(network.overhead_s), core::format_seconds(network.latency_s),
                     network.byte_s > 0 ? core::format_number(1e-9 / network.byte_s) : "any number of");
}

harness::Projection on_ranks(const Settings& settings, const harness::Problem& machine, const harness::Context& here) {
  const MeasuredCore& one = measured_core(settings, here.ranks);
  const BlockTimeOf block_of = [&](int ranks) { return one.part_of(settings, ranks); };
  const auto measured = measured_network(here.ranks);
  const model::Network network = network_of(machine, measured);
  const RowChunksTime in_row_chunks = [&](int ranks, std::int64_t length) {
    return one.seconds_in_row_chunks(settings, ranks, length, network);
  };
  return {.table = table_of({.name = "ranks",
                             .most = machine.get<std::int64_t>("ranks"),
                             .block_of = block_of,
                             .network = network,
                             .unit_of_chunk = chunk_unit,
                             .in_row_chunks = in_row_chunks},
                            settings),
          .notes = {
              fmt::format("measured here: a core takes {} for a chunk, {} for a row of it and {} for a cell, and up "
                          "to {} more where its part is in memory",
                          core::format_seconds(one.near.block_s), core::format_seconds(one.near.row_s),
                          core::format_seconds(one.near.cell_s), core::format_seconds(one.far.back().cell_s)),
              note_of(network, measured ? "measured between ranks here, where it is not described" : "as described")}};
}

harness::Projection on_gpus(const Settings& settings, const harness::Problem& machine, const harness::Context& here) {
  // Many rectangles have the same blocks, and a block of thousands of tiles takes its time.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, double> known;
  const model::BlockTime block = [&](const Extents& e) {
    const auto [at, is_new] = known.try_emplace({e.nx, e.ny, e.nz});
    if (is_new) at->second = seconds_on_gpus(settings, e, here.device, 1);
    return at->second;
  };
  // A chunk is a launch: of so many lengths one is near enough to the best.
  constexpr std::int64_t lengths = 32;
  const std::int64_t unit = (settings.data.extents.nz / lengths / chunk_unit + 1) * chunk_unit;
  const model::Network network = network_of(machine, std::nullopt);
  return {.table = table_of({.name = "gpus",
                             .most = machine.get<std::int64_t>("gpus"),
                             .block_of = [&](int) { return block; },
                             .network = network,
                             .unit_of_chunk = unit,
                             .in_row_chunks = {}},
                            settings),
          .notes = {"measured here: what a sweep by cuda takes on one of them", note_of(network, "as described")}};
}

std::vector<harness::Projection> project(const harness::Problem& problem, const harness::Problem& machine,
                                         const harness::Context& here) {
  const Settings settings = settings_of(problem);
  std::vector<harness::Projection> made;
  if (machine.get<std::int64_t>("ranks") > 0) made.push_back(on_ranks(settings, machine, here));
  if (machine.get<std::int64_t>("gpus") > 0) made.push_back(on_gpus(settings, machine, here));
  if (made.empty()) throw std::invalid_argument("--project: ranks=N or gpus=N says how many");
  return made;
}

}  // namespace

harness::Projector projector() {
  return {
      .parameters = {harness::integer("ranks", 0, "MPI ranks, a core each; 0: none", {.minimum = 0, .maximum = 16384}),
                     harness::integer("gpus", 0, "GPUs like the one that is here; 0: none",
                                      {.minimum = 0, .maximum = 16384}),
                     harness::real("overhead_us", 0.0,
                                   "us that a message takes its sender and its receiver; 0: as measured between "
                                   "the ranks of this run, or 0.5",
                                   {.minimum = 0}),
                     harness::real("latency_us", 0.0,
                                   "us from its sending to its arrival, without its bytes; 0: as measured, or 1",
                                   {.minimum = 0}),
                     harness::real("link_GBps", 0.0, "bandwidth of the bytes of a message; 0: as measured, or 10",
                                   {.minimum = 0})},
      .project = project};
}

harness::Prediction predict_on_ranks(const harness::Problem& problem, const harness::Context& context) {
  return {seconds_on_ranks(settings_of(problem), *context.ranks), "pipeline"};
}

harness::Prediction predict_on_gpu(const harness::Problem& problem, const harness::Context& context) {
  const Settings settings = settings_of(problem);
  return {seconds_on_gpus(settings, settings.data.extents, context.device, 1), "tiles"};
}

harness::Prediction predict_on_gpus(const harness::Problem& problem, const harness::Context& context) {
  const comm::Communicator& ranks = *context.ranks;
  const Settings settings = settings_of(problem);
  double seconds = 0;
  if (ranks.rank() == 0) seconds = seconds_on_gpus(settings, settings.data.extents, context.device, ranks.size());
  return {ranks.broadcast(seconds), "tiles"};
}

#ifdef SPEEDWELL_WITHOUT_CUDA

double seconds_on_gpus(const Settings&, const Extents&, int, int) {
  throw core::Unavailable("no GPU to measure on: built without CUDA");
}

#endif

}  // namespace speedwell::wavefront
