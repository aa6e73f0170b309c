// The slab of a rank on its GPU, independent of the form in which it stores its sites, and what all forms share: the
// order in which exchanges and planes are computed, and the copy of the state that restore() returns to.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu/passes.hpp"
#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/sums.hpp"
#include "speedwell/apps/binary_fluid/gpu_distributed.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
#include "speedwell/comm/gpu/exposed_time.hpp"

namespace speedwell::binary_fluid {

/// An exchange: start(stream) begins it after the work that is on the stream, and work on the stream comes after
/// finish(stream).
template <class Start, class Finish>
struct Transfer {
  comm::ExposedTime& exposed;  // what was not hidden of all exchanges of this kind
  Start start;
  Finish finish;

  Transfer(comm::ExposedTime& time, Start begin, Finish end) : exposed(time), start(begin), finish(end) {}
};

class DistributedGpuFluid::Lattice {
 public:
  Lattice(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division)
      : slab_(problem, division, ranks.rank()),
        sums_problem_(problem),
        sites_(slab_.box.sites()),
        start_(static_cast<std::size_t>(2 * velocities * sites_)) {}
  virtual ~Lattice() = default;

  /// Sets population p of f (distribution 0) or g (1) of the saved state; waits.
  void set(int distribution, int p, const double* own, const core::Stream& stream) {
    core::copy_async(at_own(start_, distribution * velocities + p), own, own_sites(), stream);
    stream.synchronize();
  }
  virtual void restore(const core::Stream& stream) = 0;
  virtual void save(const core::Stream& stream) = 0;
  virtual void run(int steps, bool overlapped, const core::Stream& stream) = 0;
  /// Copies the populations at the own sites, 19 of f and then 19 of g, to host memory; waits.
  virtual void get(double* own, const core::Stream& stream) = 0;
  /// The sums over the own sites; waits.
  virtual SiteSums sums(const core::Stream& stream) = 0;
  virtual std::vector<std::span<std::byte>> device_work() = 0;
  virtual double exchange_seconds() = 0;
  virtual double sent_bytes() const = 0;
  virtual void check(const core::Stream& stream) const = 0;

 protected:
  /// compute(planes, stream) for all planes of `parts`, with an exchange before those that need it. With `overlapped`
  /// the first planes are computed meanwhile, and the others on a stream of their own as soon as they can be, beside
  /// them: these must be independent of each other.
  template <class Exchange, class Compute>
  void with_halo(bool overlapped, const device::Parts& parts, const Exchange& exchange, const Compute& compute,
                 const core::Stream& stream) {
    if (slab_.alone()) return compute(parts.all, stream);
    if (!overlapped) {
      exchange.exposed.measure(stream, [&] {
        exchange.start(stream);
        exchange.finish(stream);
      });
      return compute(parts.all, stream);
    }
    // These planes are enqueued first: the host takes longer to enqueue an exchange than for one kernel.
    begun_.record(stream);  // what the exchange reads and the rim writes may be in use by what is before this
    if (parts.before.size() > 0) {
      const core::DeviceSpan span("planes that need no halo", core::TraceCategory::compute, stream.get());
      compute(parts.before, stream);
    }
    core::check(cudaStreamWaitEvent(rim_stream_.get(), begun_.get()));
    exchange.start(rim_stream_);
    exchange.finish(rim_stream_);
    for (const device::Planes& planes : parts.after) {
      const core::DeviceSpan span("planes that need the halo", core::TraceCategory::compute, rim_stream_.get(), "rim");
      compute(planes, rim_stream_);
    }
    ended_.record(rim_stream_);
    exchange.exposed.measure(stream, [&] { core::check(cudaStreamWaitEvent(stream.get(), ended_.get())); });
  }
  /// The exchange of the halo of fields of the layout.
  template <class T>
  static auto halo_of(comm::DeviceHaloExchange<T>& exchange, std::span<T* const> fields, comm::ExposedTime& exposed) {
    return Transfer{exposed, [&exchange, fields](const core::Stream& on) { exchange.start(fields, on); },
                    [&exchange, fields](const core::Stream& on) { exchange.finish(fields, on); }};
  }

  std::size_t own_sites() const { return static_cast<std::size_t>(slab_.own_sites()); }
  /// A state in natural order has 38 values per site of the box.
  device::Populations<double> natural(core::DeviceBuffer<double>& in) const {
    return {in.data(), in.data() + velocities * sites_, sites_, false};
  }
  double* at_own(core::DeviceBuffer<double>& in, int q) const {
    return in.data() + q * sites_ + slab_.own.begin * slab_.plane;
  }
  void copy_own(double* own, core::DeviceBuffer<double>& from, const core::Stream& stream) const {
    for (int q = 0; q < 2 * velocities; ++q)
      core::copy_async(own + static_cast<std::size_t>(q) * own_sites(), static_cast<const double*>(at_own(from, q)),
                       own_sites(), stream);
    stream.synchronize();
  }
  /// Sums of the slab with the number of a site in the whole box.
  SiteSums in_whole_box(SiteSums sums) const {
    if (sums.bad_site >= 0) sums.bad_site += (slab_.first_plane - slab_.own.begin) * slab_.plane;
    return sums;
  }
  template <class T>
  static void add_bytes(core::DeviceBuffer<T>& buffer, std::vector<std::span<std::byte>>& to) {
    if (buffer.size() > 0) to.push_back(std::as_writable_bytes(buffer.span()));
  }

  device::Slab slab_;
  SumsProblem sums_problem_;
  std::int64_t sites_;  // of the box
  core::DeviceBuffer<double> start_;

 private:
  core::Stream rim_stream_;
  core::Event begun_, ended_;
};

std::unique_ptr<DistributedGpuFluid::Lattice> slab_of_moments(const comm::Communicator& ranks, const Problem& problem,
                                                              Precision precision, const comm::Decomposition& division,
                                                              comm::Transport transport);
std::unique_ptr<DistributedGpuFluid::Lattice> slab_in_place(const comm::Communicator& ranks, const Problem& problem,
                                                            Precision precision, const comm::Decomposition& division,
                                                            comm::Transport transport);

}  // namespace speedwell::binary_fluid
