// The exchange between slabs on GPUs: each rank sends a block of its slab to every rank. For CUDA sources only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"

namespace speedwell::fft::gpu {

template <class T>
class SlabExchange {
 public:
  /// Collective. Slabs have at most `points` points on every rank. `ranks` must outlive the object. Throws
  /// core::Unavailable if the transport is missing.
  SlabExchange(const comm::Communicator& ranks, std::int64_t points, comm::Transport transport);
  ~SlabExchange();

  comm::Transport transport() const;
  /// The slab of this rank that an exchange fills, in device memory.
  Complex<T>* received() const;
  double bytes() const;

  /// Begins an exchange: what is on `stream` has read the slab of the last one.
  void begin(const core::Stream& stream);
  /// With Transport::peer: sends these blocks, one for each rank and perhaps empty, of what `stream` has computed so
  /// far, beside work that is enqueued after it.
  void store(std::span<const SlabBlock> blocks, const Complex<T>* from, const core::Stream& stream);
  /// Ends the exchange: work enqueued on `stream` afterwards finds all blocks in received(). Other transports than
  /// peer, which have no store(), send all blocks here.
  void end(const SlabBlocks& all, const Complex<T>* from, const core::Stream& stream);

  double seconds() const;
  void check(const core::Stream& stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class SlabExchange<float>;
extern template class SlabExchange<double>;

}  // namespace speedwell::fft::gpu
