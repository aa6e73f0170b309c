// The memory, the time loop and the copies of FusedGpuSolver. In every time step the first pass of the inverse
// transform multiplies the modes by their decay as it loads them, and the last pass stores only the points of the
// checksum: neither the decayed modes nor the field are written to memory.
#include <cstdint>

#include "speedwell/apps/npb/ft/gpu/fused.hpp"
#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"
#include "speedwell/apps/npb/ft/gpu_fused_solver.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::npb::ft {
namespace {

using Complex = FusedGpuSolver::Complex;

}  // namespace

struct FusedGpuSolver::State {
  explicit State(const Problem& p)
      : problem(p),
        modes(static_cast<std::size_t>(points(p))),
        field(modes.size()),
        forward(shape_of(p)),
        backward(shape_of(p), sample_positions(p)),
        terms(static_cast<std::size_t>(backward.samples())),
        decay(static_cast<std::size_t>(p.iterations * backward.weights())),
        on_device(static_cast<std::size_t>(p.iterations)),
        on_host(on_device.size()) {}

  Problem problem;
  // U, and the initial field, which is work space of the inverse transforms after the forward one: [nz][ny][nx] each.
  core::DeviceBuffer<Complex> modes, field;
  fft::GpuPlan<double> forward;
  fft::GpuSampledPlan<double> backward;
  core::DeviceBuffer<Complex> terms;      // the points of the checksum of one time step, in the order of the sum
  core::DeviceBuffer<double> decay;       // [iterations][nz + ny + nx]: fill_decay()
  core::DeviceBuffer<Complex> on_device;  // a checksum for each time step, times the number of points
  core::PinnedBuffer<Complex> on_host;
};

FusedGpuSolver::FusedGpuSolver(const Problem& problem) {
  require_powers_of_two(problem);
  state_ = std::make_unique<State>(problem);
}

void FusedGpuSolver::run(const core::Stream& stream) {
  State& s = *state_;
  fill_decay(s.problem, s.decay.data(), stream);
  fill_initial({.problem = s.problem, .field = vectors(s.field.data())}, stream);
  s.forward.forward(s.field.span(), s.modes.span(), stream);
  const auto weights = static_cast<std::size_t>(s.backward.weights());
  for (std::size_t step = 0; step < s.on_device.size(); ++step) {
    s.backward.transform(fft::Direction::backward, s.modes.span(), s.decay.span().subspan(step * weights, weights),
                         s.field.span(), s.terms.span(), stream);
    reduce_terms(vectors(s.terms.data()), vectors(s.on_device.data()) + step, 1, stream);
  }
  core::copy_async(s.on_host.data(), s.on_device.data(), s.on_device.size(), stream);
}
Checksums FusedGpuSolver::result() const {
  Checksums checksums;
  const auto scale = static_cast<double>(points(state_->problem));
  for (const Complex& sum : state_->on_host.span()) checksums.push_back(sum / scale);
  return checksums;
}

std::span<const Complex> FusedGpuSolver::device_modes() const { return state_->modes.span(); }
std::vector<std::span<std::byte>> FusedGpuSolver::device_work() {
  std::vector<std::span<std::byte>> all;
  for (core::DeviceBuffer<Complex>* array : {&state_->modes, &state_->field, &state_->terms, &state_->on_device})
    all.push_back(std::as_writable_bytes(array->span()));
  all.push_back(std::as_writable_bytes(state_->decay.span()));
  return all;
}
std::span<Complex> FusedGpuSolver::pinned_result() { return state_->on_host.span(); }

}  // namespace speedwell::npb::ft
