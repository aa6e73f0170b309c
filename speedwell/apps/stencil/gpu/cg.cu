// Conjugate gradients with a device-side loop; cg_device.hpp has the passes.
#include <cmath>
#include <optional>
#include <string>

#include "speedwell/apps/stencil/gpu/cg_on_chip.hpp"
#include "speedwell/apps/stencil/gpu/cg_passes.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"

namespace speedwell::stencil {
namespace {

using device::CgState;

constexpr int threads = 256;

template <bool square, class T>
__global__ void __launch_bounds__(threads) sum_kernel(const T* __restrict__ v, std::int64_t n, SumWorkspace space) {
  numerics::Terms<1> sum;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads) {
    const auto value = static_cast<double>(v[i]);
    sum[0] += square ? value * value : value;
  }
  numerics::grid_sum(sum, space, [&](numerics::Terms<1> total) { *space.sums = total[0]; });
}
template <class T>
__global__ void __launch_bounds__(threads) subtract_mean(const T* v, T* out, std::int64_t n, const double* sum) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) out[i] = v[i] - static_cast<T>(*sum / static_cast<double>(n));
}

unsigned blocks_of(std::int64_t n) { return static_cast<unsigned>(core::blocks_for(n, threads)); }

}  // namespace

template <class T>
void gpu_sum(const T* v, std::int64_t n, bool of_squares, const SumWorkspace& space, const core::Stream& stream) {
  const auto blocks = static_cast<unsigned>(
      std::min<std::int64_t>({core::blocks_for(n, threads), static_cast<std::int64_t>(space.blocks), 1024}));
  (of_squares ? sum_kernel<true, T> : sum_kernel<false, T>)<<<blocks, threads, 0, stream.get()>>>(v, n, space);
  core::check(cudaGetLastError());
}
template <class T>
void gpu_subtract_mean(const T* v, T* out, std::int64_t n, const double* sum, const core::Stream& stream) {
  subtract_mean<<<blocks_of(n), threads, 0, stream.get()>>>(v, out, n, sum);
  core::check(cudaGetLastError());
}

template <class T>
struct GpuCg<T>::State {
  CgOptions options;
  bool singular;
  DeviceOperator<T> a;
  Sums sums;
  core::DeviceBuffer<CgState> scalars;
  core::DeviceBuffer<T> r, p[2], inverse, z, projected;
  device::CgLoop<T> loop;
  std::optional<BrickPlan> bricks;
  std::optional<BrickSpace<T>> brick_space;

  State(const Operator<T>& host, const CgOptions& chosen, const core::Stream& stream, CgMethod method)
      : options(chosen), singular(is_singular(host)), a(host, stream), sums(host.grid, stream), scalars(1) {
    const auto n = static_cast<std::size_t>(host.grid.size());
    if (singular && options.project_mean) projected = core::DeviceBuffer<T>(n);
    if (method == CgMethod::best && options.preconditioner == Preconditioner::none)
      bricks = brick_plan<T>(host.grid, host.form);
    if (bricks) {
      brick_space.emplace(host.grid, *bricks);
      return;
    }
    r = core::DeviceBuffer<T>(n);
    for (auto& buffer : p) buffer = core::DeviceBuffer<T>(n);
    if (options.preconditioner != Preconditioner::none) {
      const std::vector<T> diagonal = inverse_diagonal(host);
      inverse = core::DeviceBuffer<T>(n);
      core::copy_async(inverse.data(), diagonal.data(), n, stream);
      stream.synchronize();
    }
    if (options.preconditioner == Preconditioner::polynomial) z = core::DeviceBuffer<T>(n);
  }

  device::CgPasses<T> passes() {
    return {.a = &a.op(),
            .planes = all_planes(a.op().grid),
            .options = options,
            .scalars = scalars.data(),
            .sums = sums.space(),
            .r = {r.data()},
            .p = {{p[0].data()}, {p[1].data()}},
            .z = {z.data()},
            .inverse = inverse.data()};
  }
  void in_passes(const T* b, T* x, const core::Stream& stream) {
    core::fill_bytes_async(p[0], 0, stream);
    const device::CgPasses<T> steps = passes();
    steps.begin(b, x, stream);
    loop.run(steps, x, stream);
  }
};

template <class T>
GpuCg<T>::GpuCg(const Operator<T>& a, const CgOptions& options, const core::Stream& stream, CgMethod method) {
  require_solvable(a, options);
  state_ = std::make_unique<State>(a, options, stream, method);
}
template <class T>
GpuCg<T>::GpuCg(GpuCg&&) noexcept = default;
template <class T>
GpuCg<T>& GpuCg<T>::operator=(GpuCg&&) noexcept = default;
template <class T>
GpuCg<T>::~GpuCg() = default;

template <class T>
void GpuCg<T>::run(const T* b, T* x, const core::Stream& stream) {
  State& s = *state_;
  const std::int64_t n = s.a.op().grid.size();
  if (s.projected.size() > 0) {
    gpu_sum(b, n, false, s.sums.space(), stream);
    gpu_subtract_mean(b, s.projected.data(), n, s.sums.space().sums, stream);
    b = s.projected.data();
  }
  gpu_sum(b, n, true, s.sums.space(), stream);
  device::begin_state(s.scalars.data(), s.sums.space().sums, s.options, x, n, stream);
  if (s.bricks)
    solve_on_chip(s.a.op(), b, x, *s.bricks, *s.brick_space, s.scalars.data(), stream);
  else
    s.in_passes(b, x, stream);
  if (s.projected.size() > 0) {
    gpu_sum<T>(x, n, false, s.sums.space(), stream);
    gpu_subtract_mean<T>(x, x, n, s.sums.space().sums, stream);
  }
}

template <class T>
CgResult GpuCg<T>::result(const core::Stream& stream) const {
  CgState end;
  core::copy_async(&end, state_->scalars.data(), 1, stream);
  stream.synchronize();
  return device::result_of(end);
}

template <class T>
void GpuCg<T>::loop_by_host(bool wanted) {
  state_->loop.by_host(wanted);
}

template <class T>
double GpuCg<T>::device_bytes(const Grid& grid, Form form, Preconditioner preconditioner) {
  const int fields = 3 + 1 + cell_fields(form) +
                     (preconditioner == Preconditioner::none     ? 0
                      : preconditioner == Preconditioner::jacobi ? 1
                                                                 : 2);
  return static_cast<double>(fields) * static_cast<double>(grid.size()) * sizeof(T) +
         16.0 * static_cast<double>(max_blocks(grid)) + (1 << 20);
}

#define SPEEDWELL_GPU_CG(T)                                                                      \
  template class GpuCg<T>;                                                                       \
  template void gpu_sum(const T*, std::int64_t, bool, const SumWorkspace&, const core::Stream&); \
  template void gpu_subtract_mean(const T*, T*, std::int64_t, const double*, const core::Stream&);
SPEEDWELL_GPU_CG(float)
SPEEDWELL_GPU_CG(double)
#undef SPEEDWELL_GPU_CG

}  // namespace speedwell::stencil
