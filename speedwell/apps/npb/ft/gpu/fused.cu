#include "speedwell/apps/npb/ft/gpu/fused.hpp"
#include "speedwell/apps/npb/ft/gpu/terms.hpp"

namespace speedwell::npb::ft {
namespace {

// One block per time step.
__global__ void decay_kernel(Problem p, double exponent, double* decay) {
  const std::int64_t size = p.nx + p.ny + p.nz;
  const double t = blockIdx.x + 1;
  for (std::int64_t i = threadIdx.x; i < size; i += blockDim.x) {
    const std::int64_t n = i < p.nz ? p.nz : i < p.nz + p.ny ? p.ny : p.nx;
    const std::int64_t index = i < p.nz ? i : i < p.nz + p.ny ? i - p.nz : i - p.nz - p.ny;
    const double k = wave_number(index, n);
    decay[blockIdx.x * size + i] = exp(exponent * (k * k) * t);
  }
}

__global__ void reduce_terms_kernel(const double2* terms, double2* checksum) {
  block_reduce_terms(terms[threadIdx.x], checksum);
}

}  // namespace

void fill_decay(const Problem& problem, double* decay, const core::Stream& stream) {
  decay_kernel<<<static_cast<unsigned>(problem.iterations), 1024, 0, stream.get()>>>(problem, decay_exponent, decay);
  core::check(cudaGetLastError());
}

void reduce_terms(const double2* terms, double2* checksum, const core::Stream& stream) {
  reduce_terms_kernel<<<1, checksum_points, 0, stream.get()>>>(terms, checksum);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::npb::ft
