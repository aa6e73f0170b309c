// Access of the GPUs of one process to each other's memory. For CUDA sources.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"

namespace speedwell::core {

/// Whether each of two GPUs can access the other's memory, over NVLink or PCI Express.
inline bool are_peers(int first, int second) {
  if (first == second || std::min(first, second) < 0 || std::max(first, second) >= device_count()) return false;
  int there = 0, back = 0;
  check(cudaDeviceCanAccessPeer(&there, first, second));
  check(cudaDeviceCanAccessPeer(&back, second, first));
  return there && back;
}

/// The lowest-numbered GPU of which are_peers() holds with `device`.
inline std::optional<int> first_peer(int device) {
  for (int other = 0, count = device_count(); other < count; ++other)
    if (are_peers(device, other)) return other;
  return std::nullopt;
}

/// Enables the access of two GPUs to each other's memory for a scope. It is disabled with the last object for these
/// GPUs, because every allocation is mapped into all GPUs with access, which makes it slower. Access that was enabled
/// before remains enabled. Throws Unavailable if they have none, and DeviceError.
class PeerAccess {
 public:
  PeerAccess(int first, int second) : pair_(std::minmax(first, second)) {
    if (!are_peers(first, second))
      throw Unavailable("GPUs " + std::to_string(first) + " and " + std::to_string(second) +
                        " cannot access each other's memory");
    const std::lock_guard lock(mutex());
    State& state = states()[pair_];
    if (state.users == 0) {
      state.enabled[0] = enable(pair_.first, pair_.second);
      try {
        state.enabled[1] = enable(pair_.second, pair_.first);
      } catch (...) {
        if (state.enabled[0]) disable(pair_.first, pair_.second);
        throw;
      }
    }
    ++state.users;
  }
  ~PeerAccess() {
    const std::lock_guard lock(mutex());
    State& state = states()[pair_];
    if (--state.users > 0) return;
    if (state.enabled[0]) disable(pair_.first, pair_.second);
    if (state.enabled[1]) disable(pair_.second, pair_.first);
  }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

 private:
  struct State {
    int users = 0;
    std::array<bool, 2> enabled{};  // by this class: from the first GPU to the second, and back
  };

  static bool enable(int device, int peer) {
    const DeviceGuard guard(device);
    const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      (void)cudaGetLastError();
      return false;
    }
    check(status);
    return true;
  }
  static void disable(int device, int peer) {
    int before = 0;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(device);
    if (cudaDeviceDisablePeerAccess(peer) != cudaSuccess) (void)cudaGetLastError();
    (void)cudaSetDevice(before);
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<std::pair<int, int>, State>& states() {
    static std::map<std::pair<int, int>, State> all;
    return all;
  }

  std::pair<int, int> pair_;
};

}  // namespace speedwell::core
