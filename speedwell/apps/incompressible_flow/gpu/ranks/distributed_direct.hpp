// The direct pressure solver on slabs of several GPUs: planes are transformed where they are, and the tridiagonal
// systems along z are solved where their rows are (slab_lines.hpp), so that only two numbers of each system travel. For
// CUDA sources only.
#pragma once

#include <complex>
#include <memory>
#include <optional>

#include "speedwell/apps/incompressible_flow/gpu/direct/modes.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_lines.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/ranks/gpu_exchange.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class DistributedDirect {
 public:
  /// Collective. `problem` has the axes of the choice, and no solids. Allocates its memory. `ranks` must outlive the
  /// object. `by_modes`: with eigenvectors instead of transforms. Throws core::Unavailable if the transport or what
  /// ModeProducts needs is missing, and for more than 16 ranks with Transport::peer.
  DistributedDirect(const comm::Communicator& ranks, const Problem& problem, bool by_modes, comm::Transport transport,
                    const core::Stream& stream);

  /// Collective. Enqueues the replacement of the right-hand sides in the planes of this rank, in the order of
  /// spectral_index(), by the solution, which is determined up to a constant. With a slab above, the plane after them
  /// gets the first one there. The host waits with the transports through MPI only; with
  /// Transport::peer, and on one rank, the work can be recorded in a graph. Peer needs the number of the part of a
  /// step, that must be the next one in each call.
  void solve(T* values, PartNumber number, const core::Stream& stream);

  /// The tables that a moving mesh changes: inverse squares of lengths along x, y, z and z.
  core::DeviceBuffer<T> lambda_x, lambda_y, low, high;
  /// Lets waits end, and end those of others, by *timed_out in device memory, for whose owner check() then is.
  void share_time_out(int* timed_out) { slab_.messages.timed_out = timed_out; }
  /// Enqueues what solve() needs of tables that have changed.
  void update(const core::Stream& stream);

  /// The time that the stream waited for exchanges after its own work; with Transport::peer that blocks waited, in the
  /// mean.
  double exchange_seconds() const;
  /// Waits. Throws core::DeviceError if a rank did not come to an exchange.
  void check(const core::Stream& stream) const;

 private:
  using Complex = std::complex<T>;
  using Point = fft::gpu::Complex<T>;

  void allocate_lines(const Problem& problem, const core::Stream& stream);
  void allocate_coupling();
  void begin_exchange(comm::Transport transport);
  fft::gpu::SlabBlock block(int from) const;

  const comm::Communicator& ranks_;
  Extents e_;  // of the box
  comm::Range planes_;
  bool has_above_;
  bool is_periodic_;
  std::optional<fft::GpuRealPlan<T>> forward_, backward_;
  std::optional<ModeProducts<T>> products_;  // instead of the transforms
  core::DeviceBuffer<Point> spectrum_;       // of the transforms
  core::DeviceBuffer<T> twiddles_x_, twiddles_y_, work_, coupling_;
  core::DeviceBuffer<double> coupling_work_;
  SlabLines<T> slab_;
  core::DeviceBuffer<Point> ends_;
  std::unique_ptr<fft::gpu::SlabExchange<T>> exchange_;  // of ends, with transports other than peer
  comm::PeerMemory words_;
  core::DeviceBuffer<unsigned long long> counters_;  // tickets, nanoseconds of waits, and whether a rank was late
};

extern template class DistributedDirect<float>;
extern template class DistributedDirect<double>;

}  // namespace speedwell::incompressible_flow::gpu
