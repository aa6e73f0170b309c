// Two kernels with a pass over the sites each: one reduces their statistics to one value per block, which the host adds
// up, and the other computes density, phi and velocity.
#include <algorithm>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu/sums.hpp"

namespace speedwell::binary_fluid::device {
namespace {

constexpr int threads = 128, max_blocks = 1024;

template <class S, class R>
__global__ void __launch_bounds__(threads)
    sums_kernel(const __grid_constant__ Domain box, const __grid_constant__ SumsProblem k, Populations<S> at,
                const R* phi, std::int64_t first, std::int64_t end, SiteSums* block_sums) {
  SiteSums mine = SiteSums::none();
  for (std::int64_t s = first + blockIdx.x * std::int64_t{threads} + threadIdx.x; s < end;
       s += std::int64_t{gridDim.x} * threads)
    mine.add(sums_at(box, k, at, phi, static_cast<int>(s % box.n[0]), static_cast<int>(s / box.n[0] % box.n[1]),
                     static_cast<int>(s / box.n[0] / box.n[1])));
  __shared__ SiteSums thread_sums[threads];
  thread_sums[threadIdx.x] = mine;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) thread_sums[threadIdx.x].add(thread_sums[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) block_sums[blockIdx.x] = thread_sums[0];
}

template <class S>
__global__ void __launch_bounds__(threads)
    fields_kernel(const __grid_constant__ Domain box, const __grid_constant__ SumsProblem k, Populations<S> at,
                  double* density, double* phi, double* velocity) {
  const std::int64_t s = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (s >= box.sites()) return;
  const Surroundings around(box, static_cast<int>(s % box.n[0]), static_cast<int>(s / box.n[0] % box.n[1]),
                            static_cast<int>(s / box.n[0] / box.n[1]));
  const SiteMoments m = moments_at(around, at);
  density[s] = m.r;
  phi[s] = m.phi;
  for (int d = 0; d < 3; ++d) velocity[3 * s + d] = (m.m[d] + k.half_force[d]) / (1 + m.r);
}

}  // namespace

template <class S, class R>
SiteSums sums(const Domain& box, const SumsProblem& k, const Populations<S>& at, const R* phi,
              const core::Stream& stream, Planes planes) {
  const std::int64_t plane = std::int64_t{box.n[0]} * box.n[1];
  const std::int64_t first = planes.begin * plane, end = planes.within(box).end * plane;
  const auto blocks = static_cast<int>(std::min<std::int64_t>(core::blocks_for(end - first, threads), max_blocks));
  core::DeviceBuffer<SiteSums> block_sums(static_cast<std::size_t>(blocks));
  sums_kernel<S, R><<<blocks, threads, 0, stream.get()>>>(box, k, at, phi, first, end, block_sums.data());
  core::check(cudaGetLastError());
  std::vector<SiteSums> all(block_sums.size(), SiteSums::none());
  core::copy_async(all.data(), block_sums.data(), all.size(), stream);
  stream.synchronize();
  SiteSums sum = SiteSums::none();
  for (const SiteSums& one : all) sum.add(one);
  return sum;
}

template <class S>
void fields_pass(const Domain& box, const SumsProblem& k, const Populations<S>& at, double* density, double* phi,
                 double* velocity, const core::Stream& stream) {
  fields_kernel<S><<<static_cast<unsigned>(core::blocks_for(box.sites(), threads)), threads, 0, stream.get()>>>(
      box, k, at, density, phi, velocity);
  core::check(cudaGetLastError());
}

template SiteSums sums(const Domain&, const SumsProblem&, const Populations<double>&, const double*,
                       const core::Stream&, Planes);
template SiteSums sums(const Domain&, const SumsProblem&, const Populations<double>&, const float*, const core::Stream&,
                       Planes);
template SiteSums sums(const Domain&, const SumsProblem&, const Populations<float>&, const double*, const core::Stream&,
                       Planes);
template SiteSums sums(const Domain&, const SumsProblem&, const Populations<float>&, const float*, const core::Stream&,
                       Planes);
template void fields_pass(const Domain&, const SumsProblem&, const Populations<double>&, double*, double*, double*,
                          const core::Stream&);
template void fields_pass(const Domain&, const SumsProblem&, const Populations<float>&, double*, double*, double*,
                          const core::Stream&);

}  // namespace speedwell::binary_fluid::device
