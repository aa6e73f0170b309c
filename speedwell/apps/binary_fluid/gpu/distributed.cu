#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu/distributed_slab.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_state.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::binary_fluid {

DistributedGpuFluid::DistributedGpuFluid(const comm::Communicator& ranks, const Problem& problem, Precision precision,
                                         comm::Transport transport)
    : ranks_(ranks),
      problem_(problem),
      division_((require_valid(problem), division_of(problem, ranks.size(), {1, 1, ranks.size()}))),
      lattice_(choose(problem) == Method::moments ? slab_of_moments(ranks, problem, precision, division_, transport)
                                                  : slab_in_place(ranks, problem, precision, division_, transport)) {}
DistributedGpuFluid::DistributedGpuFluid(DistributedGpuFluid&&) noexcept = default;
DistributedGpuFluid::~DistributedGpuFluid() = default;

std::string DistributedGpuFluid::division_text() const { return "1 x 1 x " + std::to_string(division_.ranks()); }

void DistributedGpuFluid::scatter(const State* whole, const core::Stream& stream) {
  saved_step_ = scatter_state(ranks_, problem_, division_, whole, [&](int distribution, int p, const double* own) {
    lattice_->set(distribution, p, own, stream);
  });
  restore(stream);
  stream.synchronize();
}

void DistributedGpuFluid::run(int steps, const core::Stream& stream) {
  if (steps < 1) return;
  lattice_->run(steps, true, stream);
  step_ += steps;
}
void DistributedGpuFluid::exchange_and_run(int steps, const core::Stream& stream) {
  if (steps < 1) return;
  lattice_->run(steps, false, stream);
  step_ += steps;
}

void DistributedGpuFluid::save(const core::Stream& stream) {
  lattice_->save(stream);
  saved_step_ = step_;
}
void DistributedGpuFluid::restore(const core::Stream& stream) {
  lattice_->restore(stream);
  step_ = saved_step_;
}

void DistributedGpuFluid::gather(State* whole, const core::Stream& stream) {
  core::HostBuffer<double> own(2 * velocities * static_cast<std::size_t>(division_.tile(ranks_.rank()).size()));
  lattice_->get(own.data(), stream);
  gather_state(ranks_, problem_, division_, step_, std::as_const(own).span(), whole);
}

Statistics DistributedGpuFluid::statistics(const core::Stream& stream) {
  const SiteSums mine = lattice_->sums(stream);
  std::vector<SiteSums> all(static_cast<std::size_t>(ranks_.size()));
  ranks_.gather(std::span<const SiteSums>(&mine, 1), std::span<SiteSums>(all));
  SiteSums total = all.front();
  for (std::size_t r = 1; r < all.size(); ++r) total.add(all[r]);
  return statistics_of(problem_, total);
}

std::vector<std::span<std::byte>> DistributedGpuFluid::device_work() { return lattice_->device_work(); }
double DistributedGpuFluid::exchange_seconds() const { return lattice_->exchange_seconds(); }
double DistributedGpuFluid::sent_bytes() const { return lattice_->sent_bytes(); }
void DistributedGpuFluid::check(const core::Stream& stream) const { lattice_->check(stream); }

}  // namespace speedwell::binary_fluid
