#include <cfloat>
#include <cmath>
#include <limits>

#include "speedwell/apps/incompressible_flow/gpu/diffusion_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/running_loop.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int max_iterations = 1000;  // as on the host

/// A component of the velocity on its mesh.
template <class T>
struct Component {
  Shape s;
  MeshMetrics<T> m;
  const T* wall_drag;
  GhostCoefficients<T> ghosts[3][2];
  int c;

  __device__ bool closed(int i, int j, int k) const {
    const int at[] = {i, j, k};
    return (s.is_closed(c, 1) && at[c] == s.n[c] - 1) || (wall_drag && wall_drag[s.cell(i, j, k)] < T(0));
  }
  __device__ T volume(int i, int j, int k) const {
    const int at[] = {i, j, k};
    T product = 1;
#pragma unroll
    for (int d = 0; d < 3; ++d) product *= d == c ? 1 / m.axis[d].inverse_distance[at[d]] : m.axis[d].width[at[d]];
    return product;
  }
  /// The reciprocal of the operator's diagonal without the contributions of walls.
  __device__ T inverse(T factor, int i, int j, int k) const {
    const int at[] = {i, j, k};
    T sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const AxisMetrics<T>& a = m.axis[d];
      const int n = at[d];
      sum += d == c ? a.inverse_distance[n] * (a.inverse_width[n] + a.inverse_width[n + 1])
                    : a.inverse_width[n] * (a.inverse_distance[n] + a.inverse_distance[n - 1]);
    }
    if (wall_drag) sum += wall_drag[s.cell(i, j, k)];
    return 1 / (volume(i, j, k) * (1 + factor * sum));
  }
  /// (1 - factor lap) times the volume, at an open face. value(i, j, k) is called for ghost cells, too.
  template <class Value>
  __device__ T product(T factor, const Value& value, int i, int j, int k) const {
    const CellPosition at = {i, j, k};
    const T own = value(i, j, k);
    const T lap = c == 0   ? diffusion<0>(m, value, at)
                  : c == 1 ? diffusion<1>(m, value, at)
                           : diffusion<2>(m, value, at);
    T y = own - factor * lap;
    if (wall_drag) y += factor * wall_drag[s.cell(i, j, k)] * own;
    return y * volume(i, j, k);
  }
  /// The value of a field by cell; for ghost cells, that of walls at rest. Planes of other GPUs are beside the slab's.
  __device__ T seen(const T* x, int i, int j, int k) const {
    int at[] = {i, j, k};
    T sign = 1;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      if (at[d] >= 0 && at[d] < s.n[d]) continue;
      const bool high = at[d] > 0;
      if (d == 2 && (high ? s.other_above : s.other_below)) continue;
      if (s.periodic[d]) {
        at[d] = high ? 0 : s.n[d] - 1;
        continue;
      }
      if (d == c) return T(0);  // a closed face
      sign *= ghosts[d][high].sign;
      at[d] = high ? s.n[d] - 1 : 0;
    }
    return sign * x[s.cell(at[0], at[1], at[2])];
  }
};

template <class T>
Component<T> component_of(const typename DiffusionCg<T>::Settings& s, int c) {
  Component<T> one{s.shape, s.metrics, s.wall_drag[c], {}, c};
  for (int d = 0; d < 3; ++d)
    for (int side = 0; side < 2; ++side) one.ghosts[d][side] = s.ghosts[c][d][side];
  return one;
}

__device__ void check_convergence(DiffusionScalars& s) {
  if (!isfinite(s.rho) || (s.rho > s.goal && s.iteration == max_iterations)) s.failed = 1;
  s.running = !s.failed && s.rho > s.goal;
}

}  // namespace

template <class T>
DiffusionCg<T>::DiffusionCg(const Settings& settings, const core::Stream& stream)
    : s_(settings), cells_(settings.shape) {
  for (auto* field : {&r_, &p_, &q_}) {
    const int planes = s_.shape.n[2] + (is_divided() && field == &p_ ? 2 : 0);
    *field = core::DeviceBuffer<T>(static_cast<std::size_t>(s_.shape.cell(0, 0, planes)));
    core::fill_bytes_async(*field, 0, stream);
  }
  scalars_ = core::DeviceBuffer<DiffusionScalars>(1);
  core::fill_bytes_async(scalars_, 0, stream);
  cells_.clear(stream);
  stream.synchronize();
  record(stream);
}

template <class T>
void DiffusionCg<T>::record(const core::Stream& stream) {
  for (int c = 0; c < 3 && !is_divided(); ++c)
    loops_[c] = loop_while_running(scalars_.data(), stream, [&] { iterate(c, stream); });
}

// Overwrites the right-hand side with the residual of u.
template <class T>
void DiffusionCg<T>::begin(int c, double length, const StepValues* values, const T* u, T* next,
                           const core::Stream& stream) {
  const Component<T> one = component_of<T>(s_, c);
  DiffusionScalars* const scalars = scalars_.data();
  T* const r = r_.data();
  const double of_dt = 0.5 * length * s_.viscosity;
  // Ten roundings of the right-hand side: smaller residuals are rounding errors.
  constexpr double tolerance = 10 * static_cast<double>(std::numeric_limits<T>::epsilon());
  add_up<2>(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<2>& sum) {
        const std::int64_t cell = one.s.cell(i, j, k), row = one.s.row, plane = one.s.plane;
        const std::int64_t at = i + j * row + k * plane;
        if (one.closed(i, j, k)) {
          next[at] = r[cell] = T(0);
          return;
        }
        const T factor = static_cast<T>(of_dt * values->dt);
        const T right = next[at], volume = one.volume(i, j, k);
        const T left = one.product(
            factor, [&](int a, int b, int d) { return u[a + b * row + d * plane]; }, i, j, k);
        const T residual = right * volume - left;
        r[cell] = residual;
        next[at] = u[at];
        sum[0] += static_cast<double>(right) * static_cast<double>(right) * static_cast<double>(volume);
        sum[1] += static_cast<double>(residual) * static_cast<double>(residual * one.inverse(factor, i, j, k));
      },
      [=] __device__(const numerics::Terms<2>& sum) {
        scalars->factor = of_dt * values->dt;
        scalars->scale = sum[0];
        scalars->goal = tolerance * tolerance * fmax(sum[0], DBL_MIN);
        scalars->rho = sum[1];
        scalars->x = next;
        scalars->iteration = 0;
        check_convergence(*scalars);
      },
      stream);
}

template <class T>
void DiffusionCg<T>::iterate(int c, const core::Stream& stream) {
  const Component<T> one = component_of<T>(s_, c);
  DiffusionScalars* const scalars = scalars_.data();
  const int* const running = &scalars->running;
  T *const r = r_.data(), *const p = p_.data() + (is_divided() ? one.s.cell(0, 0, 1) : 0), *const q = q_.data();
  cells_.for_each(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = one.s.cell(i, j, k);
        const T z = one.closed(i, j, k) ? T(0) : r[cell] * one.inverse(static_cast<T>(scalars->factor), i, j, k);
        // Before the first iteration there may be anything in p.
        p[cell] = scalars->iteration == 0 ? z : z + static_cast<T>(scalars->beta) * p[cell];
      },
      stream);
  if (is_divided()) {
    T* const from_plane_below[] = {p_.data()};
    s_.planes->exchange(from_plane_below, stream);
  }
  add_up<1>(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        if (one.closed(i, j, k)) return;
        const std::int64_t cell = one.s.cell(i, j, k);
        const T y = one.product(
            static_cast<T>(scalars->factor), [&](int a, int b, int d) { return one.seen(p, a, b, d); }, i, j, k);
        q[cell] = y;
        sum[0] += static_cast<double>(p[cell]) * static_cast<double>(y);
      },
      [=] __device__(const numerics::Terms<1>& sum) { scalars->alpha = scalars->rho / sum[0]; }, stream);
  add_up<1>(
      running,
      [=] __device__(int i, int j, int k, numerics::Terms<1>& sum) {
        if (one.closed(i, j, k)) return;
        const std::int64_t cell = one.s.cell(i, j, k);
        const T alpha = static_cast<T>(scalars->alpha);
        T* const x = static_cast<T*>(scalars->x) + i + j * one.s.row + k * one.s.plane;
        *x += alpha * p[cell];
        const T residual = r[cell] - alpha * q[cell];
        r[cell] = residual;
        sum[0] += static_cast<double>(residual) *
                  static_cast<double>(residual * one.inverse(static_cast<T>(scalars->factor), i, j, k));
      },
      [=] __device__(const numerics::Terms<1>& sum) {
        scalars->beta = sum[0] / scalars->rho;
        scalars->rho = sum[0];
        ++scalars->iteration;
        ++scalars->all_iterations;
        check_convergence(*scalars);
      },
      stream);
}

template <class T>
void DiffusionCg<T>::solve(int c, double length, const StepValues* values, const T* u, T* next,
                           const core::Stream& stream, bool by_host) {
  by_host = by_host || is_divided();
  begin(c, length, values, u, next, stream);
  const auto goes_on = [&] {
    int running = 0;
    core::copy_async(&running, static_cast<const int*>(&scalars_.data()->running), 1, stream);
    stream.synchronize();
    return running != 0;
  };
  while (by_host && goes_on()) iterate(c, stream);
  if (!by_host) loops_[c].launch(stream);
}

template <class T>
typename DiffusionCg<T>::Report DiffusionCg<T>::report(const core::Stream& stream) {
  const DiffusionScalars now = take_report(scalars_, stream);
  return {.iterations = now.all_iterations,
          .failed = now.failed != 0,
          .residual = now.scale > 0 ? std::sqrt(now.rho / now.scale) : 0};
}

template class DiffusionCg<float>;
template class DiffusionCg<double>;

}  // namespace speedwell::incompressible_flow::gpu
