// Backward or forward transforms of one spectrum times several sets of weights, divided among the GPUs of ranks, of
// which only a few points are needed: for example the time steps of a spectrum that decays, sampled by probes.
//
//   speedwell::fft::GpuDistributedSamples<double> plan(ranks, {.extents = {512, 512, 512}}, positions);
//   plan.transform(Direction::backward, spectrum, weights, samples, stream);    // enqueues all of them
//
// The spectrum is divided along the second axis, as GpuDistributedPlan leaves it, and each transform is one exchange.
// With Transport::peer the pass along the first axis stores each point straight into the memory of the GPU that has its
// plane. As the transforms do not depend on each other, that pass of one, which needs the link between the GPUs, is
// beside the passes along the other two axes of the one before, which need memory; the host is not needed in between.
// With the other transports the exchange follows the pass. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"
#include "speedwell/numerics/fft/direction.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

struct GpuSamplesOptions {
  std::optional<comm::Transport> transport = {};  // absent: comm::fastest_transport()
  // With Transport::peer: how many thread blocks do the pass that stores into the other GPUs. Fewer leave more of the
  // GPU to the other passes, but too few do not fill the link. 0: a third of those that the GPU holds, and on one rank,
  // which has no link to fill, all of them.
  int store_blocks = 0;
};

/// Transforms in T, which is float or double, of three axes whose extents are powers of two, at most 4096 in double
/// precision and 16384 in single; unscaled. A plan belongs to the device that is current at its construction; one
/// stream at a time may use it. `ranks` must outlive the plan.
template <class T>
class GpuDistributedSamples {
 public:
  using Complex = std::complex<T>;

  /// Collective; all ranks give the same arguments. `positions` are indices of the samples in the whole array; they may
  /// repeat. Throws std::invalid_argument as GpuSampledPlan, for more ranks than planes or layers along the first two
  /// axes, and for negative store_blocks; core::Unavailable if there is too little memory or the transport is missing.
  GpuDistributedSamples(const comm::Communicator& ranks, const Shape& shape, std::span<const std::int64_t> positions,
                        const GpuSamplesOptions& options = {});

  /// Collective. Enqueues transforms, as many as `weights` has sets of weights() and `samples` sets of samples(); the
  /// host waits with the transports through MPI only. A set of weights has a factor for each index of the first axis,
  /// then of the second and of the third, of the whole array: sample s of a set becomes the transform of
  /// in(i, j, k) w0(i) w1(j) w2(k) at its position. A rank stores the samples whose planes it has, and leaves the
  /// others of the set as they were. `spectrum` has spectrum_points() elements and is preserved. All spans are in
  /// device memory. Throws std::invalid_argument, on this rank alone, for spans of a wrong size or alignment.
  void transform(Direction direction, std::span<const Complex> spectrum, std::span<const T> weights,
                 std::span<Complex> samples, const core::Stream& stream);

  /// Work space of array_points() elements in device memory, which a caller may use between calls of transform(), on
  /// the stream of these. They overwrite it.
  std::span<Complex> work();

  /// The tiles of all ranks, in global indices: of the array whose points are sampled, and of the spectrum.
  const std::vector<comm::Tile>& array_tiles() const;
  const std::vector<comm::Tile>& spectrum_tiles() const;
  std::int64_t array_points() const;     // of this rank
  std::int64_t spectrum_points() const;  // of this rank
  std::int64_t weights() const;          // of a set: the sum of the extents
  std::int64_t samples() const;          // of a set: the number of positions
  comm::Transport transport() const;
  int store_blocks() const;  // 0 with other transports than Transport::peer
  /// Bytes that this rank sends to others in one transform.
  std::int64_t sent_bytes() const;
  double bytes() const;  // bytes of the plan's work space on this GPU
  /// The time that the stream waited for the exchange after its own work. Of one transform in eight, which stands for
  /// them, but for transports through MPI.
  double exchange_seconds() const;
  /// Waits for `stream`. Throws core::DeviceError if a rank did not come to an exchange.
  void check(const core::Stream& stream) const;

 private:
  struct Impl;
  core::Pimpl<Impl> impl_;
};

extern template class GpuDistributedSamples<float>;
extern template class GpuDistributedSamples<double>;

}  // namespace speedwell::fft
