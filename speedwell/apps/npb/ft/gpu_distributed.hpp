// FT on several GPUs, one per rank: slabs of the field along z, and of the modes along y. The initial field is
// transformed once; then all time steps are sampled transforms of the modes, whose factors are applied in their loads,
// and whose points go straight into the slabs of the GPUs that have their planes. Included by CUDA sources only.
//   DistributedGpuSolver solver(ranks, {.nx = 256, .ny = 256, .nz = 128, .iterations = 6});
//   Checksums c = solver.run(stream);
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::npb::ft {

struct GpuRanksOptions {
  std::optional<comm::Transport> transport = {};  // absent: the fastest
  // With Transport::peer: thread blocks that transform along z and store into the other GPUs, beside the passes along y
  // and x of the step before; 0 chooses the number (GpuSamplesOptions of fft).
  int store_blocks = 0;
};

/// FT as NPB 3.4 defines it; ft.hpp has the definition and its source. All functions but those that return figures are
/// collective. An object belongs to the device that is current at its construction; one stream at a time may use it.
class DistributedGpuSolver {
 public:
  using Complex = std::complex<double>;

  /// All ranks give the same problem and options. `ranks` must outlive the solver. Throws std::invalid_argument for
  /// extents that are not powers of two or above 4096, for more ranks than planes along z or rows along y, and for
  /// negative store_blocks; core::Unavailable or core::DeviceError if there is no device, too little memory, or the
  /// transport is missing.
  DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem, const GpuRanksOptions& options = {});

  /// Computes the timed region of the benchmark, from the initial field on, and waits. The same on all ranks; the sums
  /// of the ranks are added in their order, so that they have the same bits at every call with as many ranks. Throws
  /// core::DeviceError if a rank did not come within 20 s.
  Checksums run(const core::Stream& stream);

  comm::Transport transport() const;
  int store_blocks() const;  // 0 with other transports than Transport::peer
  /// Seconds that the stream of this rank waited for exchanges, and this rank for the sums of the others.
  double exchange_seconds() const;
  /// Device memory of this rank that run() overwrites, as bytes. What it holds before has no influence.
  std::vector<std::span<std::byte>> device_work();
  /// The unscaled sums of this rank in page-locked host memory, which run() overwrites.
  std::span<Complex> pinned_result();

 private:
  struct State;  // gpu/distributed_solver.cu
  core::Pimpl<State> state_;
};

}  // namespace speedwell::npb::ft
