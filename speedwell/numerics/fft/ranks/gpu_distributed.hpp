// Fourier transforms of complex arrays of two or three axes that are divided among the GPUs of ranks. Conventions,
// normalisations, lengths and the division are those of distributed.hpp; tiles are in device memory.
//
//   speedwell::fft::GpuDistributedPlan<double> plan(ranks, {.extents = {256, 256, 256}});
//   plan.forward(x, spectrum, stream);    // enqueues
//   plan.backward(spectrum, x, stream);
//
// With Transport::peer the transform before the exchange stores its results directly into the memory of the ranks that
// need them, if there are three extents, all of them powers of two from 64 to 1024; in single precision the product of
// the last extent with each of the others must also be at least 8192. For other extents a separate kernel stores the
// slab there in pieces: while one piece is stored, the next is transformed. With the other transports the exchange
// follows the transforms of the whole slab. Included by CUDA sources only.
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
  // With Transport::peer: the number of pieces, at least 1, in which a separate kernel stores a slab; at most the
  // number of planes or layers of a rank. 0: the transform itself stores, where the extents permit it, and otherwise
  // there are up to 4 pieces of at least 4 MiB. The other transports ignore it.
  int pieces = 0;
};

/// Complex transforms in T, which is float or double. A plan belongs to the device that is current at its construction;
/// one stream at a time may use it. The array is divided among the ranks along its first axis, the spectrum along the
/// second. `ranks` must outlive the plan.
template <class T>
class GpuDistributedPlan {
 public:
  using Complex = std::complex<T>;

  /// Collective. Throws std::invalid_argument as DistributedPlan and core::Unavailable as GpuPlan, and if the transport
  /// is missing.
  GpuDistributedPlan(const comm::Communicator& ranks, const Shape& shape, const GpuDistributedOptions& options = {});

  /// Collective. Enqueue a transform; with Transport::staged and gpu_aware the host waits for the exchange. `array` has
  /// array_points() and `spectrum` spectrum_points() elements in device memory, at multiples of the size of a complex
  /// number: the tiles of this rank, row-major. The input is preserved. Throw std::invalid_argument, on this rank
  /// alone, if spans overlap or have a wrong size or alignment.
  void forward(std::span<const Complex> array, std::span<Complex> spectrum, const core::Stream& stream);
  void backward(std::span<const Complex> spectrum, std::span<Complex> array, const core::Stream& stream);

  /// The tiles of all ranks, in global indices.
  const std::vector<comm::Tile>& array_tiles() const;
  const std::vector<comm::Tile>& spectrum_tiles() const;
  std::int64_t array_points() const;     // points of this rank's tile of the array
  std::int64_t spectrum_points() const;  // points of this rank's tile of the spectrum
  comm::Transport transport() const;
  /// The pieces in which a separate kernel stores a slab; 0 if the transform itself stores into the other ranks'
  /// memory.
  int pieces() const;
  /// Bytes that this rank sends to others in a transform.
  std::int64_t sent_bytes() const;
  double bytes() const;  // bytes of the plan's work space on this GPU
  /// Seconds in all transforms so far in which the stream waited for the exchange after its own work. One transform in
  /// eight is measured and counted for all eight. With Transport::staged and gpu_aware: the host's time in MPI, of
  /// every transform.
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
