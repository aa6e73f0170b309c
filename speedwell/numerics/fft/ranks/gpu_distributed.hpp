// Fourier transforms of complex arrays of two or three axes that are divided among the GPUs of ranks. Conventions,
// normalisations, lengths and the division are those of distributed.hpp; tiles are in device memory.
//
//   speedwell::fft::GpuDistributedPlan<double> plan(ranks, {.extents = {256, 256, 256}});
//   plan.forward(x, spectrum, stream);    // enqueues
//   plan.backward(spectrum, x, stream);
//
// With Transport::peer the pass before the exchange sends what belongs to another rank to its memory while it runs, if
// there are three extents, all of them powers of two from 64 to 1024. Otherwise a kernel stores it there in pieces:
// while one is stored, the next is transformed. With the other transports the exchange follows the transforms.
// Included by CUDA sources only.
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
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

struct GpuDistributedOptions {
  Normalisation normalisation = Normalisation::none;
  std::optional<comm::Transport> transport = {};  // absent: comm::fastest_transport(), or peer for one rank
  // With Transport::peer a slab can be stored in this number of pieces, apart from the passes. 0: it is sent by the
  // pass where that can be, and otherwise in as many pieces as keep kernels and stores long, at most 4.
  int pieces = 0;
};

/// Complex transforms in T, which is float or double. A plan belongs to the device that is current at its construction;
/// one stream at a time may use it. The spectrum is divided along the second axis. `ranks` must outlive the plan.
template <class T>
class GpuDistributedPlan {
 public:
  using Complex = std::complex<T>;

  /// Collective. Throws std::invalid_argument as DistributedPlan and core::Unavailable as GpuPlan, and if the transport
  /// is missing.
  GpuDistributedPlan(const comm::Communicator& ranks, const Shape& shape, const GpuDistributedOptions& options = {});

  /// Collective. Enqueue a transform; the host waits with the transports through MPI only. `array` has array_points()
  /// and `spectrum` spectrum_points() elements; the input is preserved. Throw std::invalid_argument, on this rank
  /// alone, if spans overlap or have a wrong size or alignment.
  void forward(std::span<const Complex> array, std::span<Complex> spectrum, const core::Stream& stream);
  void backward(std::span<const Complex> spectrum, std::span<Complex> array, const core::Stream& stream);

  /// The tiles of all ranks, in global indices.
  const std::vector<comm::Tile>& array_tiles() const;
  const std::vector<comm::Tile>& spectrum_tiles() const;
  std::int64_t array_points() const;     // of this rank
  std::int64_t spectrum_points() const;  // of this rank
  comm::Transport transport() const;
  int pieces() const;  // 0 if a pass sends
  /// Bytes that this rank sends to others in a transform.
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

extern template class GpuDistributedPlan<float>;
extern template class GpuDistributedPlan<double>;

}  // namespace speedwell::fft
