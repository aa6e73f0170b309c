#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>

#include "speedwell/apps/cg/gpu/steps.hpp"
#include "speedwell/apps/cg/ladder.hpp"
#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::cg {

using namespace stencil;

namespace {

using numerics::Terms;

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) dot_kernel(const T* a, const T* b, std::int64_t n, SumWorkspace space) {
  Terms<1> sum;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads)
    sum[0] = fma(static_cast<double>(a[i]), static_cast<double>(b[i]), sum[0]);
  numerics::grid_sum(sum, space, [&](const Terms<1>& total) { *space.sums = total[0]; });
}
// y += a x
template <class T>
__global__ void __launch_bounds__(threads) add_kernel(T a, const T* x, T* y, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) y[i] = fma(a, x[i], y[i]);
}
// p = r + b p
template <class T>
__global__ void __launch_bounds__(threads) direction_kernel(T b, const T* r, T* p, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) p[i] = fma(b, p[i], r[i]);
}
// r = b - q
template <class T>
__global__ void __launch_bounds__(threads) subtract_kernel(const T* b, const T* q, T* r, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) r[i] = b[i] - q[i];
}
// x += a p, r -= a q, and r . r
template <class T>
__global__ void __launch_bounds__(threads)
    update_kernel(T a, const T* p, const T* q, T* x, T* r, std::int64_t n, SumWorkspace space) {
  Terms<1> sum;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads) {
    x[i] = fma(a, p[i], x[i]);
    r[i] = fma(-a, q[i], r[i]);
    sum[0] = fma(static_cast<double>(r[i]), static_cast<double>(r[i]), sum[0]);
  }
  numerics::grid_sum(sum, space, [&](const Terms<1>& total) { *space.sums = total[0]; });
}

}  // namespace

template <class T>
struct SteppedCg<T>::State {
  State(const Operator<T>& host, const CgOptions& chosen, std::string_view step, const core::Stream& stream)
      : options(chosen), a(host, stream), sums(host.grid, stream), space(sums.space()), n(host.grid.size()) {
    const auto found = std::find_if(std::begin(steps), std::end(steps), [&](auto& s) { return s.name == step; });
    if (found == std::end(steps)) throw std::logic_error("no step of cg: " + std::string(step));
    const auto number = found - std::begin(steps);
    multiply = product_of<T>(number == 0 ? "cuda-naive" : "cuda-tile");
    fused = number >= 2;
    pinned = number >= 3;
    mapped = number >= 4;
    for (auto* field : {&r, &p, &q}) *field = core::DeviceBuffer<T>(static_cast<std::size_t>(n));
    if (!pinned) return;
    void* memory = nullptr;
    core::check(cudaHostAlloc(&memory, sizeof(double), cudaHostAllocMapped));
    host_sum = static_cast<double*>(memory);
    if (mapped) core::check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&space.sums), host_sum, 0));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (host_sum) cudaFreeHost(host_sum);
  }

  unsigned blocks() const { return static_cast<unsigned>(core::blocks_for(n, threads)); }
  unsigned blocks_of_sums() const {
    return static_cast<unsigned>(
        std::min<std::int64_t>({core::blocks_for(n, threads), static_cast<std::int64_t>(space.blocks), 2112}));
  }
  double sum(const core::Stream& stream) const {
    double value = 0, *to = pinned ? host_sum : &value;
    if (!mapped) core::copy_async(to, static_cast<const double*>(space.sums), 1, stream);
    stream.synchronize();
    return *to;
  }
  double dot(const T* u, const T* v, const core::Stream& stream) const {
    dot_kernel<<<blocks_of_sums(), threads, 0, stream.get()>>>(u, v, n, space);
    core::check(cudaGetLastError());
    return sum(stream);
  }
  /// q = A p; returns p . q.
  double product(const core::Stream& stream) {
    if (fused) {
      gpu_multiply_and_dot(a.op(), static_cast<const T*>(p.data()), q.data(), space, stream);
      return sum(stream);
    }
    multiply(a.op(), p.data(), q.data(), stream);
    return dot(p.data(), q.data(), stream);
  }
  /// Returns r . r.
  double update(double alpha, T* x, const core::Stream& stream) {
    const T step = static_cast<T>(alpha);
    if (fused) {
      update_kernel<<<blocks_of_sums(), threads, 0, stream.get()>>>(step, p.data(), q.data(), x, r.data(), n, space);
      core::check(cudaGetLastError());
      return sum(stream);
    }
    add_kernel<<<blocks(), threads, 0, stream.get()>>>(step, p.data(), x, n);
    add_kernel<<<blocks(), threads, 0, stream.get()>>>(-step, q.data(), r.data(), n);
    core::check(cudaGetLastError());
    return dot(r.data(), r.data(), stream);
  }

  CgOptions options;
  DeviceOperator<T> a;
  Sums sums;
  SumWorkspace space;
  std::int64_t n;
  Multiply<T>* multiply = nullptr;
  bool fused = false, pinned = false, mapped = false;
  double* host_sum = nullptr;
  core::DeviceBuffer<T> r, p, q;
  CgResult last;
};

template <class T>
SteppedCg<T>::SteppedCg(const Operator<T>& a, const CgOptions& options, std::string_view step,
                        const core::Stream& stream) {
  require_solvable(a, options);
  if (options.preconditioner != Preconditioner::none)
    throw std::invalid_argument("cg: the study's variants have no preconditioner");
  state_ = std::make_unique<State>(a, options, step, stream);
}
template <class T>
SteppedCg<T>::SteppedCg(SteppedCg&&) noexcept = default;
template <class T>
SteppedCg<T>::~SteppedCg() = default;

template <class T>
void SteppedCg<T>::run(const T* b, T* x, const core::Stream& stream) {
  State& s = *state_;
  const double bb = s.dot(b, b, stream), limit = s.options.tolerance * s.options.tolerance * bb;
  s.multiply(s.a.op(), x, s.q.data(), stream);
  subtract_kernel<<<s.blocks(), threads, 0, stream.get()>>>(b, s.q.data(), s.r.data(), s.n);
  core::check(cudaGetLastError());
  core::copy_async(s.p.data(), std::as_const(s.r).data(), s.p.size(), stream);
  double rr = s.dot(s.r.data(), s.r.data(), stream);
  s.last = {};
  for (;;) {
    s.last.residual = std::sqrt(bb > 0 ? rr / bb : rr);
    s.last.outcome = !std::isfinite(rr)                          ? CgOutcome::not_finite
                     : rr <= limit                               ? CgOutcome::converged
                     : s.last.iterations == s.options.iterations ? CgOutcome::iteration_limit
                                                                 : CgOutcome::not_positive;
    if (s.last.outcome != CgOutcome::not_positive) return;
    const double curvature = s.product(stream);
    if (!(curvature > 0)) return;
    const double before = rr;
    rr = s.update(rr / curvature, x, stream);
    direction_kernel<<<s.blocks(), threads, 0, stream.get()>>>(static_cast<T>(rr / before), s.r.data(), s.p.data(),
                                                               s.n);
    core::check(cudaGetLastError());
    ++s.last.iterations;
  }
}

template <class T>
CgResult SteppedCg<T>::result() const {
  return state_->last;
}

template class SteppedCg<float>;
template class SteppedCg<double>;

}  // namespace speedwell::cg
