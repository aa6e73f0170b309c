// One pass over memory: every line is read, transformed in a block and written. Included by CUDA sources only.
#pragma once

#include <stdexcept>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/block.hpp"
#include "speedwell/numerics/fft/gpu/kernels/launch.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass_of_lines.hpp"

namespace speedwell::fft::gpu {

/// The grid of blocks B for `lines` lines, with shared memory for `shared_points` points per block.
template <class B, class T>
Grid grid_of(std::int64_t lines, int shared_points) {
  return {core::blocks_for(lines, B::lines), B::threads, shared_points * std::int64_t{sizeof(Complex<T>)}};
}

namespace detail {

template <class B>
__device__ void synchronize() {
  if constexpr (B::single_warp)
    __syncwarp();
  else
    __syncthreads();
}

/// The thread's index, hidden from the optimizer: values derived from it are recomputed for consecutive transforms
/// instead of occupying registers.
inline __device__ int opaque_thread_index() {
  int thread = static_cast<int>(threadIdx.x);
  asm volatile("" : "+r"(thread));
  return thread;
}

/// Executes all passes on a thread's registers. No thread may still access `shared`.
template <class B, class T>
__device__ void transform_registers(typename B::Registers& x, int thread, const Complex<T>* table, Complex<T>* shared) {
  using L = typename B::OneLine;
  each<L::passes>([&]<int p>() {
    L::template butterflies<p>(x, B::position_before(p, thread).lane, table);
    if constexpr (p + 1 < L::passes) {
      if constexpr (p > 0) synchronize<B>();
#pragma unroll
      for (int e = 0; e < L::points; ++e) shared[B::template write_index<p>(thread, e)] = x[e];
      synchronize<B>();
#pragma unroll
      for (int e = 0; e < L::points; ++e) x[e] = shared[B::template read_index<p>(thread, e)];
    }
  });
}

/// Loads and stores a thread's points of the lines from `first` on.
template <class B, class T, class Load>
__device__ void load_registers(typename B::Registers& x, int thread, const Pass<T>& pass, std::int64_t first,
                               const Load& load) {
  const auto [line, lane] = B::load_position(thread);
  if (first + line >= pass.lines) return;
  const auto in = load.line(first + line, lane, B::OneLine::width, pass.in);
#pragma unroll
  for (int e = 0; e < B::OneLine::points; ++e) x[e] = in(e);
}
template <class B, class T, class Store>
__device__ void store_registers(const typename B::Registers& x, int thread, const Pass<T>& pass, std::int64_t first,
                                const Store& store) {
  const auto [line, lane] = B::store_position(thread);
  if (first + line >= pass.lines) return;
  auto out = store.line(first + line, lane, B::OneLine::width, pass.out);
#pragma unroll
  for (int e = 0; e < B::OneLine::points; ++e) out(e, x[e]);
}

/// Transforms the block's lines from `first` on. No thread may still access `shared`.
template <class B, class T, class Load, class Store>
__device__ void transform(const Pass<T>& pass, std::int64_t first, Complex<T>* shared, const Load& load,
                          const Store& store) {
  const int thread = opaque_thread_index();
  typename B::Registers x;
  load_registers<B>(x, thread, pass, first, load);
  transform_registers<B>(x, thread, pass.table, shared);
  store_registers<B>(x, thread, pass, first, store);
}

template <class B, class T, class Load, class Store>
__global__ void __launch_bounds__(B::threads, resident_threads<T> / B::threads)
    pass_kernel(Pass<T> pass, Load load, Store store) {
  extern __shared__ __align__(16) char memory[];
  transform<B>(pass, std::int64_t{blockIdx.x} * B::lines, reinterpret_cast<Complex<T>*>(memory), load, store);
}

template <class B, class T, class Load, class Store>
void launch(const Pass<T>& pass, const Load& load, const Store& store, const core::Stream& stream) {
  launch_kernel(pass_kernel<B, T, Load, Store>, grid_of<B, T>(pass.lines, B::shared_points), stream, pass, load, store);
}

}  // namespace detail

/// Enqueues a pass over lines of 2^log_n points; min_log_n and max_log_n select the instances that are compiled.
template <class T, Lines kind, int min_log_n = 0, int max_log_n = max_log<T>, class Load, class Store>
void run_pass(int log_n, const Pass<T>& pass, const Load& load, const Store& store, const core::Stream& stream) {
  if constexpr (min_log_n <= max_log_n) {
    if (log_n == min_log_n) return detail::launch<Block<T, min_log_n, kind>>(pass, load, store, stream);
    return run_pass<T, kind, min_log_n + 1, max_log_n>(log_n, pass, load, store, stream);
  }
  throw std::logic_error("fft: no pass for this length");
}

}  // namespace speedwell::fft::gpu
