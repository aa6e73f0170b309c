#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/transfer/cuda.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::transfer {
namespace {

constexpr int threads = 256;

unsigned blocks_for_items(std::size_t items) {
  const std::int64_t blocks = core::blocks_for(static_cast<std::int64_t>(items), threads);
  if (blocks > 0x7fffffff) throw std::invalid_argument("transfer: the block is too long for one kernel");
  return static_cast<unsigned>(blocks);
}
__device__ std::size_t global_index() { return static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; }

__global__ void pattern_kernel(unsigned char* payload, std::size_t bytes, std::uint64_t seed) {
  const std::size_t word = global_index(), at = 8 * word;
  if (at >= bytes) return;
  const std::uint64_t bits = core::random_bits(seed, word);
  if (at + 8 <= bytes) {
    *reinterpret_cast<std::uint64_t*>(payload + at) = bits;
  } else {
    for (std::size_t b = 0; at + b < bytes; ++b) payload[at + b] = static_cast<unsigned char>(bits >> (8 * b));
  }
}

template <class Item>
__global__ void copy_kernel(Item* to, const Item* from, std::size_t items) {
  const std::size_t i = global_index();
  if (i < items) to[i] = from[i];
}
template <class Item>
void copy_items(unsigned char* to, const unsigned char* from, std::size_t items, const core::Stream& stream) {
  if (items == 0) return;
  copy_kernel<<<blocks_for_items(items), threads, 0, stream.get()>>>(reinterpret_cast<Item*>(to),
                                                                     reinterpret_cast<const Item*>(from), items);
  core::check(cudaGetLastError());
}

__global__ void store_kernel(volatile std::uint64_t* to, std::uint64_t word) { *to = word; }

}  // namespace

void fill_pattern_async(unsigned char* payload, std::size_t bytes, std::uint64_t seed, const core::Stream& stream) {
  if (bytes == 0) return;
  pattern_kernel<<<blocks_for_items((bytes + 7) / 8), threads, 0, stream.get()>>>(payload, bytes, seed);
  core::check(cudaGetLastError());
}

void copy_by_kernel(unsigned char* to, const unsigned char* from, std::size_t bytes, const core::Stream& stream) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 == 0;
  const std::size_t packs = aligned ? bytes / 16 : 0;
  copy_items<int4>(to, from, packs, stream);
  copy_items<unsigned char>(to + 16 * packs, from + 16 * packs, bytes - 16 * packs, stream);
}

void store_word(std::uint64_t* to, std::uint64_t word, const core::Stream& stream) {
  store_kernel<<<1, 1, 0, stream.get()>>>(to, word);
  core::check(cudaGetLastError());
}

Pool::Pool() {
  int current = 0;
  core::check(cudaGetDevice(&current));
  if (core::device_attribute(cudaDevAttrMemoryPoolsSupported) == 0)
    throw core::Unavailable("this GPU has no memory pools");
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location = {cudaMemLocationTypeDevice, current};
  core::check(cudaMemPoolCreate(&pool_, &properties));
  std::uint64_t keep_all = UINT64_MAX;
  if (const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all);
      status != cudaSuccess) {
    cudaMemPoolDestroy(pool_);
    core::check(status);
  }
}
Pool::~Pool() { cudaMemPoolDestroy(pool_); }
std::uint64_t Pool::used_bytes() const {
  std::uint64_t bytes = 0;
  core::check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &bytes));
  return bytes;
}

PoolBlock::PoolBlock(std::size_t bytes, const Pool& pool, const core::Stream& stream) : stream_(stream.get()) {
  void* p = nullptr;
  core::check(cudaMallocFromPoolAsync(&p, bytes, pool.get(), stream_));
  data_ = static_cast<unsigned char*>(p);
}
PoolBlock::PoolBlock(PoolBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), stream_(std::exchange(other.stream_, nullptr)) {}
PoolBlock& PoolBlock::operator=(PoolBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(stream_, other.stream_);
  return *this;
}
PoolBlock::~PoolBlock() {
  if (data_) cudaFreeAsync(data_, stream_);
}

}  // namespace speedwell::transfer
