// SharedMemory: memory of a host that all ranks of a communicator map, so that each reads and writes the same bytes
// without messages.
#pragma once

#include <cstddef>
#include <optional>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::comm {

/// Ranks order their accesses with Communicator::barrier() or messages.
class SharedMemory {
 public:
  /// Collective; all ranks pass the same size above 0. `bytes` bytes at an address of each rank's own, aligned to a
  /// page, whose values are undefined at first; who first writes a page determines its NUMA node. Null on all ranks if
  /// they are not on one host, if the system does not let them share memory, or if SPEEDWELL_SHARED_MEMORY is "off" in
  /// the environment of one. Throws std::bad_alloc for a single rank.
  static std::optional<SharedMemory> allocate(const Communicator& ranks, std::size_t bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  /// Unmaps the memory on this rank. The system frees it once the last rank has done so, or has ended.
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0, mapped_ = 0;   // bytes; mapped_ is 0 for the memory of a single rank
  core::HostBuffer<std::byte> of_one_;  // of a single rank
};

}  // namespace speedwell::comm
