// Tridiagonal systems of 64 to 1024 rows (powers of two), without cosines, in one pass over memory: a block processes
// neighbouring modes, a warp for each, with all their rows in shared memory.
#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/warp_systems.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

template <class T, int M>
__global__ void __launch_bounds__(width<T>* lanes) warp_lines_kernel(Lines<T> l) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int modes = l.nx / 2 + 1, first = static_cast<int>(blockIdx.x) * width<T>, y = static_cast<int>(blockIdx.y);
  const WarpThread thread;
  const WarpSystems<T, M> systems(l, memory, thread, modes, first, y);
  systems.load(l);

  // Modes after the last use its eigenvalue, because all lanes must take part.
  const int lane = thread.lane, mode = first + thread.warp < modes ? first + thread.warp : modes - 1;
  const T lambda = l.lambda_x[2 * mode] + l.lambda_y[y];
  const bool pins = lambda == T(0) && lane == 0;  // the constant mode: its first unknown is 0
  with_lane_rows(systems, lambda, pins, [&](const auto& row, const auto& right, const auto& value, const auto& keep) {
    Chunk<T, M> chunk;
    const FirstRowEquation<T> first_row_equation = chunk.first_row_equation(row, right);
    Equation<T> e = chunk.last_row_equation(row, right, keep);
    e = reduced_equation(e, from_lane(first_row_equation, (lane + 1) % lanes));
#pragma unroll
    for (int distance = 1; distance < lanes; distance *= 2)
      e = pcr_step(e, from_lane(e, (lane + lanes - distance) % lanes), from_lane(e, (lane + distance) % lanes));
    // After the last step every lane is its own neighbour.
    const T inverse = T(1) / e.sum;
    const T re = e.re * inverse, im = e.im * inverse;
    const int before = (lane + lanes - 1) % lanes;
    chunk.back_substitute(row, __shfl_sync(whole_warp, re, before), __shfl_sync(whole_warp, im, before), re, im, value,
                          keep, keep);
  });
  systems.store(l);
}

template <class T, int M>
void launch(const Lines<T>& l, const core::Stream& stream) {
  constexpr std::size_t bytes = shared_bytes<T, M>();
  core::check(cudaFuncSetAttribute(warp_lines_kernel<T, M>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(l.modes(), width<T>)), static_cast<unsigned>(l.ny));
  warp_lines_kernel<T, M><<<blocks, width<T> * lanes, bytes, stream.get()>>>(l);
  core::check(cudaGetLastError());
}

}  // namespace

template <class T>
bool enqueue_in_warps(const Lines<T>& l, const core::Stream& stream) {
  if (l.cosine_x || l.cosine_y || l.ny > 65535) return false;
  return with_rows_per_lane<T>(l.nz, [&]<int M>() { launch<T, M>(l, stream); });
}

template bool enqueue_in_warps(const Lines<float>&, const core::Stream&);
template bool enqueue_in_warps(const Lines<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu
