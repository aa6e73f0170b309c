// Iterative refinement: conjugate gradients in single precision, residuals and the solution in double.
#include <cmath>
#include <vector>

#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/single_precision_operator.hpp"

namespace speedwell::stencil {
namespace {

constexpr int threads = 256;

// r in single precision, scaled to norm 1, so that values that are small in double do not underflow.
__global__ void __launch_bounds__(threads)
    narrow(const double* b, const double* product, float* r, std::int64_t n, double scale) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) r[i] = static_cast<float>((b[i] - product[i]) * scale);
}
__global__ void __launch_bounds__(threads) add(double* x, const float* d, std::int64_t n, double scale) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) x[i] = fma(scale, static_cast<double>(d[i]), x[i]);
}
__global__ void __launch_bounds__(threads)
    difference(const double* b, const double* product, double* r, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) r[i] = b[i] - product[i];
}

CgOptions inner(const CgOptions& options) {
  CgOptions chosen = options;
  chosen.project_mean = true;  // the mean of a residual is rounding error; GpuCg uses this for singular systems only
  chosen.tolerance = mixed_inner_tolerance;
  return chosen;
}

}  // namespace

struct GpuMixedCg::State {
  CgOptions options;
  bool singular;
  DeviceOperator<double> a;
  GpuCg<float> inner;
  Sums sums;
  core::DeviceBuffer<double> product, residual, projected;
  core::DeviceBuffer<float> r, d;

  State(const Operator<double>& host, const CgOptions& chosen, const core::Stream& stream)
      : options(chosen),
        singular(is_singular(host)),
        a(host, stream),
        inner(SinglePrecisionOperator(host).op(), stencil::inner(chosen), stream),
        sums(host.grid, stream),
        product(static_cast<std::size_t>(host.grid.size())),
        residual(product.size()),
        projected(singular && chosen.project_mean ? product.size() : 0),
        r(product.size()),
        d(product.size()) {}
};

GpuMixedCg::GpuMixedCg(const Operator<double>& a, const CgOptions& options, const core::Stream& stream) {
  require_solvable(a, options);
  state_ = std::make_unique<State>(a, options, stream);
}
GpuMixedCg::GpuMixedCg(GpuMixedCg&&) noexcept = default;
GpuMixedCg& GpuMixedCg::operator=(GpuMixedCg&&) noexcept = default;
GpuMixedCg::~GpuMixedCg() = default;

void GpuMixedCg::loop_by_host(bool wanted) { state_->inner.loop_by_host(wanted); }

CgResult GpuMixedCg::solve(const double* b, double* x, const core::Stream& stream) {
  State& s = *state_;
  const std::int64_t n = s.a.op().grid.size();
  const auto blocks = static_cast<unsigned>(core::blocks_for(n, threads));
  const auto norm = [&](const double* v) {
    gpu_sum(v, n, true, s.sums.space(), stream);
    return std::sqrt(s.sums.value(stream));
  };
  if (s.projected.size() > 0) {
    gpu_sum(b, n, false, s.sums.space(), stream);
    gpu_subtract_mean(b, s.projected.data(), n, s.sums.space().sums, stream);
    b = s.projected.data();
  }
  const double of_b = norm(b);
  CgResult result;
  if (of_b == 0) {
    core::check(cudaMemsetAsync(x, 0, static_cast<std::size_t>(n) * sizeof(double), stream.get()));
    return result;
  }
  double last = 0;
  for (;;) {
    gpu_multiply(s.a.op(), x, s.product.data(), stream);
    difference<<<blocks, threads, 0, stream.get()>>>(b, s.product.data(), s.residual.data(), n);
    core::check(cudaGetLastError());
    const double of_r = norm(s.residual.data());
    result.residual = of_r / of_b;
    if (!std::isfinite(of_r)) return result.outcome = CgOutcome::not_finite, result;
    if (of_r <= s.options.tolerance * of_b) {
      if (s.projected.size() > 0) {
        gpu_sum<double>(x, n, false, s.sums.space(), stream);
        gpu_subtract_mean<double>(x, x, n, s.sums.space().sums, stream);
      }
      return result;
    }
    // A correction leaves more than half of the residual: single precision cannot represent this operator.
    if (result.iterations >= s.options.iterations || (last > 0 && of_r > last / 2))
      return result.outcome = CgOutcome::iteration_limit, result;
    last = of_r;
    narrow<<<blocks, threads, 0, stream.get()>>>(b, s.product.data(), s.r.data(), n, 1 / of_r);
    core::check(cudaGetLastError());
    core::fill_bytes_async(s.d, 0, stream);
    s.inner.run(s.r.data(), s.d.data(), stream);
    const CgResult inner = s.inner.result(stream);
    result.iterations += inner.iterations;
    if (inner.outcome == CgOutcome::not_positive || inner.outcome == CgOutcome::not_finite)
      return result.outcome = inner.outcome, result;
    add<<<blocks, threads, 0, stream.get()>>>(x, s.d.data(), n, of_r);
    core::check(cudaGetLastError());
  }
}

}  // namespace speedwell::stencil
