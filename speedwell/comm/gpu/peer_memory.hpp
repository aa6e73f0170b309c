// PeerMemory: memory of the GPUs of all ranks of a host that kernels of every rank read and write, over NVLink or PCIe.
// Each rank allocates its part and maps those of the others (CUDA IPC). For CUDA sources only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

class PeerMemory {
 public:
  /// No memory.
  PeerMemory() = default;
  /// Collective. `bytes` of the current device of each rank, set to 0; the ranks may give different numbers. `ranks`
  /// must outlive the object. Throws core::Unavailable on all ranks, with the reason of the lowest that has one, if the
  /// ranks are on several hosts, memory is short, or a GPU cannot map the memory of another.
  PeerMemory(const Communicator& ranks, std::size_t bytes);
  PeerMemory(PeerMemory&& other) noexcept;
  PeerMemory& operator=(PeerMemory&& other) noexcept;
  /// Collective: unmaps the memory of the others, and frees its own when all have done so. After an exception it waits
  /// for no rank.
  ~PeerMemory();

  /// The memory of `rank` as kernels of this rank address it.
  std::byte* of(int rank) const { return mapped_[static_cast<std::size_t>(rank)]; }
  std::byte* own() const { return own_; }

 private:
  void release();

  const Communicator* ranks_ = nullptr;
  std::byte* own_ = nullptr;
  std::vector<std::byte*> mapped_;
};

}  // namespace speedwell::comm
