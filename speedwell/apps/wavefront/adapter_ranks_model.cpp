#include "speedwell/apps/wavefront/adapter_ranks_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/cpu/row_chunks.hpp"
#include "speedwell/apps/wavefront/cpu/z_chunk_sweep.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"

namespace speedwell::wavefront {
namespace {

/// The minimum time of `times` calls of act(), in seconds. With `together` all its ranks begin each call at once.
double min_seconds(std::int64_t times, const std::function<void()>& act, const comm::Communicator* together = nullptr) {
  double minimum = std::numeric_limits<double>::infinity();
  for (std::int64_t n = 0; n < times; ++n) {
    if (together) together->barrier();
    const auto begin = std::chrono::steady_clock::now();
    act();
    minimum = std::min(minimum, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return minimum;
}

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

int lanes_of(const Settings& settings) {
  const core::Isa isa = core::best_isa();
  return settings.f32 ? kernels_of<float>(isa).lanes : kernels_of<double>(isa).lanes;
}

int element_bytes(const Settings& settings) { return settings.f32 ? sizeof(float) : sizeof(double); }

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
    ZChunkSweep<T> columns(PlaneGroups<T>(grid, recurrence, settings.direction, core::best_isa()));
    for (std::int64_t c = 0; c < chunks; ++c) columns.sweep(chunk.nz, [] {});
  };
  const double least = min_seconds(sweeps, sweep, ranks);
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

/// Messages of so many bytes between the first rank and the last, each of which has one of these.
class Ends {
 public:
  Ends(const comm::Communicator& ranks, std::size_t bytes)
      : ranks_(ranks), other_(ranks.size() - 1 - ranks.rank()), message_(bytes) {}

  /// Seconds of a message there and back.
  double round_trip() {
    constexpr int trips = 20;
    const auto there_and_back = [&] {
      for (int n = 0; n < trips; ++n) first() ? (send(), receive()) : (receive(), send());
    };
    return min_seconds(batches, there_and_back) / trips;
  }
  /// Seconds that a rank is busy with a message of many from the first; the last answers when all are there.
  double busy() {
    constexpr int messages = 50;
    const auto many = [&] {
      for (int n = 0; n < messages; ++n) first() ? send() : receive();
      first() ? receive() : send();
    };
    return min_seconds(batches, many) / messages;
  }

 private:
  static constexpr int batches = 20;

  bool first() const { return ranks_.rank() == 0; }
  void send() { ranks_.send(std::span<const char>(message_), other_); }
  void receive() { ranks_.receive(std::span<char>(message_), other_); }

  const comm::Communicator& ranks_;
  int other_;
  std::vector<char> message_;
};

model::Network network_between_ends(const comm::Communicator& ranks) {
  constexpr std::size_t short_bytes = 64, long_bytes = 128 << 10;  // faces have some ten thousand bytes
  model::Network network;
  if (ranks.rank() == 0 || ranks.rank() == ranks.size() - 1) {
    Ends few(ranks, short_bytes), many(ranks, long_bytes);
    const double there = few.round_trip() / 2;
    network.overhead_s = std::min(few.busy(), there / 2);
    network.latency_s = there - 2 * network.overhead_s;
    network.byte_s = std::max(0.0, many.round_trip() / 2 - there) / (long_bytes - short_bytes);
  }
  return ranks.broadcast(network);
}

}  // namespace

model::BlockTime MeasuredCore::part_of(const Settings& settings, int ranks) const {
  const double bytes = static_cast<double>(settings.data.extents.cells()) * element_bytes(settings) / ranks;
  return [*this, more_s = model::extra_cell_seconds(far, bytes)](const Extents& block) {
    // Vectors that are partly empty take as long as full ones, and a row in a plane group two at least.
    const Extents whole{rounded_up(block.nx, interleaved_planes), rounded_up(block.ny, lanes),
                        common_group_period(block.nz, lanes)};
    return near(whole) + more_s * static_cast<double>(block.cells());
  };
}

double MeasuredCore::seconds_in_row_chunks(const Settings& settings, int ranks, std::int64_t length,
                                           const model::Network& network) const {
  const Extents& extents = settings.data.extents;
  const RowChunks row_chunks(extents.ny, extents.nz, lanes, length);
  const auto period = static_cast<double>(common_group_period(extents.nz, lanes));
  // A row chunk has its own beginning, and its share of what all cells of its rows take.
  const model::BlockTime seconds_of = [&, part = part_of(settings, ranks)](const Extents& row_chunk) {
    const double rows = part({row_chunk.nx, lanes, extents.nz}) - near.block_s;
    return near.block_s + rows * static_cast<double>(row_chunk.nz) / period;
  };
  // The row chunks of all rows are chunks, one after another. The next rank has a face as much later as the last plane
  // group lags behind the first.
  const std::int64_t planes = (extents.nx + ranks - 1) / ranks;
  const std::int64_t later = row_chunks.delay(rank_lag(planes, lanes)) - row_chunks.length();
  model::Network lagging = network;
  lagging.latency_s += seconds_of({planes, lanes, later});
  return model::pipeline_seconds({extents.nx, lanes, row_chunks.steps()}, {ranks, 1, row_chunks.length()},
                                 element_bytes(settings), seconds_of, lagging);
}

const MeasuredCore& measured_core(const Settings& settings, const comm::Communicator* ranks) {
  static std::map<std::tuple<bool, std::int64_t, Rounding, Remainder>, MeasuredCore> measured;
  const std::tuple key{settings.f32, settings.recurrence.loops, settings.recurrence.rounding,
                       remainder_of(settings.recurrence)};
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
  const int size = ranks.size(), bytes = element_bytes(settings);
  const MeasuredCore& core = measured_core(settings, &ranks);
  const Pipeline pipeline = chosen_pipeline(extents, size, core.lanes, bytes, settings.recurrence.loops);
  const model::Network network = measured_network(&ranks).value_or(model::Network{});
  if (pipeline.row_chunk > 0) return core.seconds_in_row_chunks(settings, size, pipeline.row_chunk, network);
  return model::pipeline_seconds(extents, {pipeline.px, size / pipeline.px, pipeline.z_chunk}, bytes,
                                 core.part_of(settings, size), network);
}

}  // namespace speedwell::wavefront
