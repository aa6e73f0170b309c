#include <cmath>
#include <cstddef>

#include "speedwell/apps/incompressible_flow/gpu/pressure_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/running_loop.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

/// The data of a mesh that the kernels need.
template <class T>
struct Box {
  Shape s;
  MeshMetrics<T> m;
  const T* fluid;

  __device__ T is_fluid(std::int64_t cell) const { return fluid ? fluid[cell] : T(1); }
  __device__ T volume(int i, int j, int k) const {
    return m.axis[0].width[i] * m.axis[1].width[j] * m.axis[2].width[k];
  }
  /// A x at a cell: A is the negative Laplacian times volumes, through open faces.
  __device__ T product(const T* x, int i, int j, int k) const {
    const std::int64_t cell = s.cell(i, j, k);
    const T own = x[cell];
    const int at[] = {i, j, k};
    T sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const std::int64_t step = d == 0 ? 1 : d == 1 ? s.n[0] : s.cell(0, 0, 1);
      // Links through walls are 0, whatever the value at the other end.
      const std::int64_t before = at[d] > 0 ? cell - step : cell + (s.n[d] - 1) * step,
                         after = at[d] < s.n[d] - 1 ? cell + step : cell - (s.n[d] - 1) * step;
      sum += m.axis[(d + 1) % 3].width[at[(d + 1) % 3]] * m.axis[(d + 2) % 3].width[at[(d + 2) % 3]] *
             (m.axis[d].link[at[d]] * (own - x[after]) * is_fluid(after) +
              m.axis[d].link[at[d] - 1] * (own - x[before]) * is_fluid(before));
    }
    return sum * is_fluid(cell);
  }
};

__device__ void check_convergence(CgScalars& s) {
  if (!isfinite(s.residual) || (s.residual > s.goal && s.iteration == s.max_iterations)) s.failed = 1;
  s.running = !s.failed && s.residual > s.goal;
}

}  // namespace

template <class T>
PressureCg<T>::PressureCg(const Settings& settings, const core::Stream& stream) : s_(settings), cells_(settings.shape) {
  const auto n = static_cast<std::size_t>(s_.shape.cell(0, 0, s_.shape.n[2]));
  for (auto* field : {&x_, &r_, &z_, &p_, &q_}) {
    *field = core::DeviceBuffer<T>(n);
    core::fill_bytes_async(*field, 0, stream);
  }
  if (s_.inverse_diagonal) scaled_ = core::DeviceBuffer<T>(n);
  scalars_ = core::DeviceBuffer<CgScalars>(1);
  CgScalars first;
  first.tolerance = s_.tolerance * s_.tolerance;
  first.max_iterations = s_.max_iterations;
  core::copy_async(scalars_.data(), &first, 1, stream);
  cells_.clear(stream);
  stream.synchronize();
  record(stream);
}

template <class T>
void PressureCg<T>::record(const core::Stream& stream) {
  loop_ = loop_while_running(scalars_.data(), stream, [&] { iterate(stream); });
}

template <class T>
void PressureCg<T>::begin(const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  CgScalars* const scalars = scalars_.data();
  const T* const source = s_.source;
  T *const r = r_.data(), *const right = q_.data();
  const double volume = s_.fluid_volume;
  using numerics::Terms;
  cells_.template add_up<1>(
      nullptr,
      [=] __device__(int i, int j, int k, Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        r[cell] = -source[spectral_index(box.s, i, j, k)] * box.volume(i, j, k) * box.is_fluid(cell);
        sum[0] += static_cast<double>(r[cell]);
      },
      [=] __device__(const Terms<1>& sum) { scalars->share = sum[0] / volume; }, stream);
  cells_.template add_up<1>(
      nullptr,
      [=] __device__(int i, int j, int k, Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        const T share = static_cast<T>(scalars->share * static_cast<double>(box.volume(i, j, k)));
        right[cell] = r[cell] - share * box.is_fluid(cell);
        sum[0] += static_cast<double>(right[cell]) * static_cast<double>(right[cell]);
      },
      [=] __device__(const Terms<1>& sum) { scalars->goal = scalars->tolerance * sum[0]; }, stream);
  measure(right, nullptr, stream);
}

// r = right - A x, which determines whether iterations are needed. *solutions is the number of direct solutions for x.
template <class T>
void PressureCg<T>::measure(const T* right, const int* solutions, const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  CgScalars* const scalars = scalars_.data();
  const T* const x = x_.data();
  T* const r = r_.data();
  cells_.template add_up<1>(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        r[cell] = right[cell] - box.product(x, i, j, k);
        sum[0] += static_cast<double>(r[cell]) * static_cast<double>(r[cell]);
      },
      [=] __device__(const numerics::Terms<1>& sum) {
        scalars->residual = sum[0];
        scalars->iteration = 0;
        if (solutions) scalars->all_iterations += *solutions + 2;
        check_convergence(*scalars);
      },
      stream);
}

template <class T>
void PressureCg<T>::to_source(const int* running, const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  T* const source = s_.source;
  const T* const r = r_.data();
  cells_.for_each(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        source[spectral_index(box.s, i, j, k)] =
            -r[box.s.cell(i, j, k)] *
            (box.m.axis[0].inverse_width[i] * box.m.axis[1].inverse_width[j] * box.m.axis[2].inverse_width[k]);
      },
      stream);
}

// Adds to x the direct solution for the residual corrected on the list of cells. The new residual is computed, and
// iterations on fields would continue from it.
template <class T>
void PressureCg<T>::begin_near_solids(const core::Stream& stream, bool by_host) {
  const double* const goal = &scalars_.data()->goal;
  to_source(nullptr, stream);
  s_.solve_directly(stream);
  const T* const answer = s_.source;
  if (s_.fp32_cg) s_.fp32_cg->complete(r_.data(), answer, goal, stream, by_host);
  if constexpr (sizeof(T) == 8)
    if (s_.fp64_cg) s_.fp64_cg->complete(r_.data(), answer, goal, stream, by_host);
  to_source(nullptr, stream);
  s_.solve_directly(stream);
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  T* const x = x_.data();
  cells_.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = box.s.cell(i, j, k);
        x[cell] += answer[spectral_index(box.s, i, j, k)] * box.is_fluid(cell);
      },
      stream);
  measure(q_.data(), s_.fp32_cg ? s_.fp32_cg->iterations() : s_.fp64_cg->iterations(), stream);
}

// z = M^-1 r, and its reductions: the mean of z, which is subtracted from it, and r . z.
template <class T>
void PressureCg<T>::condition(const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  CgScalars* const scalars = scalars_.data();
  const int* const running = &scalars->running;
  const T* const source = s_.source;
  T *const z = z_.data(), *const scaled = scaled_.data();
  const T *const r = r_.data(), *const diagonal = s_.inverse_diagonal;
  const double fluid_cells = s_.fluid_cells;
  if (!diagonal) {
    to_source(running, stream);
    s_.solve_directly(stream);
  } else {
    cells_.for_each(
        running,
        [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
          const std::int64_t cell = box.s.cell(i, j, k);
          scaled[cell] = diagonal[cell] * r[cell];
        },
        stream);
  }
  constexpr T weight = T(0.8);  // as the host's
  cells_.template add_up<3>(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<3>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        const T value = diagonal ? (1 + weight) * scaled[cell] - weight * diagonal[cell] * box.product(scaled, i, j, k)
                                 : source[spectral_index(box.s, i, j, k)] * box.is_fluid(cell);
        z[cell] = value;
        sum[0] += static_cast<double>(value);
        sum[1] += static_cast<double>(r[cell]) * static_cast<double>(value);
        sum[2] += static_cast<double>(r[cell]);
      },
      [=] __device__(const numerics::Terms<3>& sum) {
        scalars->mean = sum[0] / fluid_cells;
        const double rho = sum[1] - scalars->mean * sum[2];
        scalars->beta = scalars->iteration == 0 ? 0 : rho / scalars->rho;
        scalars->rho = rho;
      },
      stream);
}

template <class T>
void PressureCg<T>::iterate(const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  CgScalars* const scalars = scalars_.data();
  const int* const running = &scalars->running;
  T *const x = x_.data(), *const r = r_.data(), *const p = p_.data(), *const q = q_.data();
  const T* const z = z_.data();
  condition(stream);
  cells_.for_each(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = box.s.cell(i, j, k);
        const T value = z[cell] - static_cast<T>(scalars->mean) * box.is_fluid(cell);
        // Before the first iteration there may be anything in p.
        p[cell] = scalars->iteration == 0 ? value : value + static_cast<T>(scalars->beta) * p[cell];
      },
      stream);
  cells_.template add_up<1>(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        q[cell] = box.product(p, i, j, k);
        sum[0] += static_cast<double>(p[cell]) * static_cast<double>(q[cell]);
      },
      [=] __device__(const numerics::Terms<1>& sum) { scalars->alpha = scalars->rho / sum[0]; }, stream);
  cells_.template add_up<1>(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        const T alpha = static_cast<T>(scalars->alpha);
        x[cell] += alpha * p[cell];
        r[cell] -= alpha * q[cell];
        sum[0] += static_cast<double>(r[cell]) * static_cast<double>(r[cell]);
      },
      [=] __device__(const numerics::Terms<1>& sum) {
        scalars->residual = sum[0];
        ++scalars->iteration;
        ++scalars->all_iterations;
        check_convergence(*scalars);
      },
      stream);
}

template <class T>
void PressureCg<T>::solve(const core::Stream& stream, bool by_host) {
  begin(stream);
  if (s_.fp32_cg || s_.fp64_cg) begin_near_solids(stream, by_host);
  const auto goes_on = [&] {
    int running = 0;
    core::copy_async(&running, static_cast<const int*>(&scalars_.data()->running), 1, stream);
    stream.synchronize();
    return running != 0;
  };
  while (by_host && goes_on()) iterate(stream);
  if (!by_host) loop_.launch(stream);
}

template <class T>
void PressureCg<T>::centre(const core::Stream& stream) {
  const Box<T> box{s_.shape, s_.metrics, s_.fluid};
  CgScalars* const scalars = scalars_.data();
  T* const x = x_.data();
  const double volume = s_.fluid_volume;
  cells_.template add_up<1>(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        const std::int64_t cell = box.s.cell(i, j, k);
        if (box.is_fluid(cell) != T(0))
          sum[0] += static_cast<double>(box.volume(i, j, k)) * static_cast<double>(x[cell]);
      },
      [=] __device__(const numerics::Terms<1>& sum) { scalars->mean = sum[0] / volume; }, stream);
  cells_.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = box.s.cell(i, j, k);
        x[cell] = box.is_fluid(cell) != T(0) ? static_cast<T>(static_cast<double>(x[cell]) - scalars->mean) : T(0);
      },
      stream);
}

template <class T>
typename PressureCg<T>::Report PressureCg<T>::report(const core::Stream& stream) {
  const CgScalars now = take_report(scalars_, stream);
  return {.iterations = now.all_iterations,
          .failed = now.failed != 0,
          .residual = now.goal > 0 ? std::sqrt(now.residual / now.goal) * s_.tolerance : 0};
}

template class PressureCg<float>;
template class PressureCg<double>;

}  // namespace speedwell::incompressible_flow::gpu
