#include "speedwell/apps/wavefront/adapter_ranks_model.hpp"

#include <algorithm>
#include <chrono>
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

/// Seconds of a chunk, as the least of some sweeps over columns of `nz` cells.
template <class T>
double chunk_seconds(const Settings& settings, const Extents& chunk, std::int64_t nz, const comm::Communicator* ranks) {
  constexpr int sweeps = 5;
  const std::int64_t chunks = std::max<std::int64_t>(1, nz / chunk.nz);
  GridOptions data = settings.data;
  data.extents = {chunk.nx, chunk.ny, chunk.nz * chunks};
  const Recurrence<T> recurrence = in_precision<T>(settings.recurrence);
  Grid<T> grid = make_grid<T>(data, recurrence.c);
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n < sweeps; ++n) {
    if (ranks) ranks->barrier();
    least = std::min(least, seconds_of([&] {
                       Chunks<T> columns(grid, recurrence, settings.direction, core::best_isa());
                       for (std::int64_t c = 0; c < chunks; ++c) columns.sweep(chunk.nz, [] {});
                     }));
  }
  return (ranks ? ranks->reduce(least, comm::Reduction::maximum) : least) / static_cast<double>(chunks);
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

model::CoreTime measured_core(const Settings& settings, const comm::Communicator* ranks) {
  constexpr std::int64_t longest = 64 * chunk_unit;
  const std::int64_t nz = std::min(settings.data.extents.nz, longest);
  static std::map<std::tuple<bool, std::int64_t, Rounding, bool, std::int64_t>, model::CoreTime> measured;
  const std::tuple key{settings.f32, settings.recurrence.loops, settings.recurrence.rounding,
                       stays_in_range(settings.recurrence), nz};
  if (const auto known = measured.find(key); known != measured.end()) return known->second;
  std::vector<model::TimedBlock> samples;
  for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{8, 16}, {16, 32}, {44, 48}, {72, 96}})
    for (const std::int64_t cells : {chunk_unit, 3 * chunk_unit, 8 * chunk_unit}) {
      const Extents chunk{nx, ny, cells};
      samples.push_back({chunk, settings.f32 ? chunk_seconds<float>(settings, chunk, nz, ranks)
                                             : chunk_seconds<double>(settings, chunk, nz, ranks)});
    }
  return measured.emplace(key, model::fit(samples)).first->second;
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
  const core::Isa isa = core::best_isa();
  const int lanes = settings.f32 ? kernels_of<float>(isa).lanes : kernels_of<double>(isa).lanes;
  const std::int64_t chunk = chosen_chunk(largest, division.px(), division.py(), lanes, settings.recurrence.loops);
  return model::pipeline_seconds(extents, {division.px(), division.py(), chunk}, settings.f32 ? 4 : 8,
                                 measured_core(settings, &ranks), measured_network(&ranks).value_or(model::Network{}));
}

}  // namespace speedwell::wavefront
