// Conjugate gradients with a device-side loop; cg_device.hpp has the passes.
#include <cmath>
#include <optional>
#include <string>

#include "speedwell/apps/stencil/gpu/cg_device.hpp"
#include "speedwell/apps/stencil/gpu/cg_on_chip.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::stencil {
namespace {

using device::CgState;
using device::Preconditioning;

constexpr int iterations_recorded = 8;  // iterations in the loop body; even, as p alternates between two buffers
constexpr int threads = 256;

__global__ void set_loop_condition(const CgState* state, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, state->running ? 1u : 0u);
}

__global__ void set_limits(CgState* state, const double* sums, double tolerance, int max_iterations) {
  state->bb = sums[0];
  state->limit = tolerance * tolerance * sums[0];
  state->max_iterations = max_iterations;
}

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

// Sets x = 0 if b = 0, regardless of the initial guess.
template <class T>
__global__ void __launch_bounds__(threads) clear_without_b(const CgState* state, T* x, std::int64_t n) {
  if (state->bb != 0) return;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) x[i] = 0;
}

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
  numerics::LoopGraph loop;
  T* loop_x = nullptr;  // the x that the loop was captured with
  bool host_loop = false;
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

  template <class Source, class Sink>
  void pass(const Source& source, const Sink& sink, const core::Stream& stream) const {
    const auto run = [&]<Form form, int width>() { device::march<form, width>(a.op(), source, sink, stream); };
    const auto of_form = [&]<Form form>() {
      a.op().grid.nx % device::widest<T> == 0 ? run.template operator()<form, device::widest<T>>()
                                              : run.template operator()<form, 1>();
    };
    switch (a.op().form) {
      case Form::face_metric:
        return of_form.template operator()<Form::face_metric>();
      case Form::face_coefficient:
        return of_form.template operator()<Form::face_coefficient>();
      default:
        return of_form.template operator()<Form::constant>();
    }
  }

  template <Preconditioning preconditioned>
  void begin_as(const T* b, T* x, const core::Stream& stream) {
    pass(device::Plain<T>{{x}},
         device::Residual<T, preconditioned>{b, inverse.data(), r.data(), scalars.data(), sums.space()}, stream);
  }
  void begin(const T* b, T* x, const core::Stream& stream) {
    switch (options.preconditioner) {
      case Preconditioner::none:
        return begin_as<Preconditioning::none>(b, x, stream);
      case Preconditioner::jacobi:
        return begin_as<Preconditioning::diagonal>(b, x, stream);
      case Preconditioner::polynomial:
        begin_as<Preconditioning::separate_pass>(b, x, stream);
        return condition(stream);
    }
  }
  void condition(const core::Stream& stream) {
    pass(device::Scaled<T>{{r.data(), inverse.data()}},
         device::Polynomial<T>{r.data(), inverse.data(), z.data(), static_cast<T>(options.omega), scalars.data(),
                               sums.space()},
         stream);
  }
  void iterate(T* x, int parity, const core::Stream& stream) {
    T *const before = p[parity].data(), *const after = p[1 - parity].data();
    const device::KeepDirection<T> keep_direction{after, scalars.data(), sums.space()};
    const device::Plain<T> direction{{after}};
    switch (options.preconditioner) {
      case Preconditioner::none:
        pass(device::Direction<T, false>{{r.data(), before}, scalars.data()}, keep_direction, stream);
        pass(direction, device::Update<T, Preconditioning::none>{x, r.data(), nullptr, scalars.data(), sums.space()},
             stream);
        break;
      case Preconditioner::jacobi:
        pass(device::Direction<T, true>{{r.data(), before, inverse.data()}, scalars.data()}, keep_direction, stream);
        pass(direction,
             device::Update<T, Preconditioning::diagonal>{x, r.data(), inverse.data(), scalars.data(), sums.space()},
             stream);
        break;
      case Preconditioner::polynomial:
        pass(device::Direction<T, false>{{z.data(), before}, scalars.data()}, keep_direction, stream);
        pass(direction,
             device::Update<T, Preconditioning::separate_pass>{x, r.data(), nullptr, scalars.data(), sums.space()},
             stream);
        condition(stream);
        break;
    }
  }
  void in_passes(const T* b, T* x, const core::Stream& stream) {
    core::fill_bytes_async(p[0], 0, stream);
    begin(b, x, stream);
    const auto body = [&] {
      for (int i = 0; i < iterations_recorded; ++i) iterate(x, i % 2, stream);
    };
    if (host_loop) {
      CgState now;
      do {
        body();
        core::copy_async(&now, scalars.data(), 1, stream);
        stream.synchronize();
      } while (now.running);
      return;
    }
    if (loop_x != x) {
      loop = numerics::LoopGraph(stream, [&](cudaGraphConditionalHandle handle) {
        body();
        set_loop_condition<<<1, 1, 0, stream.get()>>>(scalars.data(), handle);
        core::check(cudaGetLastError());
      });
      loop_x = x;
    }
    loop.launch(stream);
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
  set_limits<<<1, 1, 0, stream.get()>>>(s.scalars.data(), s.sums.space().sums, s.options.tolerance,
                                        s.options.iterations);
  clear_without_b<<<blocks_of(n), threads, 0, stream.get()>>>(s.scalars.data(), x, n);
  core::check(cudaGetLastError());
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
  return {.iterations = end.iteration,
          .outcome = static_cast<CgOutcome>(end.outcome),
          .residual = end.bb > 0 ? std::sqrt(end.rr / end.bb) : std::sqrt(end.rr)};
}

template <class T>
void GpuCg<T>::loop_by_host(bool wanted) {
  state_->host_loop = wanted;
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
