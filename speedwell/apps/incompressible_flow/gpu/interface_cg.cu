// The kernels and the loop of InterfaceCg. Vectors of the iteration, r, w, s, q and y, are in double precision and have
// an entry for each cell of the list, the fluid cells next to solids; source and z are fields of all cells in the order
// of spectral_index(), with which the direct solver works in precision P. A kernel has one thread for each cell of the
// list; in long lists, beyond max_blocks blocks, threads take several cells.
//
// Let A be the operator of the box with solids, which sums the fluxes out of a cell, M that of the box without, and C
// the fluxes through closed faces, M less A. Then A z = r - C z for z = M^-1 r.
#include <algorithm>
#include <cmath>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/interface_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/running_loop.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/interface.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads = 256;
constexpr int max_blocks = 528;  // 4 for each of the 132 multiprocessors of an H200
constexpr int max_iterations = 200;

/// Calls body(i, terms) for each i below `count`, and finish(sums) in one thread after all of them. Does nothing if
/// `running` is not null and *running is 0. finish() may change *running: all blocks have read it by then.
template <int sums, class Body, class Finish>
__global__ void __launch_bounds__(threads)
    list_kernel(int count, const int* running, numerics::SumWorkspace space, Body body, Finish finish) {
  if (running && !*running) return;
  numerics::Terms<sums> terms;
  for (int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x); i < count;
       i += static_cast<int>(gridDim.x) * threads)
    body(i, terms);
  numerics::grid_sum(terms, space, finish);
}

/// C z for a cell of the list: the flux through its closed faces, first[i] to first[i + 1] - 1, each with a weight and
/// the index in z of the solid cell behind it.
template <class T>
struct Closed {
  const int* first;
  const std::int64_t *transform_index, *to;
  const double* weight;

  __device__ double through(int i, const T* z) const {
    const double own = static_cast<double>(z[transform_index[i]]);
    double sum = 0;
    for (int f = first[i]; f < first[i + 1]; ++f) sum += weight[f] * (own - static_cast<double>(z[to[f]]));
    return sum;
  }
};

}  // namespace

template <class P>
InterfaceCg<P>::InterfaceCg(const Problem& problem, Direct<P>& direct, const core::Stream& stream) : direct_(direct) {
  const Interface all = interface_of(problem);
  count_ = static_cast<int>(all.cell.size());
  cell_ = copied(all.cell, stream);
  transform_index_ = copied(all.transform_index, stream);
  to_ = copied(all.to, stream);
  first_ = copied(all.first, stream);
  inverse_volume_ = copied(all.inverse_volume, stream);
  weight_ = copied(all.weight, stream);
  for (auto* list : {&r_, &w_, &s_, &q_, &y_}) *list = core::DeviceBuffer<double>(all.cell.size());
  const auto cells = static_cast<std::size_t>(problem.extents().cells());
  source_ = core::DeviceBuffer<P>(cells);
  z_ = core::DeviceBuffer<P>(cells);
  core::fill_bytes_async(source_, 0, stream);  // only cells of the list are written afterwards
  scalars_ = core::DeviceBuffer<InterfaceScalars>(1);
  partial_ = core::DeviceBuffer<double>(2 * max_blocks);
  done_ = core::DeviceBuffer<unsigned>(1);
  core::fill_bytes_async(scalars_, 0, stream);
  core::fill_bytes_async(done_, 0, stream);
  stream.synchronize();
  record(stream);
}

template <class P>
void InterfaceCg<P>::record(const core::Stream& stream) {
  loop_ = loop_while_running(scalars_.data(), stream, [&] { iterate(stream); });
}

template <class P>
template <int sums, class Body, class Finish>
void InterfaceCg<P>::over_list(const int* running, const Body& body, const Finish& finish, const core::Stream& stream) {
  const numerics::SumWorkspace space{partial_.data(), done_.data(), nullptr, max_blocks};
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(core::blocks_for(count_, threads), 1, max_blocks));
  list_kernel<sums><<<blocks, threads, 0, stream.get()>>>(count_, running, space, body, finish);
  core::check(cudaGetLastError());
}

// One iteration, where begin_step() computes alpha and beta from r . z and z . w:
//
//   z = M^-1 r    w = A z    s = r + beta s    q = w + beta q    y += alpha s    r -= alpha q
//
// The first iteration has no s and q. `source` is -r over a cell's volume, because the direct solver's operator is the
// Laplacian, per volume and with the other sign. The direct solution is computed in any case; the other kernels do
// nothing once `running` is 0.
template <class P>
void InterfaceCg<P>::iterate(const core::Stream& stream) {
  InterfaceScalars* const scalars = scalars_.data();
  const int* const running = &scalars->running;
  const Closed<P> closed{first_.data(), transform_index_.data(), to_.data(), weight_.data()};
  const P* const z = z_.data();
  P* const source = source_.data();
  double *const r = r_.data(), *const w = w_.data(), *const s = s_.data(), *const q = q_.data(), *const y = y_.data();
  const double* const inverse_volume = inverse_volume_.data();
  direct_.solve(source, z_.data(), stream);
  using numerics::Terms;
  over_list<2>(
      running,
      [=] __device__(int i, Terms<2>& sum) {
        const double value = static_cast<double>(z[closed.transform_index[i]]), right = r[i];
        const double product = right - closed.through(i, z);
        w[i] = product;
        sum[0] += right * value;
        sum[1] += value * product;
      },
      [=] __device__(const Terms<2>& sum) { begin_step(*scalars, sum[0], sum[1]); }, stream);
  over_list<1>(
      running,
      [=] __device__(int i, Terms<1>& sum) {
        const bool first = scalars->iteration == 0;
        const double alpha = scalars->alpha, beta = scalars->beta;
        const double along = first ? r[i] : r[i] + beta * s[i], change = first ? w[i] : w[i] + beta * q[i];
        s[i] = along;
        q[i] = change;
        y[i] += alpha * along;
        const double left = r[i] - alpha * change;
        r[i] = left;
        source[closed.transform_index[i]] = static_cast<P>(-left * inverse_volume[i]);
        sum[0] += left * left;
      },
      [=] __device__(const Terms<1>& sum) {
        scalars->residual = sum[0];
        ++scalars->iteration;
        scalars->running = isfinite(sum[0]) && sum[0] > scalars->goal && scalars->iteration < max_iterations;
      },
      stream);
}

template <class P>
template <class T>
void InterfaceCg<P>::complete(T* residual, const T* z, const double* goal, const core::Stream& stream, bool by_host) {
  InterfaceScalars* const scalars = scalars_.data();
  const Closed<T> closed{first_.data(), transform_index_.data(), to_.data(), weight_.data()};
  P* const source = source_.data();
  double *const r = r_.data(), *const y = y_.data();
  const double* const inverse_volume = inverse_volume_.data();
  const std::int64_t* const cell = cell_.data();
  // The minimum residual, relative to that after the first direct solution: below it, rounding errors of direct
  // solutions dominate. Squares are compared.
  constexpr double min_ratio = sizeof(P) == 4 ? 2e-6 : 1e-13;
  over_list<1>(
      nullptr,
      [=] __device__(int i, numerics::Terms<1>& sum) {
        const double left = closed.through(i, z);
        r[i] = left;
        y[i] = 0;
        source[closed.transform_index[i]] = static_cast<P>(-left * inverse_volume[i]);
        sum[0] += left * left;
      },
      [=] __device__(const numerics::Terms<1>& sum) {
        scalars->residual = sum[0];
        scalars->goal = fmax(0.25 * *goal, min_ratio * min_ratio * sum[0]);
        scalars->iteration = 0;
        scalars->running = isfinite(sum[0]) && sum[0] > scalars->goal;
      },
      stream);
  const auto goes_on = [&] {
    int running = 0;
    core::copy_async(&running, static_cast<const int*>(&scalars->running), 1, stream);
    stream.synchronize();
    return running != 0;
  };
  while (by_host && goes_on()) iterate(stream);
  if (!by_host) loop_.launch(stream);
  over_list<1>(
      nullptr, [=] __device__(int i, numerics::Terms<1>&) { residual[cell[i]] += static_cast<T>(y[i]); },
      [=] __device__(const numerics::Terms<1>&) {}, stream);
}

template <class P>
int InterfaceCg<P>::breakdowns(const core::Stream& stream) {
  int count = 0;
  core::copy_async(&count, static_cast<const int*>(&scalars_.data()->breakdowns), 1, stream);
  stream.synchronize();
  core::check(cudaMemsetAsync(&scalars_.data()->breakdowns, 0, sizeof(int), stream.get()));
  return count;
}

template class InterfaceCg<float>;
template class InterfaceCg<double>;
template void InterfaceCg<float>::complete(float*, const float*, const double*, const core::Stream&, bool);
template void InterfaceCg<float>::complete(double*, const double*, const double*, const core::Stream&, bool);
template void InterfaceCg<double>::complete(double*, const double*, const double*, const core::Stream&, bool);

}  // namespace speedwell::incompressible_flow::gpu
