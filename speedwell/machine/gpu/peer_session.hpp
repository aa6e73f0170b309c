// The context of all measurements of the link between two GPUs of this process: their streams, the access to each
// other's memory, and the time of work on one of them or on both at once. For CUDA sources.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/core/cuda/peer_access.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::machine {

/// A stream of a GPU, which need not be the current one, with two events.
class PeerSide {
 public:
  explicit PeerSide(int gpu) : PeerSide(gpu, core::DeviceGuard(gpu)) {}

  const int device;
  core::Stream stream;
  core::Event begin, end;

  /// `size` uninitialised elements in the memory of this GPU.
  template <class T>
  core::DeviceBuffer<T> allocate(std::size_t size) const {
    const core::DeviceGuard guard(device);
    return core::DeviceBuffer<T>(size);
  }
  /// Sets every byte of a buffer of this GPU, on its stream.
  template <class T>
  void fill_bytes(core::DeviceBuffer<T>& buffer, unsigned char byte) const {
    const core::DeviceGuard guard(device);
    core::fill_bytes_async(buffer, byte, stream);
  }
  /// The first element of a buffer of this GPU, after all work on its stream.
  template <class T>
  T first_element(const core::DeviceBuffer<T>& buffer) const {
    const core::DeviceGuard guard(device);
    T element;
    core::copy_async(&element, buffer.data(), 1, stream);
    stream.synchronize();
    return element;
  }

 private:
  PeerSide(int gpu, const core::DeviceGuard&) : device(gpu) {}  // the GPU is current while the members are made
};

class PeerSession {
 public:
  PeerSession(int first, int second, Effort how, std::string link)
      : access_(first, second), effort(how), note(std::move(link)), sides{PeerSide(first), PeerSide(second)} {}

 private:
  const core::PeerAccess access_;  // outlives all that uses it

 public:
  const Effort effort;
  const std::string note;  // the GPUs, and the link between them
  std::array<PeerSide, 2> sides;
  Ceilings ceilings;

  /// Device time that one sample of repeated work should take: long against the microseconds in which one GPU learns
  /// that the other has finished.
  double sample_seconds() const { return effort == Effort::quick ? 5e-3 : 20e-3; }

  /// Seconds, by the clock of the first GPU, of `calls` calls of enqueue(side) on the first GPU, or on both at once:
  /// from the start of the first GPU to the end of the later one. enqueue(side) is called with the GPU of that side as
  /// the current one.
  template <class Enqueue>
  double seconds(bool both, int calls, const Enqueue& enqueue) {
    PeerSide &one = sides[0], &other = sides[1];
    one.begin.record(one.stream);
    if (both) core::check(cudaStreamWaitEvent(other.stream.get(), one.begin.get(), 0));
    for (int call = 0; call < calls; ++call)
      for (int side = 0; side < (both ? 2 : 1); ++side) {
        const core::DeviceGuard guard(sides[static_cast<std::size_t>(side)].device);
        enqueue(side);
        core::check(cudaGetLastError());
      }
    if (both) {
      other.end.record(other.stream);
      core::check(cudaStreamWaitEvent(one.stream.get(), other.end.get(), 0));
    }
    one.end.record(one.stream);
    one.end.synchronize();
    return one.end.seconds_since(one.begin);
  }
};

// These functions add ceilings to those of the session.
void measure_peer_bandwidth(PeerSession& session);  // peer_bandwidth.cu
void measure_peer_latency(PeerSession& session);    // peer_latency.cu

}  // namespace speedwell::machine
