#include "speedwell/apps/binary_fluid/gpu/passes.hpp"

namespace speedwell::binary_fluid::device {
namespace {

constexpr int threads = 128;

dim3 threads_of(const Domain& box) { return dim3(box.n[0] >= threads ? threads : (box.n[0] + 31) / 32 * 32); }
dim3 grid_of(const Domain& box, const Planes& planes) {
  const unsigned wide = threads_of(box).x;
  return {(static_cast<unsigned>(box.n[0]) + wide - 1) / wide, static_cast<unsigned>(box.n[1]),
          static_cast<unsigned>(planes.size())};
}

/// Calls body(i, j, k) for every site of the planes from `first` on, one thread per site.
template <class Body>
__global__ void __launch_bounds__(threads)
    each_site_kernel(std::int32_t nx, std::int32_t first, const __grid_constant__ Body body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < nx) body(i, static_cast<int>(blockIdx.y), first + static_cast<int>(blockIdx.z));
}
template <class Body>
void each_site(const Domain& box, const Planes& wanted, const core::Stream& stream, const Body& body) {
  const Planes planes = wanted.within(box);
  each_site_kernel<<<grid_of(box, planes), threads_of(box), 0, stream.get()>>>(box.n[0], planes.begin, body);
  core::check(cudaGetLastError());
}

}  // namespace

template <class S, class R>
void phi_pass(const Domain& box, const Populations<S>& at, R* phi, const core::Stream& stream, Planes planes) {
  each_site(box, planes, stream, [=] __device__(int i, int j, int z) { phi_site(box, at, phi, i, j, z); });
}
template <class R>
void laplacian_pass(const Domain& box, Stencil stencil, const R* field, R* laplacian, const core::Stream& stream,
                    Planes planes) {
  each_site(box, planes, stream,
            [=] __device__(int i, int j, int z) { laplacian_site(box, stencil, field, laplacian, i, j, z); });
}
template <class S, class R>
void in_place_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                   const R* laplacian, const core::Stream& stream, Planes planes) {
  each_site(box, planes, stream,
            [=] __device__(int i, int j, int z) { collide_site<true>(box, k, at, phi, laplacian, i, j, z); });
}
template <class S, class R>
void collide_pass(const Domain& box, const Coefficients<R>& k, const Populations<S>& at, const R* phi,
                  const R* laplacian, const core::Stream& stream, Planes planes) {
  each_site(box, planes, stream,
            [=] __device__(int i, int j, int z) { collide_site<false>(box, k, at, phi, laplacian, i, j, z); });
}
template <class S>
void propagate_pass(const Domain& box, const Populations<S>& from, const Populations<S>& to, const core::Stream& stream,
                    Planes planes) {
  each_site(box, planes, stream, [=] __device__(int i, int j, int z) { propagate_site(box, from, to, i, j, z); });
}
template <class From, class To>
void copy_pass(const Domain& box, const Populations<From>& from, const Populations<To>& to, const core::Stream& stream,
               Planes planes) {
  each_site(box, planes, stream, [=] __device__(int i, int j, int z) { copy_site(box, from, to, i, j, z); });
}
template <class S, class R>
void enter_pass(const Domain& box, const Coefficients<R>& k, const Populations<double>& from, const R* phi, S* to,
                std::int64_t stride, const core::Stream& stream, Planes planes) {
  each_site(box, planes, stream,
            [=] __device__(int i, int j, int z) { enter_site(box, k, from, phi, to, stride, i, j, z); });
}
template <class S, class R>
void leave_pass(const Domain& box, const Coefficients<R>& k, const S* from, std::int64_t stride,
                const Populations<double>& to, const core::Stream& stream, Planes planes) {
  each_site(box, planes, stream,
            [=] __device__(int i, int j, int z) { leave_site(box, k, from, stride, to, i, j, z); });
}

template <class S>
void pack_crossing_pass(const Domain& box, const CrossingFaces& faces, Crossing direction, const Populations<S>& at,
                        S* field, const core::Stream& stream) {
  Domain sides = box;
  sides.n[2] = 2;
  each_site(sides, all_planes, stream,
            [=] __device__(int i, int j, int side) { pack_crossing(box, faces, direction, at, field, i, j, side); });
}
template <class S>
void unpack_crossing_pass(const Domain& box, const CrossingFaces& faces, Crossing direction, const S* field,
                          const Populations<S>& at, const core::Stream& stream) {
  Domain sides = box;
  sides.n[2] = 2;
  each_site(sides, all_planes, stream,
            [=] __device__(int i, int j, int side) { unpack_crossing(box, faces, direction, field, at, i, j, side); });
}

template void phi_pass(const Domain&, const Populations<double>&, double*, const core::Stream&, Planes);
template void phi_pass(const Domain&, const Populations<float>&, float*, const core::Stream&, Planes);
template void phi_pass(const Domain&, const Populations<float>&, double*, const core::Stream&, Planes);
template void phi_pass(const Domain&, const Populations<double>&, float*, const core::Stream&, Planes);
template void laplacian_pass(const Domain&, Stencil, const double*, double*, const core::Stream&, Planes);
template void laplacian_pass(const Domain&, Stencil, const float*, float*, const core::Stream&, Planes);
#define SPEEDWELL_PASSES(S, R)                                                                                        \
  template void in_place_pass(const Domain&, const Coefficients<R>&, const Populations<S>&, const R*, const R*,       \
                              const core::Stream&, Planes);                                                           \
  template void collide_pass(const Domain&, const Coefficients<R>&, const Populations<S>&, const R*, const R*,        \
                             const core::Stream&, Planes);                                                            \
  template void enter_pass(const Domain&, const Coefficients<R>&, const Populations<double>&, const R*, S*,           \
                           std::int64_t, const core::Stream&, Planes);                                                \
  template void leave_pass(const Domain&, const Coefficients<R>&, const S*, std::int64_t, const Populations<double>&, \
                           const core::Stream&, Planes);
SPEEDWELL_PASSES(double, double)
SPEEDWELL_PASSES(float, float)
SPEEDWELL_PASSES(float, double)
#undef SPEEDWELL_PASSES
#define SPEEDWELL_CROSSING(S)                                                                                        \
  template void pack_crossing_pass(const Domain&, const CrossingFaces&, Crossing, const Populations<S>&, S*,         \
                                   const core::Stream&);                                                             \
  template void unpack_crossing_pass(const Domain&, const CrossingFaces&, Crossing, const S*, const Populations<S>&, \
                                     const core::Stream&);
SPEEDWELL_CROSSING(double)
SPEEDWELL_CROSSING(float)
#undef SPEEDWELL_CROSSING
template void propagate_pass(const Domain&, const Populations<double>&, const Populations<double>&, const core::Stream&,
                             Planes);
template void propagate_pass(const Domain&, const Populations<float>&, const Populations<float>&, const core::Stream&,
                             Planes);
template void copy_pass(const Domain&, const Populations<double>&, const Populations<double>&, const core::Stream&,
                        Planes);
template void copy_pass(const Domain&, const Populations<double>&, const Populations<float>&, const core::Stream&,
                        Planes);
template void copy_pass(const Domain&, const Populations<float>&, const Populations<double>&, const core::Stream&,
                        Planes);

}  // namespace speedwell::binary_fluid::device
