// The sweep of one tile by a thread block. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_halo_loader.hpp"
#include "speedwell/apps/wavefront/gpu/tile_sweeper.hpp"

namespace speedwell::wavefront {

/// Sweeps tile `number` of sweep.order. Called by all threads of a block of plan.warps() + loader_warps warps with
/// `memory`, TileContext::bytes() bytes of shared memory (tiles.hpp launches it). The first plan.warps() warps sweep
/// warp_planes() planes each, in vectors of V cells of `cell`'s recurrence; the others load the faces that other tiles
/// send. Linked: faces along x may come from and go to another GPU.
///
/// All warps perform the same number of steps and meet at the one barrier of each step, also warps whose planes are
/// beyond the end of the grid. A step begins after that barrier: what a warp writes to shared memory in a step is read
/// by others after the next barrier only.
template <class T, class C, int V, detail::Rows rows, bool Linked>
__device__ void sweep_tile(const TileSweep<T>& sweep, const C& cell, char* memory, std::uint32_t number) {
  constexpr int P = warp_planes(C::has_loops);
  constexpr TileSteps steps(V, sizeof(T));
  const detail::TileContext<T, V, P, rows> at(sweep, memory, number);
  // Broadcast from one lane, so that the compiler knows that the value is uniform in a warp.
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = sweep.plan.warps();
  const bool loads = warp >= warps;
  // Every warp constructs both roles, so that the constructors are uniform code, and executes one of them: a sweeping
  // warp has a negative loader number, with which nothing is loaded, and a loader's Sweeper takes no step.
  detail::HaloLoader<T, V, P, rows, Linked> loader(at, warp - warps, lane);
  detail::Sweeper<T, C, V, P, rows, Linked> sweeper(at, min(warp, warps - 1), lane);
  const bool sweeps = !loads && sweeper.has_planes();
  const std::int32_t last = detail::opaque(steps.steps(warps, sweep.plan.lines));
  std::int32_t step = -steps.ahead;
  // A role's work before the barrier of a step follows its work after the preceding barrier in the same branch: one
  // branch per step instead of two, because every branch lengthens the chain of dependent instructions of a step.
  if (sweeps) sweeper.await_lines();
  if (loads) loader.deliver(step);
  while (step < last) {
    __syncthreads();
    if (sweeps) {
      sweeper.step(cell, step);
      ++step;
      sweeper.await_lines();
    } else {
      if (loads) loader.issue(step);
      ++step;
      if (loads) loader.deliver(step);
    }
  }
  detail::wait_for_copies<0>();  // the next tile overwrites the shared memory
}

}  // namespace speedwell::wavefront
