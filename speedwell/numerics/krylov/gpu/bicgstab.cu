// The memory and the loop of GpuBicgstab.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "speedwell/numerics/grid_sums.hpp"
#include "speedwell/numerics/krylov/gpu_bicgstab.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::krylov {

using numerics::grid_sum;
using numerics::LoopGraph;
using numerics::SumWorkspace;
using numerics::Terms;

namespace bicgstab_device {

constexpr int threads = 256;

/// Evaluates term(i) for all i and passes the reduced sums to finish(), unless the iteration has stopped.
template <int sums, class Term, class Finish>
__global__ void __launch_bounds__(threads)
    pass(std::int64_t n, const Scalars* k, bool always, Term term, SumWorkspace space, Finish finish) {
  if (!always && !k->running) return;
  Terms<sums> sum;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads)
    term(i, sum);
  grid_sum(sum, space, [&](const Terms<sums>& total) { finish(total); });
}

static __global__ void set_loop_condition(const Scalars* k, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, k->running ? 1u : 0u);
}

}  // namespace bicgstab_device

template <int sums, class Term, class Finish>
void GpuBicgstab::pass(bool always, const Term& term, const Finish& finish, const core::Stream& stream) {
  bicgstab_device::pass<sums><<<blocks_, bicgstab_device::threads, 0, stream.get()>>>(
      n_, scalars_.data(), always, term, SumWorkspace{partial_.data(), done_.data(), nullptr, blocks_}, finish);
  core::check(cudaGetLastError());
}

GpuBicgstab::GpuBicgstab(std::int64_t n, const BicgstabLimits& limits) : n_(n), limits_(limits) {
  require_valid(limits);
  if (n < 1) throw std::invalid_argument("bicgstab: " + std::to_string(n) + " unknowns; must be at least 1");
  const auto size = static_cast<std::size_t>(n);
  for (auto* vector : {&r_, &shadow_, &p_, &v_, &t_}) *vector = core::DeviceBuffer<double>(size);
  blocks_ = static_cast<unsigned>(std::min<std::int64_t>(core::blocks_for(n, bicgstab_device::threads), 2048));
  partial_ = core::DeviceBuffer<double>(3 * std::size_t{blocks_});
  done_ = core::DeviceBuffer<unsigned>(1);
  scalars_ = core::DeviceBuffer<bicgstab_device::Scalars>(1);
}

BicgstabResult GpuBicgstab::solve(const Apply& apply, const double* b, double* x, const core::Stream& stream) {
  using bicgstab_device::Scalars;
  double *const r = r_.data(), *const shadow = shadow_.data(), *const p = p_.data(), *const v = v_.data(),
                *const t = t_.data();
  Scalars* const k = scalars_.data();
  Scalars initial{};
  initial.tolerance = limits_.tolerance;
  initial.max_iterations = limits_.iterations;
  core::fill_bytes_async(done_, 0, stream);
  core::copy_async(k, &initial, 1, stream);
  const LoopGraph loop(stream, [&](cudaGraphConditionalHandle handle) {
    apply(static_cast<const double*>(p), v, stream);
    pass<1>(
        false, [=] __device__(std::int64_t i, Terms<1> & sum) { sum[0] += shadow[i] * v[i]; },
        [=] __device__(const Terms<1>& total) {
          k->alpha = k->rho / total[0];
          if (isfinite(k->alpha)) return;
          k->outcome = static_cast<int>(BicgstabOutcome::breakdown);  // x, r and p are unchanged
          k->running = 0;
        },
        stream);
    pass<1>(
        false, [=] __device__(std::int64_t i, Terms<1>&) { r[i] -= k->alpha * v[i]; },
        [=] __device__(const Terms<1>&) {}, stream);
    apply(static_cast<const double*>(r), t, stream);
    pass<2>(
        false,
        [=] __device__(std::int64_t i, Terms<2> & sum) {
          sum[0] += t[i] * r[i];
          sum[1] += t[i] * t[i];
        },
        [=] __device__(const Terms<2>& total) { k->omega = total[1] > 0 ? total[0] / total[1] : 0; }, stream);
    pass<2>(
        false,
        [=] __device__(std::int64_t i, Terms<2> & sum) {
          const double s = r[i], residual_value = s - k->omega * t[i];
          x[i] += k->alpha * p[i] + k->omega * s;
          r[i] = residual_value;
          sum[0] += residual_value * residual_value;
          sum[1] += residual_value * shadow[i];
        },
        [=] __device__(const Terms<2>& total) {
          k->beta = total[1] / k->rho * (k->alpha / k->omega);
          k->rr = total[0];
          k->rho = total[1];
          ++k->iteration;
        },
        stream);
    // `running` is modified only after all threads of the pass have read it.
    pass<1>(
        false, [=] __device__(std::int64_t i, Terms<1>&) { p[i] = r[i] + k->beta * (p[i] - k->omega * v[i]); },
        [=] __device__(const Terms<1>&) {
          const bool ends = k->rr <= k->tolerance * k->tolerance * k->bb;
          if (!isfinite(k->rr))
            k->outcome = static_cast<int>(BicgstabOutcome::not_finite);
          else if (!ends && (k->rho == 0 || !isfinite(k->beta)))
            k->outcome = static_cast<int>(BicgstabOutcome::breakdown);
          else if (!ends && k->iteration >= k->max_iterations)
            k->outcome = static_cast<int>(BicgstabOutcome::iteration_limit);
          k->running = !ends && k->outcome == 0;
        },
        stream);
    bicgstab_device::set_loop_condition<<<1, 1, 0, stream.get()>>>(k, handle);
    core::check(cudaGetLastError());
  });
  Scalars end;
  do {
    apply(static_cast<const double*>(x), r, stream);
    pass<2>(
        true,
        [=] __device__(std::int64_t i, Terms<2> & sum) {
          const double residual_value = b[i] - r[i];
          r[i] = shadow[i] = p[i] = residual_value;
          sum[0] += residual_value * residual_value;
          sum[1] += b[i] * b[i];
        },
        [=] __device__(const Terms<2>& total) {
          const bool is_restart = k->outcome != 0;
          k->restarts += is_restart;
          k->outcome = isfinite(total[0]) ? 0 : static_cast<int>(BicgstabOutcome::not_finite);
          k->rr = k->rho = total[0];
          k->bb = total[1];
          k->running = k->bb != 0 && total[0] > k->tolerance * k->tolerance * k->bb;
        },
        stream);
    loop.launch(stream);
    core::copy_async(&end, k, 1, stream);
    stream.synchronize();
  } while (end.outcome == static_cast<int>(BicgstabOutcome::breakdown) && end.restarts == 0);
  if (end.bb == 0) {  // x = 0 is the solution
    core::check(cudaMemsetAsync(x, 0, sizeof(double) * static_cast<std::size_t>(n_), stream.get()));
    stream.synchronize();
    return {};
  }
  return {end.iteration, end.restarts, static_cast<BicgstabOutcome>(end.outcome), std::sqrt(end.rr / end.bb)};
}

}  // namespace speedwell::krylov
