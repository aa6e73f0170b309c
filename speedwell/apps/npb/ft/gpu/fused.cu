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

// One block per time step.
__global__ void reduce_terms_kernel(const double2* terms, double2* checksums) {
  block_reduce_terms(terms[blockIdx.x * checksum_points + threadIdx.x], checksums + blockIdx.x);
}

}  // namespace

void fill_decay(const Problem& problem, double* decay, const core::Stream& stream) {
  decay_kernel<<<static_cast<unsigned>(problem.iterations), 1024, 0, stream.get()>>>(problem, decay_exponent, decay);
  core::check(cudaGetLastError());
}

void reduce_terms(const double2* terms, double2* checksums, int steps, const core::Stream& stream) {
  reduce_terms_kernel<<<static_cast<unsigned>(steps), checksum_points, 0, stream.get()>>>(terms, checksums);
  core::check(cudaGetLastError());
}

std::vector<std::int64_t> sample_positions(const Problem& problem) {
  std::vector<std::int64_t> positions;
  for (int q = 1; q <= checksum_points; ++q) {
    const GridPoint at = point_of_term(problem, q);
    positions.push_back((at.z * problem.ny + at.y) * problem.nx + at.x);
  }
  return positions;
}

}  // namespace speedwell::npb::ft
