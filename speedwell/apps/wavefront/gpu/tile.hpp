// The sweep of one tile by a thread block. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_halo_loader.hpp"
#include "speedwell/apps/wavefront/gpu/tile_sweeper.hpp"

namespace speedwell::wavefront {

/// Called by all threads of the block: the first warps sweep, the others load halos. All warps perform the same number
/// of steps and meet at the same barrier.
template <class T, class C, int V, detail::Rows rows, bool Linked>
__device__ void sweep_tile(const TileSweep<T>& sweep, const C& cell, char* memory, std::uint32_t number) {
  constexpr int P = warp_planes(C::has_loops);
  constexpr TileSteps steps(V, sizeof(T));
  const detail::TileContext<T, V, P, rows> at(sweep, memory, number);
  // Broadcast from one lane, so that the compiler knows that the value is uniform in a warp.
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = sweep.plan.warps();
  const bool loads = warp >= warps;
  detail::HaloLoader<T, V, P, rows, Linked> loader(at, warp - warps, lane);
  detail::Sweeper<T, C, V, P, rows, Linked> sweeper(at, min(warp, warps - 1), lane);
  const bool sweeps = !loads && sweeper.has_planes();
  const std::int32_t last = detail::opaque(steps.steps(warps, sweep.plan.lines));
  std::int32_t step = -steps.ahead;
  // The two roles diverge once per step, and not both before and after the barrier: every branch delays the step.
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
  detail::wait_for_copies<0>();
}

}  // namespace speedwell::wavefront
