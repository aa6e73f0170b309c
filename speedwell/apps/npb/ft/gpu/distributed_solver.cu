// The memory and the run of DistributedGpuSolver.
#include <cstdint>

#include "speedwell/apps/npb/ft/gpu/fused.hpp"
#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"
#include "speedwell/apps/npb/ft/gpu_distributed.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/numerics/fft/ranks/gpu_distributed.hpp"
#include "speedwell/numerics/fft/ranks/gpu_samples.hpp"

namespace speedwell::npb::ft {

struct DistributedGpuSolver::State {
  State(const comm::Communicator& all, const Problem& p, const GpuRanksOptions& options)
      : ranks(all),
        problem(p),
        samples(ranks, shape_of(p), sample_positions(p),
                {.transport = options.transport, .store_blocks = options.store_blocks}),
        forward(ranks, shape_of(p), {.transport = samples.transport()}),
        modes(static_cast<std::size_t>(samples.spectrum_points())),
        terms(static_cast<std::size_t>(p.iterations * samples.samples())),
        decay(static_cast<std::size_t>(p.iterations * samples.weights())),
        on_device(static_cast<std::size_t>(p.iterations)),
        on_host(on_device.size()) {}

  const comm::Communicator& ranks;
  Problem problem;
  fft::GpuDistributedSamples<double> samples;  // its work space is the initial field
  fft::GpuDistributedPlan<double> forward;
  core::DeviceBuffer<Complex> modes;
  core::DeviceBuffer<Complex> terms;  // of all steps; those of other ranks are 0
  core::DeviceBuffer<double> decay;
  core::DeviceBuffer<Complex> on_device;
  core::PinnedBuffer<Complex> on_host;
  double sum_seconds = 0;
};

DistributedGpuSolver::DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem,
                                           const GpuRanksOptions& options) {
  require_powers_of_two(problem);
  state_ = std::make_unique<State>(ranks, problem, options);
}

Checksums DistributedGpuSolver::run(const core::Stream& stream) {
  State& s = *state_;
  const Problem& p = s.problem;
  const comm::Range planes = s.samples.array_tiles()[static_cast<std::size_t>(s.ranks.rank())].ranges[0];
  const std::int64_t plane = p.nx * p.ny;
  const std::span<Complex> field = s.samples.work();
  fill_decay(p, s.decay.data(), stream);
  core::fill_bytes_async(s.terms, 0, stream);
  fill_initial(planes.begin * plane, planes.size() * plane, vectors(field.data()), stream);
  s.forward.forward(field, s.modes.span(), stream);
  s.samples.transform(fft::Direction::backward, s.modes.span(), s.decay.span(), s.terms.span(), stream);
  reduce_terms(vectors(s.terms.data()), vectors(s.on_device.data()), p.iterations, stream);
  core::copy_async(s.on_host.data(), s.on_device.data(), s.on_device.size(), stream);
  s.forward.check(stream);
  s.samples.check(stream);

  const comm::Timer timer(s.sum_seconds);
  Checksums checksums(s.on_host.span().begin(), s.on_host.span().end());
  comm::sum_in_order(s.ranks, std::span<double>(reinterpret_cast<double*>(checksums.data()), 2 * checksums.size()));
  for (Complex& sum : checksums) sum /= static_cast<double>(points(p));
  return checksums;
}

comm::Transport DistributedGpuSolver::transport() const { return state_->samples.transport(); }
int DistributedGpuSolver::store_blocks() const { return state_->samples.store_blocks(); }
double DistributedGpuSolver::exchange_seconds() const {
  return state_->forward.exchange_seconds() + state_->samples.exchange_seconds() + state_->sum_seconds;
}
std::vector<std::span<std::byte>> DistributedGpuSolver::device_work() {
  State& s = *state_;
  std::vector<std::span<std::byte>> all = {std::as_writable_bytes(s.samples.work())};
  for (core::DeviceBuffer<Complex>* array : {&s.modes, &s.terms, &s.on_device})
    all.push_back(std::as_writable_bytes(array->span()));
  all.push_back(std::as_writable_bytes(s.decay.span()));
  return all;
}
std::span<DistributedGpuSolver::Complex> DistributedGpuSolver::pinned_result() { return state_->on_host.span(); }

}  // namespace speedwell::npb::ft
