#include "speedwell/apps/wavefront/adapter_ranks_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "speedwell/apps/wavefront/chunks.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"

namespace speedwell::wavefront {
namespace {

double seconds_of(const std::function<void()>& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

std::int64_t lanes_of(const Settings& settings) {
  const core::Isa isa = core::best_isa();
  return settings.f32 ? kernels_of<float>(isa).lanes : kernels_of<double>(isa).lanes;
}

double element_bytes(const Settings& settings) { return settings.f32 ? sizeof(float) : sizeof(double); }

/// The least seconds of a chunk in sweeps over columns of `chunks` of them.
template <class T>
double chunk_seconds(const Settings& settings, const Extents& chunk, std::int64_t chunks,
                     const comm::Communicator* ranks) {
  // Some milliseconds of them; as many on every rank.
  const std::int64_t sweeps = std::clamp<std::int64_t>((std::int64_t{1} << 22) / (chunk.cells() * chunks), 5, 101);
  GridOptions data = settings.data;
  data.extents = {chunk.nx, chunk.ny, chunk.nz * chunks};
  const Recurrence<T> recurrence = in_precision<T>(settings.recurrence);
  Grid<T> grid = make_grid<T>(data, recurrence.c);
  const auto sweep = [&] {
    Chunks<T> columns(grid, recurrence, settings.direction, core::best_isa());
    for (std::int64_t c = 0; c < chunks; ++c) columns.sweep(chunk.nz, [] {});
  };
  sweep();
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t n = 0; n < sweeps; ++n) {
    if (ranks) ranks->barrier();
    least = std::min(least, seconds_of(sweep));
  }
  return (ranks ? ranks->reduce(least, comm::Reduction::maximum) : least) / static_cast<double>(chunks);
}

double seconds_of_chunk(const Settings& settings, const Extents& chunk, std::int64_t chunks,
                        const comm::Communicator* ranks) {
  return settings.f32 ? chunk_seconds<float>(settings, chunk, chunks, ranks)
                      : chunk_seconds<double>(settings, chunk, chunks, ranks);
}

MeasuredCore measure_core(const Settings& settings, const comm::Communicator* ranks) {
  MeasuredCore core{.lanes = lanes_of(settings)};
  std::vector<model::TimedBlock> samples;
  for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{4, 64}, {8, 48}, {8, 128}})
    for (const std::int64_t nz : {chunk_unit, 3 * chunk_unit, 5 * chunk_unit})
      samples.push_back({{nx, ny, nz}, seconds_of_chunk(settings, {nx, ny, nz}, 1, ranks)});
  core.near = model::fit(samples);

  // Columns whose length is no power of two, as their rows would fall on the same lines of a cache.
  constexpr std::int64_t chunks = 5, cells = 2 * chunk_unit;
  for (const double bytes : {0.5e6, 2e6, 8e6, 32e6, 64e6}) {
    const double rows = bytes / element_bytes(settings) / (chunks * cells);
    const std::int64_t side = rounded_up(static_cast<std::int64_t>(std::sqrt(rows)), core.lanes);
    const Extents chunk{side, side, cells};
    const double more = seconds_of_chunk(settings, chunk, chunks, ranks) - core.near(chunk);
    core.far.push_back({static_cast<double>(chunk.cells() * chunks) * element_bytes(settings),
                        more / static_cast<double>(chunk.cells())});
  }
  return core;
}

constexpr int first_tag = 1;

/// The least seconds of a message there and back between the first rank and `last`.
double round_trip(const comm::Communicator& ranks, int last, std::size_t bytes) {
  constexpr int batches = 20, trips = 20;
  std::vector<char> message(bytes);
  double least = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch)
    least = std::min(least, seconds_of([&] {
                              for (int n = 0; n < trips; ++n)
                                for (const bool sends : {ranks.rank() == 0, ranks.rank() != 0})
                                  sends ? ranks.send(std::span<const char>(message), last - ranks.rank(), first_tag)
                                        : ranks.receive(std::span<char>(message), last - ranks.rank(), first_tag);
                            }) / trips);
  return least;
}

/// Seconds that a rank is busy with a short message of many: the last answers when all are there.
double busy_seconds(const comm::Communicator& ranks, int last, std::size_t bytes) {
  constexpr int batches = 20, messages = 50;
  std::vector<char> message(bytes);
  double least = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch)
    least = std::min(least, seconds_of([&] {
                              const bool first = ranks.rank() == 0;
                              for (int n = 0; n < messages; ++n)
                                first ? ranks.send(std::span<const char>(message), last, first_tag)
                                      : ranks.receive(std::span<char>(message), 0, first_tag);
                              first ? ranks.receive(std::span<char>(message), last, first_tag)
                                    : ranks.send(std::span<const char>(message), 0, first_tag);
                            }) / messages);
  return least;
}

model::Network network_between_ends(const comm::Communicator& ranks) {
  constexpr std::size_t short_bytes = 64, long_bytes = 128 << 10;  // faces have some ten thousand bytes
  const int last = ranks.size() - 1;
  ranks.barrier();
  model::Network network;
  if (ranks.rank() == 0 || ranks.rank() == last) {
    const double there = round_trip(ranks, last, short_bytes) / 2;
    network.overhead_s = std::min(busy_seconds(ranks, last, short_bytes), there / 2);
    network.latency_s = there - 2 * network.overhead_s;
    network.byte_s = std::max(0.0, round_trip(ranks, last, long_bytes) / 2 - there) / (long_bytes - short_bytes);
  }
  return ranks.broadcast(network);
}

}  // namespace

model::BlockTime MeasuredCore::part_of(const Settings& settings, int ranks) const {
  const double bytes = static_cast<double>(settings.data.extents.cells()) * element_bytes(settings) / ranks;
  return [*this, more_s = model::far_cell_seconds(far, bytes)](const Extents& block) {
    // Vectors that are partly empty take as long as full ones, and a row in a ribbon two at least.
    const Extents whole{rounded_up(block.nx, bundle_planes), rounded_up(block.ny, lanes),
                        std::max(rounded_up(block.nz, lanes), 2 * lanes)};
    return near(whole) + more_s * static_cast<double>(block.cells());
  };
}

const MeasuredCore& measured_core(const Settings& settings, const comm::Communicator* ranks) {
  static std::map<std::tuple<bool, std::int64_t, Rounding, bool>, MeasuredCore> measured;
  const std::tuple key{settings.f32, settings.recurrence.loops, settings.recurrence.rounding,
                       stays_in_range(settings.recurrence)};
  if (const auto known = measured.find(key); known != measured.end()) return known->second;
  return measured.emplace(key, measure_core(settings, ranks)).first->second;
}

std::optional<model::Network> measured_network(const comm::Communicator* ranks) {
  if (!ranks || ranks->size() < 2) return std::nullopt;
  static const model::Network measured = network_between_ends(*ranks);
  return measured;
}

double seconds_on_ranks(const Settings& settings, const comm::Communicator& ranks) {
  const Extents& extents = settings.data.extents;
  const comm::Cartesian2d division(ranks.size(), extents.nx, extents.ny);
  const Extents largest{division.x_range(0).size(), division.y_range(0).size(), extents.nz};
  const int size = ranks.size(), lanes = static_cast<int>(lanes_of(settings));
  const std::int64_t chunk = chosen_chunk(largest, division.px(), division.py(), lanes, settings.recurrence.loops);
  return model::pipeline_seconds(
      extents, {division.px(), division.py(), chunk}, static_cast<int>(element_bytes(settings)),
      measured_core(settings, &ranks).part_of(settings, size), measured_network(&ranks).value_or(model::Network{}));
}

}  // namespace speedwell::wavefront
