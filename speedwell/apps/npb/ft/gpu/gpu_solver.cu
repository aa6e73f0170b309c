// The memory, the time loop and the copies of GpuSolver: FT with kernels of their own for every part of a time step:
// the evolution of the modes, the inverse transform, and the checksum. The steps of the study differ in `transform`
// only.
#include <algorithm>
#include <complex>

#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"
#include "speedwell/apps/npb/ft/gpu_solver.hpp"

namespace speedwell::npb::ft {
namespace {

/// Roots of unity of the largest extent; those of the smaller ones, all powers of two, are every second, fourth, ... of
/// them.
std::vector<std::complex<double>> table_of(const Problem& p) { return roots_of(std::max({p.nx, p.ny, p.nz})); }

}  // namespace

struct GpuSolver::State {
  Transform* transform;
  Operands operands;
  // The modes, the field and two work spaces of the transforms, [nz][ny][nx] each; roots; a checksum for each time
  // step, times the number of points.
  core::DeviceBuffer<double2> arrays[4], roots, on_device;
  core::DeviceBuffer<double> factors;  // of one time step, [nz][ny][nx]
  core::PinnedBuffer<double2> on_host;
};

GpuSolver::GpuSolver(const Problem& problem, std::string_view step) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.transform = transform_of(step);
  require_powers_of_two(problem);
  s.operands.problem = problem;
  const auto n = static_cast<std::size_t>(points(problem));
  for (core::DeviceBuffer<double2>& array : s.arrays) array = core::DeviceBuffer<double2>(n);
  s.factors = core::DeviceBuffer<double>(n);
  s.roots = core::DeviceBuffer<double2>(table_of(problem).size());
  s.on_device = core::DeviceBuffer<double2>(static_cast<std::size_t>(problem.iterations));
  s.on_host = core::PinnedBuffer<double2>(s.on_device.size());
  s.operands.modes = s.arrays[0].data();
  s.operands.field = s.arrays[1].data();
  s.operands.work[0] = s.arrays[2].data();
  s.operands.work[1] = s.arrays[3].data();
  s.operands.factors = s.factors.data();
  s.operands.roots = s.roots.data();
  s.operands.checksums = s.on_device.data();
}

void GpuSolver::upload(const core::Stream& stream) {
  const std::vector<std::complex<double>> table = table_of(state_->operands.problem);
  core::check(
      cudaMemcpyAsync(state_->roots.data(), table.data(), state_->roots.bytes(), cudaMemcpyDefault, stream.get()));
  stream.synchronize();
}
void GpuSolver::run(const core::Stream& stream) {
  State& s = *state_;
  fill_factors(s.operands, stream);
  fill_initial(s.operands, stream);
  s.transform(s.operands, s.operands.field, s.operands.modes, false, stream);
  for (int t = 1; t <= s.operands.problem.iterations; ++t) {
    evolve(s.operands, stream);
    s.transform(s.operands, s.operands.field, s.operands.field, true, stream);
    add_checksum(s.operands, t, stream);
  }
  core::copy_async(s.on_host.data(), s.on_device.data(), s.on_device.size(), stream);
}
Checksums GpuSolver::result() const {
  Checksums checksums;
  const auto scale = static_cast<double>(points(state_->operands.problem));
  for (const double2& sum : state_->on_host.span()) checksums.push_back(std::complex<double>(sum.x, sum.y) / scale);
  return checksums;
}

std::span<double2> GpuSolver::device_field() { return state_->arrays[1].span(); }
std::vector<std::span<std::byte>> GpuSolver::device_work() {
  std::vector<std::span<std::byte>> all;
  for (core::DeviceBuffer<double2>& array : state_->arrays) all.push_back(std::as_writable_bytes(array.span()));
  all.push_back(std::as_writable_bytes(state_->factors.span()));
  all.push_back(std::as_writable_bytes(state_->on_device.span()));
  return all;
}
std::span<double2> GpuSolver::pinned_result() { return state_->on_host.span(); }

}  // namespace speedwell::npb::ft
