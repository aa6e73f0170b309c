#include "speedwell/apps/wavefront/gpu/tile_timing.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>

#include "speedwell/apps/wavefront/gpu/tile_fit.hpp"
#include "speedwell/apps/wavefront/gpu_solver.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
constexpr std::int64_t unit_cells = unit_bytes / static_cast<std::int64_t>(sizeof(T));

/// Measures sweeps with one kind of tile.
template <class T>
class TileTimer {
 public:
  TileTimer(const TilePlan& plan, bool whole_units, const Recurrence<T>& recurrence)
      : plan_(plan), whole_units_(whole_units), recurrence_(recurrence) {}

  /// The minimum of several sweeps as timed by the host, including launch and synchronisation.
  double operator()(const model::TileSample& sample) const {
    constexpr int sweeps = 7;
    constexpr double warm_up_s = 0.01;  // an idle device takes time to raise its clock
    const core::Stream stream;
    GpuSolver<T> solver = solver_of(sample);
    solver.clear(stream);
    const auto sweep = [&] {
      const auto begin = std::chrono::steady_clock::now();
      solver.run(stream);
      stream.synchronize();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    for (double warm = 0; warm < warm_up_s;) warm += sweep();
    double least = sweep();
    for (int n = 1; n < sweeps; ++n) least = std::min(least, sweep());
    solver.finish(stream);
    return least;
  }

 private:
  GpuSolver<T> solver_of(const model::TileSample& sample) const {
    const Extents extents{sample.in_x * plan_.planes, sample.in_y * tile_rows,
                          sample.vectors * plan_.cells - (whole_units_ ? 0 : 1)};
    const TileOptions tiles{.planes = plan_.planes, .cells = plan_.cells, .blocks = sample.blocks};
    return GpuSolver<T>(extents, recurrence_, {}, "cuda", {.tiles = tiles});
  }

  TilePlan plan_;
  bool whole_units_;
  Recurrence<T> recurrence_;
};

TilePlan plan_of(const Extents& extents, int element, std::int64_t loops, int gpus) {
  return plan_tiles(extents, element, loops > 0, {}, gpus);
}

/// Half of the round trip of a flag between two H200, and the time of the barrier before a sweep.
constexpr double link_seconds = 1.4e-6, barrier_seconds = 5e-6;

}  // namespace

template <class T>
const model::TiledDevice& measured_device(const Extents& extents, const Recurrence<T>& recurrence, int gpus) {
  static std::mutex one_at_a_time;
  static std::map<std::tuple<int, int, int, bool, std::int64_t, Rounding, Remainder>, model::TiledDevice> measured;
  const std::lock_guard lock(one_at_a_time);
  const TilePlan plan = plan_of(extents, sizeof(T), recurrence.loops, gpus);
  const bool whole_units = extents.nz % unit_cells<T> == 0;
  int device = 0, multiprocessors = 0;
  core::check(cudaGetDevice(&device));
  const std::tuple key{
      device, plan.planes, plan.cells, whole_units, recurrence.loops, recurrence.rounding, remainder_of(recurrence)};
  if (const auto known = measured.find(key); known != measured.end()) return known->second;
  core::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const TileTimer<T> timer(plan, whole_units, recurrence);
  return measured.emplace(key, model::fit_device(plan.warps(), multiprocessors, timer)).first->second;
}

template <class T>
double predicted_seconds(const Extents& extents, const Recurrence<T>& recurrence, int gpus) {
  const TilePlan plan = plan_of(extents, sizeof(T), recurrence.loops, gpus);
  model::TiledDevice device = measured_device(extents, recurrence, gpus);
  if (gpus == 1) return model::tiled_seconds(plan, device);
  device.link_steps = link_seconds / device.loaded.front().seconds;
  device.launch_s += barrier_seconds;
  return model::tiled_seconds(plan, device, divide_tiles(plan, gpus, static_cast<int>(device.blocks)));
}

template const model::TiledDevice& measured_device(const Extents&, const Recurrence<float>&, int);
template const model::TiledDevice& measured_device(const Extents&, const Recurrence<double>&, int);
template double predicted_seconds(const Extents&, const Recurrence<float>&, int);
template double predicted_seconds(const Extents&, const Recurrence<double>&, int);

}  // namespace speedwell::wavefront
