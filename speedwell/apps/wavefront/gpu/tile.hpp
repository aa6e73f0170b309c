// A tile of the sweep, as one block of threads works on it. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_bringer.hpp"
#include "speedwell/apps/wavefront/gpu/tile_sweeper.hpp"

namespace speedwell::wavefront {

/// By all threads of the block: first the warps that sweep, then those that bring. All go through the same steps and
/// meet at the same barrier.
template <class T, class C, int V, detail::Rows rows>
__device__ void sweep_tile(const TileSweep<T>& sweep, const C& cell, char* memory, std::uint32_t number) {
  constexpr int P = warp_planes(C::has_loops);
  constexpr TileSteps steps(V, sizeof(T));
  const detail::TileAt<T, V, P, rows> at(sweep, memory, number);
  // From one lane, so that the compiler knows that a warp stays together.
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = sweep.plan.warps();
  const bool brings = warp >= warps;
  detail::Bringer<T, V, P, rows> bringer(at, warp - warps, lane);
  detail::Sweeper<T, C, V, P, rows> sweeper(at, min(warp, warps - 1), lane);
  const bool sweeps = !brings && sweeper.has_planes();
  const std::int32_t last = detail::kept(steps.steps(warps, sweep.plan.lines));
  std::int32_t step = -steps.ahead;
  // The ways of the two kinds part once in a step, not before the barrier and behind it: a branch delays every step.
  if (sweeps) sweeper.await_lines();
  if (brings) bringer.deliver(step);
  while (step < last) {
    __syncthreads();
    if (sweeps) {
      sweeper.step(cell, step);
      ++step;
      sweeper.await_lines();
    } else {
      if (brings) bringer.ask(step);
      ++step;
      if (brings) bringer.deliver(step);
    }
  }
  detail::wait_for_copies<0>();
}

}  // namespace speedwell::wavefront
