// Device operations of transfer in addition to copies. Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/cuda.hpp"

namespace speedwell::transfer {

/// Enqueues the writing of the pattern of fill_pattern() into `bytes` bytes of device memory aligned to 8 bytes. Throws
/// DeviceError, as all functions here.
void fill_pattern_async(unsigned char* payload, std::size_t bytes, std::uint64_t seed, const core::Stream& stream);

/// Enqueues a copy by a kernel, 16 bytes per thread if both addresses are aligned accordingly: either may be
/// page-locked host memory, which the device then accesses over the link.
void copy_by_kernel(unsigned char* to, const unsigned char* from, std::size_t bytes, const core::Stream& stream);

/// Enqueues a kernel of one thread that stores `word`, so that every launch is verified. `to` may be page-locked host
/// memory.
void store_word(std::uint64_t* to, std::uint64_t word, const core::Stream& stream);

/// A memory pool of the current device that retains freed memory. Throws Unavailable if the device has none.
class Pool {
 public:
  /// Makes a pool that keeps all memory that is freed, until it is destroyed.
  Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();
  /// CUDA's handle, valid as long as this object.
  cudaMemPool_t get() const { return pool_; }
  /// Bytes of its blocks that are not freed yet. Throws DeviceError.
  std::uint64_t used_bytes() const;

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// A block of a pool, allocated and freed in stream order; both must outlive it. Throws DeviceError.
class PoolBlock {
 public:
  /// Enqueues the allocation of `bytes` bytes; the block may be used by work that `stream` does later.
  PoolBlock(std::size_t bytes, const Pool& pool, const core::Stream& stream);
  PoolBlock(PoolBlock&& other) noexcept;
  PoolBlock& operator=(PoolBlock&& other) noexcept;
  /// Enqueues the freeing.
  ~PoolBlock();
  unsigned char* data() { return data_; }

 private:
  unsigned char* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace speedwell::transfer
