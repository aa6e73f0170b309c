// All of FT except its transforms, with one thread per point or term.
#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/terms.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ft {
namespace {

constexpr int threads_per_block = 256;

unsigned blocks_of(const Operands& p) {
  return static_cast<unsigned>(core::blocks_for(points(p.problem), threads_per_block));
}

__device__ std::int64_t thread_of_grid() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

// The cost of a jump grows with the number of bits of its length. Hence a thread computes several points, `stride`
// numbers apart. u begins at point `first` of the field.
__global__ void initial_kernel(std::int64_t first, std::int64_t points, double2* u) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::uint64_t stride = jump(static_cast<std::uint64_t>(2 * threads));
  std::uint64_t before = product(jump(static_cast<std::uint64_t>(2 * (first + thread_of_grid()))), seed);
  for (std::int64_t i = thread_of_grid(); i < points; i += threads, before = product(stride, before)) {
    Random random(before);
    const double re = random.next();
    u[i] = {re, random.next()};
  }
}

// exponent = -4 alpha pi^2.
__global__ void factor_kernel(Problem p, double exponent, double* factors) {
  const std::int64_t i = thread_of_grid();
  if (i >= points(p)) return;
  const double x = wave_number(i % p.nx, p.nx), y = wave_number(i / p.nx % p.ny, p.ny);
  const double z = wave_number(i / p.nx / p.ny, p.nz);
  factors[i] = exp(exponent * (x * x + y * y + z * z));
}

__global__ void evolve_kernel(std::int64_t points, const double* factors, double2* modes, double2* field) {
  const std::int64_t i = thread_of_grid();
  if (i >= points) return;
  const double factor = factors[i];
  const double2 z = {modes[i].x * factor, modes[i].y * factor};
  modes[i] = z;
  field[i] = z;
}

__global__ void checksum_kernel(Problem p, const double2* field, double2* checksum) {
  const GridPoint at = point_of_term(p, static_cast<int>(threadIdx.x) + 1);
  block_reduce_terms(field[(at.z * p.ny + at.y) * p.nx + at.x], checksum);
}

}  // namespace

void fill_initial(std::int64_t first, std::int64_t count, double2* field, const core::Stream& stream) {
  constexpr std::int64_t points_per_thread = 32;
  const auto blocks = core::blocks_for(count, threads_per_block * points_per_thread);
  initial_kernel<<<static_cast<unsigned>(blocks), threads_per_block, 0, stream.get()>>>(first, count, field);
  core::check(cudaGetLastError());
}
void fill_initial(const Operands& p, const core::Stream& stream) {
  fill_initial(0, points(p.problem), p.field, stream);
}

void fill_factors(const Operands& p, const core::Stream& stream) {
  factor_kernel<<<blocks_of(p), threads_per_block, 0, stream.get()>>>(p.problem, decay_exponent, p.factors);
  core::check(cudaGetLastError());
}

void evolve(const Operands& p, const core::Stream& stream) {
  evolve_kernel<<<blocks_of(p), threads_per_block, 0, stream.get()>>>(points(p.problem), p.factors, p.modes, p.field);
  core::check(cudaGetLastError());
}

void add_checksum(const Operands& p, int t, const core::Stream& stream) {
  checksum_kernel<<<1, checksum_points, 0, stream.get()>>>(p.problem, p.field, p.checksums + t - 1);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::npb::ft
