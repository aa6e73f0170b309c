#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/gpu/passes.hpp"
#include "speedwell/apps/binary_fluid/in_place.hpp"

namespace speedwell::binary_fluid::device {
namespace {

constexpr int threads = 128;

dim3 threads_of(const Domain& box) { return dim3(box.n[0] >= threads ? threads : (box.n[0] + 31) / 32 * 32); }
dim3 grid_of(const Domain& box) {
  const unsigned wide = threads_of(box).x;
  return {(static_cast<unsigned>(box.n[0]) + wide - 1) / wide, static_cast<unsigned>(box.n[1]),
          static_cast<unsigned>(box.n[2])};
}

struct Site {
  int i, j, k;
  __device__ Site() : i(blockIdx.x * blockDim.x + threadIdx.x), j(blockIdx.y), k(blockIdx.z) {}
};

template <class S, class R>
__global__ void phi_kernel(Domain box, Populations<S> at, R* phi) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Surroundings around(box, s.i, s.j, s.k);
  R g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) g[p] = static_cast<R>(at.g[around.place(p, at.odd, at.stride)]);
  phi[around.near.site(0, 0, 0)] = phi_of(g);
}

template <class R>
__global__ void laplacian_kernel(Domain box, Stencil stencil, const R* field, R* laplacian) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Near near(box, s.i, s.j, s.k);
  laplacian[near.site(0, 0, 0)] =
      differences<R>(stencil, [&](int x, int y, int z) { return field[near.site(x, y, z)]; }).laplacian;
}

// In place it is collision and propagation; where the populations are in their own slots and stay there, a collision.
template <bool propagates, class S, class R>
__global__ void __launch_bounds__(threads) collide_kernel(Domain box, Coefficients<R> k, Populations<S> at,
                                                          const R* __restrict__ phi, const R* __restrict__ laplacian) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Surroundings around(box, s.i, s.j, s.k);
  const bool odd = propagates && at.odd;
  R f[velocities], g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t place = around.place(p, odd, at.stride);
    f[p] = static_cast<R>(at.f[place]);
    g[p] = static_cast<R>(at.g[place]);
  }
  const auto differences_of = [&](const R* field) {
    return differences<R>(k.stencil(), [&](int x, int y, int z) { return field[around.near.site(x, y, z)]; });
  };
  const Differences<R> d = differences_of(phi);
  Differences<R> second;
  if (k.brazovskii) second = differences_of(laplacian);
  collide_populations(k, d, second, f, g);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const int back = propagates ? lattice::opposite(p) : p;
    const std::int64_t place = around.place(back, odd, at.stride);
    if (propagates && around.beyond != 0) f[p] = f[p] + static_cast<R>(around.push(box, back));
    at.f[place] = static_cast<S>(f[p]);
    at.g[place] = static_cast<S>(g[p]);
  }
}

template <class S>
__global__ void propagate_kernel(Domain box, Populations<S> from, Populations<S> to) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Surroundings around(box, s.i, s.j, s.k);
  const std::int64_t here = around.near.site(0, 0, 0);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const int x = -lattice::c(p, 0), y = -lattice::c(p, 1), z = -lattice::c(p, 2);
    const bool wall = around.beyond != 0 && around.wall(x, y, z);
    const std::int64_t place =
        wall ? lattice::opposite(p) * from.stride + here : p * from.stride + around.near.site(x, y, z);
    to.f[p * to.stride + here] = from.f[place] + (wall ? static_cast<S>(around.push(box, p)) : S(0));
    to.g[p * to.stride + here] = from.g[place];
  }
}

template <class From, class To>
__global__ void copy_kernel(Domain box, Populations<From> from, Populations<To> to) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Surroundings around(box, s.i, s.j, s.k);
  const std::int64_t here = around.near.site(0, 0, 0);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t place = around.place(p, from.odd, from.stride);
    to.f[p * to.stride + here] = static_cast<To>(from.f[place]);
    to.g[p * to.stride + here] = static_cast<To>(from.g[place]);
  }
}

template <class S, class R>
__global__ void enter_kernel(Domain box, Coefficients<R> k, Populations<double> from, const R* phi, S* to,
                             std::int64_t stride) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Near near(box, s.i, s.j, s.k);
  const std::int64_t here = near.site(0, 0, 0);
  R f[velocities], g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    f[p] = static_cast<R>(from.f[p * from.stride + here]);
    g[p] = static_cast<R>(from.g[p * from.stride + here]);
  }
  const Differences<R> d = differences<R>(k.stencil(), [&](int x, int y, int z) { return phi[near.site(x, y, z)]; });
  store_collided(to, stride, here, collide(k, moments_of(f, g), d, Differences<R>{}));
}

template <class S, class R>
__global__ void leave_kernel(Domain box, Coefficients<R> k, const S* from, std::int64_t stride,
                             Populations<double> to) {
  const Site s;
  if (s.i >= box.n[0]) return;
  const Near near(box, s.i, s.j, s.k);
  R f[velocities], g[velocities];
  leaving(k, load_collided<S, R>(from, stride, near.site(0, 0, 0)), f, g);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t place = p * to.stride + near.site(lattice::c(p, 0), lattice::c(p, 1), lattice::c(p, 2));
    to.f[place] = static_cast<double>(f[p]);
    to.g[place] = static_cast<double>(g[p]);
  }
}

}  // namespace

template <class S, class R>
void phi_pass(const Domain& box, const Populations<S>& at, R* phi, const core::Stream& stream) {
  phi_kernel<S, R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, at, phi);
  core::check(cudaGetLastError());
}
template <class R>
void laplacian_pass(const Domain& box, Stencil stencil, const R* field, R* laplacian, const core::Stream& stream) {
  laplacian_kernel<R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, stencil, field, laplacian);
  core::check(cudaGetLastError());
}
template <class S, class R>
void in_place_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                   const R* laplacian, const core::Stream& stream) {
  collide_kernel<true, S, R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, k, at, phi, laplacian);
  core::check(cudaGetLastError());
}
template <class S, class R>
void collide_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                  const R* laplacian, const core::Stream& stream) {
  collide_kernel<false, S, R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, k, at, phi, laplacian);
  core::check(cudaGetLastError());
}
template <class S>
void propagate_pass(const Domain& box, const Populations<S>& from, const Populations<S>& to,
                    const core::Stream& stream) {
  propagate_kernel<S><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, from, to);
  core::check(cudaGetLastError());
}
template <class From, class To>
void copy_pass(const Domain& box, const Populations<From>& from, const Populations<To>& to,
               const core::Stream& stream) {
  copy_kernel<From, To><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, from, to);
  core::check(cudaGetLastError());
}
template <class S, class R>
void enter_pass(const Domain& box, const Coefficients<R>& k, const Populations<double>& from, const R* phi, S* to,
                std::int64_t stride, const core::Stream& stream) {
  enter_kernel<S, R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, k, from, phi, to, stride);
  core::check(cudaGetLastError());
}
template <class S, class R>
void leave_pass(const Domain& box, const Coefficients<R>& k, const S* from, std::int64_t stride,
                const Populations<double>& to, const core::Stream& stream) {
  leave_kernel<S, R><<<grid_of(box), threads_of(box), 0, stream.get()>>>(box, k, from, stride, to);
  core::check(cudaGetLastError());
}

template void phi_pass(const Domain&, const Populations<double>&, double*, const core::Stream&);
template void phi_pass(const Domain&, const Populations<float>&, float*, const core::Stream&);
template void phi_pass(const Domain&, const Populations<float>&, double*, const core::Stream&);
template void phi_pass(const Domain&, const Populations<double>&, float*, const core::Stream&);
template void laplacian_pass(const Domain&, Stencil, const double*, double*, const core::Stream&);
template void laplacian_pass(const Domain&, Stencil, const float*, float*, const core::Stream&);
#define SPEEDWELL_PASSES(S, R)                                                                                        \
  template void in_place_pass(const Domain&, const Coefficients<R>&, const Populations<S>&, const R*, const R*,       \
                              const core::Stream&);                                                                   \
  template void collide_pass(const Domain&, const Coefficients<R>&, const Populations<S>&, const R*, const R*,        \
                             const core::Stream&);                                                                    \
  template void enter_pass(const Domain&, const Coefficients<R>&, const Populations<double>&, const R*, S*,           \
                           std::int64_t, const core::Stream&);                                                        \
  template void leave_pass(const Domain&, const Coefficients<R>&, const S*, std::int64_t, const Populations<double>&, \
                           const core::Stream&);
SPEEDWELL_PASSES(double, double)
SPEEDWELL_PASSES(float, float)
SPEEDWELL_PASSES(float, double)
#undef SPEEDWELL_PASSES
template void propagate_pass(const Domain&, const Populations<double>&, const Populations<double>&,
                             const core::Stream&);
template void propagate_pass(const Domain&, const Populations<float>&, const Populations<float>&, const core::Stream&);
template void copy_pass(const Domain&, const Populations<double>&, const Populations<double>&, const core::Stream&);
template void copy_pass(const Domain&, const Populations<double>&, const Populations<float>&, const core::Stream&);
template void copy_pass(const Domain&, const Populations<float>&, const Populations<double>&, const core::Stream&);

}  // namespace speedwell::binary_fluid::device
