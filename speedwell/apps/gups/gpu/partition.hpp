// Updates sorted into bins, as one pass of a radix sort does it: a block takes a tile of updates, counts them by bin in
// shared memory, reserves as many places in each bin in memory, sorts the tile in shared memory, and writes it in the
// runs that belong together. A bin that is full sends its updates to the table directly. Included by CUDA sources
// alone.
#pragma once

#include "speedwell/apps/gups/gpu/thread_stream.hpp"

namespace speedwell::gups::device {

constexpr int most_bins = 1 << log2_most_bins;

/// The bins of a pass, one after another in memory.
struct Bins {
  Word* updates;
  unsigned* fill;  // updates that came to each bin, those that it had no place for included
  std::uint64_t capacity;
  unsigned count;  // a power of two, at most most_bins
  int shift;       // from an update's place in the table to its bin
  Word* table;
  Word mask;  // of places

  __device__ unsigned of(Word x) const { return static_cast<unsigned>((x & mask) >> shift) & (count - 1); }
};

/// Tiles of the stream: each thread makes `Each` updates, and makes them again to sort them.
template <int Threads, int Each>
class StreamTiles {
 public:
  static constexpr int threads = Threads, each = Each;

  explicit StreamTiles(const Stretches& stretches) : stretches_(stretches) {}
  __device__ void begin() {
    x_ = stretches_.start(blockIdx.x);
    left_ = stretches_.count(blockIdx.x);
    tiles_ = (stretches_.each + Each - 1) / Each;
  }
  /// Whether the block has another tile; the same for all threads.
  __device__ bool more() const { return tiles_ > 0; }
  __device__ void leave() {
    x_ = after_;
    left_ -= min(left_, static_cast<std::uint64_t>(Each));
    --tiles_;
  }
  __device__ unsigned bins_before() const { return 0; }
  __device__ void load() {}
  /// Calls visit(j, update) for this thread's updates of the tile.
  template <class Visit>
  __device__ void each_update(const Visit& visit) {
    // Else the compiler sees that the second visit makes the words of the first, and keeps all of them, in memory.
    asm volatile("" : "+l"(x_));
    Word x = x_;
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      x = next(x);
      if (j < left_) visit(j, x);
    }
    after_ = x;
  }

 private:
  Stretches stretches_;
  Word x_, after_;
  std::uint64_t left_, tiles_;
};

/// One tile of a coarse bin for each block. The bins of a pass over coarse bin c are fine_bins c ... fine_bins (c+1)
/// - 1.
template <int Threads, int Each>
class BufferTiles {
 public:
  static constexpr int threads = Threads, each = Each;

  BufferTiles(const Word* coarse, const unsigned* fill, std::uint64_t capacity, unsigned tiles, unsigned fine_bins)
      : coarse_(coarse), fill_(fill), capacity_(capacity), tiles_(tiles), fine_bins_(fine_bins) {}
  __device__ void begin() {
    bin_ = blockIdx.x / tiles_;
    const std::uint64_t count = min(static_cast<std::uint64_t>(fill_[bin_]), capacity_);
    const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x % tiles_) * (Threads * Each);
    left_ = first >= count ? 0 : static_cast<int>(min(count - first, static_cast<std::uint64_t>(Threads * Each)));
    from_ = coarse_ + bin_ * capacity_ + first;
  }
  __device__ bool more() const { return left_ > 0; }
  __device__ void leave() { left_ = 0; }
  __device__ unsigned bins_before() const { return bin_ * fine_bins_; }
  __device__ void load() {
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      const int i = j * Threads + static_cast<int>(threadIdx.x);
      if (i < left_) x_[j] = __ldcs(from_ + i);
    }
  }
  template <class Visit>
  __device__ void each_update(const Visit& visit) {
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (j * Threads + static_cast<int>(threadIdx.x) < left_) visit(j, x_[j]);
  }

 private:
  const Word* coarse_;
  const unsigned* fill_;
  std::uint64_t capacity_;
  unsigned tiles_, fine_bins_, bin_;
  int left_;
  const Word* from_;
  Word x_[Each];
};

/// The sum of the values of the threads before this one, and of all threads in `total`.
template <int Threads>
__device__ unsigned sum_before(unsigned value, unsigned (&warp_sums)[32], unsigned& total) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = value;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(all, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  unsigned sums = lane < Threads / 32 ? warp_sums[lane] : 0;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(all, sums, distance);
    if (lane >= distance) sums += other;
  }
  total = __shfl_sync(all, sums, 31);
  const unsigned before = __shfl_sync(all, sums, warp > 0 ? warp - 1 : 0);
  return sum - value + (warp > 0 ? before : 0);
}

template <int Threads, int Each>
constexpr int partition_bytes_of = 8 * Threads* Each + 3 * 4 * most_bins;

template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1024 / Tiles::threads) partition_kernel(Tiles tiles, Bins bins) {
  constexpr int threads = Tiles::threads, each = Tiles::each, own = most_bins / threads;
  static_assert(each % 2 == 0 && threads * each <= 65536, "two ranks share a register");
  extern __shared__ Word sorted[];
  unsigned* const count = reinterpret_cast<unsigned*>(sorted + threads * each);  // of the tile's updates in each bin
  unsigned* const first = count + most_bins;  // place of a bin's first update in `sorted`
  unsigned* const shift = first + most_bins;  // from a place in `sorted` to one in the bin
  __shared__ unsigned warp_sums[32];

  tiles.begin();
  if (!tiles.more()) return;
  for (unsigned b = threadIdx.x; b < most_bins; b += threads) count[b] = 0;
  __syncthreads();
  for (; tiles.more(); tiles.leave()) {
    unsigned ranks[each / 2] = {};  // among the tile's updates of the same bin
    tiles.load();
    tiles.each_update([&](int j, Word x) { ranks[j / 2] |= atomicAdd(count + bins.of(x), 1u) << (j % 2 * 16); });
    __syncthreads();

    // Each thread has `own` bins to look after.
    const unsigned mine = threadIdx.x * own;
    unsigned counts[own], sum = 0, total;
#pragma unroll
    for (int i = 0; i < own; ++i) {
      counts[i] = count[mine + i];
      count[mine + i] = 0;
      sum += counts[i];
    }
    unsigned places[own], reserved[own];
    places[0] = sum_before<threads>(sum, warp_sums, total);
#pragma unroll
    for (int i = 0; i < own; ++i) {
      if (i > 0) places[i] = places[i - 1] + counts[i - 1];
      first[mine + i] = places[i];
      reserved[i] = counts[i] > 0 ? atomicAdd(bins.fill + tiles.bins_before() + mine + i, counts[i]) : 0;
    }
    __syncthreads();

    tiles.each_update([&](int j, Word x) { sorted[first[bins.of(x)] + (ranks[j / 2] >> (j % 2 * 16) & 0xffff)] = x; });
#pragma unroll
    for (int i = 0; i < own; ++i) shift[mine + i] = reserved[i] - places[i];
    __syncthreads();

    for (unsigned place = threadIdx.x; place < total; place += threads) {
      const Word x = sorted[place];
      const unsigned bin = bins.of(x), to = shift[bin] + place;
      if (to < bins.capacity)
        bins.updates[(tiles.bins_before() + bin) * bins.capacity + to] = x;
      else
        atomicXor(bins.table + (x & bins.mask), x);
    }
  }
}

}  // namespace speedwell::gups::device
