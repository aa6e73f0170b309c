#include <algorithm>

#include "speedwell/apps/binary_fluid/gpu/march.hpp"
#include "speedwell/apps/binary_fluid/gpu/passes.hpp"

namespace speedwell::binary_fluid::device {
namespace {

template <class T, class March>
__device__ void march(const March& m, int planes, int first, int end, typename March::Lane& lane,
                      unsigned char* memory) {
  using R = std::remove_reference_t<decltype(lane.g[0])>;
  auto* const shared = reinterpret_cast<R*>(memory);
  const int t = threadIdx.x;
  lane.column = Column::of(m.box, T{}, t, static_cast<int>(blockIdx.x) * T::tx, static_cast<int>(blockIdx.y) * T::ty);
  const int z0 = first + static_cast<int>(blockIdx.z) * planes, z1 = min(z0 + planes, end);
  for (int plane = z0 - 1; plane <= z1; ++plane) {
    if (lane.column.has) m.emit(lane, t, plane, shared);
    __syncthreads();
    if (lane.column.inner) m.absorb(lane, t, plane, z0, z1, shared);
    __syncthreads();
  }
}

template <class T, int blocks, class March>
__global__ void __launch_bounds__(T::threads, blocks)
    march_kernel(const __grid_constant__ March m, int planes, int first, int end) {
  extern __shared__ __align__(16) unsigned char memory[];
  typename March::Lane lane{};
  march<T>(m, planes, first, end, lane, memory);
}

// Long marches recompute fewer planes; short ones leave fewer multiprocessors idle at the end.
int planes_of(int nz, int tiles, int blocks) {
  const int processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  const int at_once = processors * blocks;
  int best = nz;
  double least = 1e300;
  for (int planes = std::min(nz, 8); planes <= nz; ++planes) {
    const int all = tiles * ((nz + planes - 1) / planes);
    const double time = static_cast<double>((all + at_once - 1) / at_once) * (planes + 2);
    if (time < least) least = time, best = planes;
  }
  return best;
}

template <class T, int blocks, class March>
void launch(const March& m, const Planes& wanted, const core::Stream& stream) {
  using R = std::remove_reference_t<decltype(typename March::Lane{}.g[0])>;
  constexpr std::size_t bytes = March::shared_words * sizeof(R);
  // Before every launch, because the attribute is set for the current device alone.
  core::check(cudaFuncSetAttribute(march_kernel<T, blocks, March>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
  const int across = (m.box.n[0] + T::tx - 1) / T::tx, along = (m.box.n[1] + T::ty - 1) / T::ty;
  const Planes all = wanted.within(m.box);
  const int planes = planes_of(all.size(), across * along, blocks);
  const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(along),
                  static_cast<unsigned>((all.size() + planes - 1) / planes));
  march_kernel<T, blocks, March><<<grid, T::threads, bytes, stream.get()>>>(m, planes, all.begin, all.end);
  core::check(cudaGetLastError());
}

}  // namespace

template <class S, class R>
void phi_march(const Domain& box, const Coefficients<R>& k, const S* from, std::int64_t stride, R* phi,
               const core::Stream& stream, Planes planes) {
  using T = std::conditional_t<sizeof(R) == 8, Tile<32, 14>, Tile<32, 8>>;
  launch<T, sizeof(R) == 8 ? 2 : 4>(PhiMarch<S, R, T>{box, k, from, phi, stride}, planes, stream);
}
template <class S, class R>
void step_march(const Domain& box, const Coefficients<R>& k, const S* from, S* to, std::int64_t stride, const R* phi,
                const core::Stream& stream, Planes planes) {
  // One block per SM, and for f64 only as many threads as can keep a whole site in registers: spilling costs more than
  // the occupancy gains.
  using T = std::conditional_t<sizeof(R) == 8, Tile<32, 8>, Tile<32, 14>>;
  launch<T, 1>(StepMarch<S, R, T>{box, k, from, to, phi, stride}, planes, stream);
}

#define SPEEDWELL_MARCHES(S, R)                                                                                   \
  template void phi_march(const Domain&, const Coefficients<R>&, const S*, std::int64_t, R*, const core::Stream&, \
                          Planes);                                                                                \
  template void step_march(const Domain&, const Coefficients<R>&, const S*, S*, std::int64_t, const R*,           \
                           const core::Stream&, Planes);
SPEEDWELL_MARCHES(double, double)
SPEEDWELL_MARCHES(float, float)
SPEEDWELL_MARCHES(float, double)
#undef SPEEDWELL_MARCHES

}  // namespace speedwell::binary_fluid::device
