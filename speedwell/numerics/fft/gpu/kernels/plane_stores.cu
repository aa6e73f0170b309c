#include <algorithm>

#include "speedwell/numerics/fft/gpu/kernels/plane_stores.hpp"

namespace speedwell::fft::gpu {
namespace {

template <class B, class T, class Load>
__global__ void __launch_bounds__(B::threads, resident_threads<T> / B::threads)
    plane_stores_kernel(Pass<T> pass, Load in, ToPlanes<T> out) {
  extern __shared__ __align__(16) char memory[];
  auto* const shared = reinterpret_cast<Complex<T>*>(memory);
  const std::int64_t step = std::int64_t{gridDim.x} * B::lines;
  for (std::int64_t first = std::int64_t{blockIdx.x} * B::lines; first < pass.lines; first += step) {
    const int thread = detail::opaque_thread_index();
    // Initialised, since for threads without a line the compiler would keep the registers of the lines before, and
    // spill 120 bytes.
    typename B::Registers x = {};
    detail::load_registers<B>(x, thread, pass, first, in);
    detail::transform_registers<B>(x, thread, pass.table, shared);
    detail::store_registers<B>(x, thread, pass, first, out);
    __syncthreads();  // the next lines overwrite `shared`
  }
}

template <class T, int log_n = 0, class Load>
void launch(int wanted_log_n, const Pass<T>& pass, const Load& in, const ToPlanes<T>& out, int max_blocks,
            const core::Stream& stream) {
  if constexpr (log_n <= max_log<T>) {
    if (wanted_log_n != log_n) return launch<T, log_n + 1>(wanted_log_n, pass, in, out, max_blocks, stream);
    using B = Block<T, log_n, Lines::columns, plane_store_threads<T>(log_n)>;
    Grid grid = grid_of<B, T>(pass.lines, B::shared_points);
    grid.blocks = std::min<std::int64_t>(grid.blocks, max_blocks);
    return launch_kernel(plane_stores_kernel<B, T, Load>, grid, stream, pass, in, out);
  }
  throw std::logic_error("fft: no pass for this length");
}

}  // namespace

template <class T, class Load>
void store_columns_in_planes(int log_n, const Pass<T>& pass, const Load& in, const ToPlanes<T>& out, int max_blocks,
                             const core::Stream& stream) {
  launch<T>(log_n, pass, in, out, max_blocks, stream);
}

#define SPEEDWELL_STORE_COLUMNS(T, Load)                                                              \
  template void store_columns_in_planes(int, const Pass<T>&, const Load<T>&, const ToPlanes<T>&, int, \
                                        const core::Stream&);
SPEEDWELL_STORE_COLUMNS(float, Weighted)
SPEEDWELL_STORE_COLUMNS(double, Weighted)
SPEEDWELL_STORE_COLUMNS(float, FromMemory)
SPEEDWELL_STORE_COLUMNS(double, FromMemory)
#undef SPEEDWELL_STORE_COLUMNS

}  // namespace speedwell::fft::gpu
