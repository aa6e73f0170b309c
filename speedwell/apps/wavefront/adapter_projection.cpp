#include "speedwell/apps/wavefront/adapter_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/adapter_case.hpp"
#include "speedwell/apps/wavefront/model.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::wavefront {
namespace {

// Two vectors of the widest instruction set: shorter chunks leave lanes without cells.
constexpr std::int64_t chunk_unit = 32;

/// Seconds of one core for a chunk, as the least of some sweeps over `chunks` of them: longer columns than fit a cache
/// of a core, as a rank has them.
template <class T>
double chunk_seconds(const Settings& settings, const Extents& chunk) {
  constexpr std::int64_t chunks = 8;
  constexpr int sweeps = 6;
  GridOptions data = settings.data;
  data.extents = {chunk.nx, chunk.ny, chunk.nz * chunks};
  const Recurrence<T> recurrence = in_precision<T>(settings.recurrence);
  Grid<T> grid = make_grid<T>(data, recurrence.c);
  double least = 0;
  for (int n = 0; n < sweeps; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    sweep(grid, recurrence, settings.direction, {.threads = 1, .chunk = chunk.nz});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / chunks;
    least = n == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

model::CoreTime measured_core(const Settings& settings) {
  std::vector<model::TimedBlock> samples;
  for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{8, 16}, {16, 32}, {40, 48}, {80, 80}})
    for (const std::int64_t nz : {chunk_unit, 3 * chunk_unit, 8 * chunk_unit}) {
      const Extents chunk{nx, ny, nz};
      samples.push_back(
          {chunk, settings.f32 ? chunk_seconds<float>(settings, chunk) : chunk_seconds<double>(settings, chunk)});
    }
  return model::fit(samples);
}

/// 1, 2, 4 ... up to `most`, and that itself.
std::vector<int> ranks_up_to(std::int64_t most) {
  std::vector<int> ranks;
  for (std::int64_t n = 1; n < most; n *= 2) ranks.push_back(static_cast<int>(n));
  ranks.push_back(static_cast<int>(most));
  return ranks;
}

harness::Projection project(const harness::Problem& problem, const harness::Problem& machine) {
  const Settings settings = settings_of(problem);
  const Extents& extents = settings.data.extents;
  const int element_bytes = settings.f32 ? sizeof(float) : sizeof(double);
  const model::Network network{.overhead_s = machine.real("overhead_us") * 1e-6,
                               .latency_s = machine.real("latency_us") * 1e-6,
                               .byte_s = 1e-9 / machine.real("link_GBps")};
  const model::CoreTime core = measured_core(settings);

  harness::Projection made;
  made.table = {{"ranks", "px x py", "chunk", "foreseen", "rate", "efficiency"}};
  const double alone = pipeline_seconds(extents, {1, 1, extents.nz}, element_bytes, core, network);
  const auto most = machine.count("ranks");
  for (const int ranks : ranks_up_to(most)) {
    const auto how = best_decomposition(extents, ranks, element_bytes, core, network, chunk_unit);
    if (!how && ranks == most)
      throw std::invalid_argument(fmt::format("--project: no rectangle of {} ranks gives each a cell of {} x {}", ranks,
                                              extents.nx, extents.ny));
    if (!how) continue;
    const double seconds = pipeline_seconds(extents, *how, element_bytes, core, network);
    made.table.push_back({std::to_string(ranks), fmt::format("{} x {}", how->px, how->py), std::to_string(how->chunk),
                          core::format_seconds(seconds),
                          core::format_number(static_cast<double>(extents.cells()) / seconds / 1e9) + " GCUPS",
                          fmt::format("{:.0f} %", 100 * alone / seconds / ranks)});
  }
  made.notes = {
      fmt::format("measured here: a core takes {} for a chunk, {} for a row of it and {} for a cell",
                  core::format_seconds(core.block_s), core::format_seconds(core.row_s),
                  core::format_seconds(core.cell_s)),
      fmt::format("as described: a message takes both ends {} us and arrives after {} us and its bytes at {} "
                  "GB/s",
                  core::format_number(machine.real("overhead_us")), core::format_number(machine.real("latency_us")),
                  core::format_number(machine.real("link_GBps")))};
  return made;
}

}  // namespace

harness::Projector projector() {
  return {.parameters = {{.key = "ranks",
                          .fallback = std::int64_t{64},
                          .description = "MPI ranks, a core each",
                          .minimum = 1,
                          .maximum = 16384},
                         {.key = "overhead_us",
                          .fallback = 0.5,
                          .description = "us that a message takes its sender and its receiver",
                          .minimum = 0},
                         {.key = "latency_us",
                          .fallback = 1.0,
                          .description = "us from its sending to its arrival, without its bytes",
                          .minimum = 0},
                         {.key = "link_GBps",
                          .fallback = 10.0,
                          .description = "bandwidth of the bytes of a message",
                          .minimum = 1e-3}},
          .project = project};
}

}  // namespace speedwell::wavefront
