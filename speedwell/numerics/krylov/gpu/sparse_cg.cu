// Conjugate gradients with a sparse matrix on a GPU: sliced ELL, fused reductions and a device-side loop. An iteration
// passes over the vectors three times: p = z + beta p; q = A p and p . q; x += alpha p, r -= alpha q and its sums.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/numerics/grid_sums.hpp"
#include "speedwell/numerics/krylov/gpu/cg_state.hpp"
#include "speedwell/numerics/krylov/gpu_sparse_cg.hpp"
#include "speedwell/numerics/krylov/sparse_cg.hpp"
#include "speedwell/numerics/loop_graph.hpp"
#include "speedwell/numerics/sparse/gpu_sparse.hpp"

namespace speedwell::krylov {
namespace {

using device::CgState;
using numerics::SumWorkspace;
using numerics::Terms;

constexpr int threads = 256;
constexpr int iterations_recorded = 4;

template <class T>
struct Vectors {
  std::int64_t n;
  const T *b, *inverse;  // 1 / D, or null
  T *x, *r, *p, *q;
};

template <class T>
__device__ T row_product(const sparse::DeviceEllView<T>& a, std::int64_t row, const T* x) {
  const std::int64_t slice = row / 32, end = a.offsets[slice + 1];
  T sum = 0;
#pragma unroll 7
  for (std::int64_t e = a.offsets[slice] + row % 32; e < end; e += 32)
    sum += __ldcs(a.value + e) * x[__ldcs(a.column + e)];
  return sum;
}

// r = b - A x, p = 0, and the initial sums.
template <class T>
__global__ void __launch_bounds__(threads)
    begin_kernel(const sparse::DeviceEllView<T> a, const Vectors<T> v, CgState* s, double tolerance, int max_iterations,
                 SumWorkspace space) {
  Terms<3> sum;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < v.n) {
    const T r = v.b[i] - row_product(a, i, v.x);
    v.r[i] = r;
    v.p[i] = 0;
    const double b = static_cast<double>(v.b[i]), square = static_cast<double>(r) * static_cast<double>(r);
    sum[0] = b * b;
    sum[1] = square;
    sum[2] = v.inverse ? square * static_cast<double>(v.inverse[i]) : square;
  }
  numerics::grid_sum(sum, space, [=](Terms<3> total) {
    *s = {.bb = total[0],
          .limit = tolerance * tolerance * total[0],
          .rr = total[1],
          .rz = total[2],
          .alpha = 0,
          .beta = 0,
          .iteration = 0,
          .max_iterations = max_iterations,
          .running = 1,
          .outcome = 0};
    if (total[0] == 0) {
      s->rr = 0;  // x = 0 is the solution
      return device::stop(*s, CgOutcome::converged);
    }
    device::check_convergence(*s);
  });
}

template <class T>
__global__ void __launch_bounds__(threads) clear_without_b(const Vectors<T> v, const CgState* s) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (s->bb == 0 && i < v.n) v.x[i] = 0;
}

template <class T>
__global__ void __launch_bounds__(threads) direction_kernel(const Vectors<T> v, const CgState* s) {
  if (!s->running) return;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < v.n) v.p[i] = fma(static_cast<T>(s->beta), v.p[i], v.inverse ? v.inverse[i] * v.r[i] : v.r[i]);
}

template <class T>
__global__ void __launch_bounds__(threads)
    product_kernel(const sparse::DeviceEllView<T> a, const Vectors<T> v, CgState* s, SumWorkspace space) {
  if (!s->running) return;
  Terms<1> sum;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < v.n) {
    const T q = row_product(a, i, static_cast<const T*>(v.p));
    v.q[i] = q;
    sum[0] = static_cast<double>(v.p[i]) * static_cast<double>(q);
  }
  numerics::grid_sum(sum, space, [=](Terms<1> total) {
    if (!isfinite(total[0])) return device::stop(*s, CgOutcome::not_finite);
    if (!(total[0] > 0)) return device::stop(*s, CgOutcome::not_positive);
    s->alpha = s->rz / total[0];
  });
}

template <class T>
__global__ void __launch_bounds__(threads) update_kernel(const Vectors<T> v, CgState* s, SumWorkspace space) {
  if (!s->running) return;
  Terms<2> sum;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < v.n) {
    const T alpha = static_cast<T>(s->alpha), r = fma(-alpha, v.q[i], v.r[i]);
    v.x[i] = fma(alpha, v.p[i], v.x[i]);
    v.r[i] = r;
    sum[0] = static_cast<double>(r) * static_cast<double>(r);
    sum[1] = v.inverse ? sum[0] * static_cast<double>(v.inverse[i]) : sum[0];
  }
  numerics::grid_sum(sum, space, [=](Terms<2> total) {
    ++s->iteration;
    s->rr = total[0];
    s->beta = total[1] / s->rz;
    s->rz = total[1];
    device::check_convergence(*s);
  });
}

__global__ void set_loop_condition(const CgState* state, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, state->running ? 1u : 0u);
}

template <class T>
sparse::SlicedEll<T> checked(const sparse::Csr<T>& a, const SparseCgOptions& options) {
  sparse::require_matrix(a);
  if (const std::string reason = unfit_for_cg(a); !reason.empty()) throw std::invalid_argument("sparse: " + reason);
  if (options.preconditioner == Preconditioner::polynomial)
    throw std::invalid_argument(
        "sparse: the polynomial preconditioner needs a 7-point operator; none and jacobi apply to any matrix");
  return sparse::sliced(a);
}

}  // namespace

template <class T>
struct GpuSparseCg<T>::State {
  SparseCgOptions options;
  sparse::DeviceEll<T> a;
  unsigned blocks;
  core::DeviceBuffer<double> partial, sums;
  core::DeviceBuffer<unsigned> done;
  core::DeviceBuffer<CgState> scalars;
  core::DeviceBuffer<T> r, p, q, inverse;
  numerics::LoopGraph loop;
  T* loop_x = nullptr;  // the x that the loop was captured with
  bool host_loop = false;

  State(const sparse::Csr<T>& host, const SparseCgOptions& chosen, const core::Stream& stream)
      : options(chosen),
        a(checked(host, chosen), stream),
        blocks(static_cast<unsigned>(std::max<std::int64_t>(core::blocks_for(host.rows, threads), 1))),
        partial(std::size_t{3} * blocks),
        sums(1),
        done(1),
        scalars(1),
        r(static_cast<std::size_t>(host.rows)),
        p(r.size()),
        q(r.size()) {
    core::fill_bytes_async(done, 0, stream);
    if (options.preconditioner == Preconditioner::none) return;
    std::vector<T> diagonal(r.size());
    for (std::int64_t i = 0; i < host.rows; ++i)
      for (std::int64_t e = host.offsets[static_cast<std::size_t>(i)];
           e < host.offsets[static_cast<std::size_t>(i) + 1]; ++e)
        if (host.column[static_cast<std::size_t>(e)] == i)
          diagonal[static_cast<std::size_t>(i)] = T(1) / host.value[static_cast<std::size_t>(e)];
    inverse = core::DeviceBuffer<T>(diagonal.size());
    core::copy_async(inverse.data(), diagonal.data(), diagonal.size(), stream);
    stream.synchronize();
  }

  Vectors<T> vectors(const T* b, T* x) {
    return {static_cast<std::int64_t>(r.size()),
            b,
            inverse.size() > 0 ? inverse.data() : nullptr,
            x,
            r.data(),
            p.data(),
            q.data()};
  }
  SumWorkspace space() { return {partial.data(), done.data(), sums.data(), blocks}; }

  void iterate(T* x, const core::Stream& stream) {
    const Vectors<T> v = vectors(nullptr, x);
    for (int i = 0; i < iterations_recorded; ++i) {
      direction_kernel<<<blocks, threads, 0, stream.get()>>>(v, scalars.data());
      product_kernel<<<blocks, threads, 0, stream.get()>>>(a.view(), v, scalars.data(), space());
      update_kernel<<<blocks, threads, 0, stream.get()>>>(v, scalars.data(), space());
    }
    core::check(cudaGetLastError());
  }
};

template <class T>
GpuSparseCg<T>::GpuSparseCg(const sparse::Csr<T>& a, const SparseCgOptions& options, const core::Stream& stream)
    : state_(std::make_unique<State>(a, options, stream)) {}

template <class T>
void GpuSparseCg<T>::run(const T* b, T* x, const core::Stream& stream) {
  State& s = *state_;
  const Vectors<T> v = s.vectors(b, x);
  begin_kernel<<<s.blocks, threads, 0, stream.get()>>>(s.a.view(), v, s.scalars.data(), s.options.tolerance,
                                                       s.options.iterations, s.space());
  clear_without_b<<<s.blocks, threads, 0, stream.get()>>>(v, s.scalars.data());
  core::check(cudaGetLastError());
  if (s.host_loop) {
    CgState now;
    do {
      s.iterate(x, stream);
      core::copy_async(&now, s.scalars.data(), 1, stream);
      stream.synchronize();
    } while (now.running);
    return;
  }
  if (s.loop_x != x) {
    s.loop = numerics::LoopGraph(stream, [&](cudaGraphConditionalHandle handle) {
      s.iterate(x, stream);
      set_loop_condition<<<1, 1, 0, stream.get()>>>(s.scalars.data(), handle);
      core::check(cudaGetLastError());
    });
    s.loop_x = x;
  }
  s.loop.launch(stream);
}

template <class T>
CgResult GpuSparseCg<T>::result(const core::Stream& stream) const {
  CgState end;
  core::copy_async(&end, state_->scalars.data(), 1, stream);
  stream.synchronize();
  return {.iterations = end.iteration,
          .outcome = static_cast<CgOutcome>(end.outcome),
          .residual = end.bb > 0 ? std::sqrt(end.rr / end.bb) : std::sqrt(end.rr)};
}

template <class T>
void GpuSparseCg<T>::loop_by_host(bool wanted) {
  state_->host_loop = wanted;
}

template class GpuSparseCg<float>;
template class GpuSparseCg<double>;

}  // namespace speedwell::krylov
