// Partitioning of updates into bins, as in one pass of a radix sort: a block takes a tile of updates, counts them by
// bin in shared memory, reserves space in each bin in memory, sorts the tile in shared memory, and writes it in
// contiguous runs. Updates of a full bin are applied directly to the table. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/gups/gpu/thread_stream.hpp"

namespace speedwell::gups::device {

constexpr int max_bins = 1 << log2_max_bins;

/// The bins of a pass, contiguous in memory.
struct Bins {
  Word* updates;
  unsigned* fill;  // number of updates that each bin received, including overflow
  std::uint64_t capacity;
  unsigned count;  // a power of two, at most max_bins
  int shift;       // from the index of an update to its bin
  Word* table;
  Word mask;  // mask of indices

  __device__ unsigned of(Word x) const { return static_cast<unsigned>((x & mask) >> shift) & (count - 1); }
};

/// Tiles of the stream: each thread generates `Each` updates, and regenerates them to sort them.
template <int Threads, int Each>
class StreamTiles {
 public:
  static constexpr int threads = Threads, updates_per_thread = Each;

  explicit StreamTiles(const StreamSegments& segments) : segments_(segments) {}
  __device__ void begin() {
    x_ = segments_.start(blockIdx.x);
    left_ = segments_.count(blockIdx.x);
    tiles_ = (segments_.updates_per_thread + Each - 1) / Each;
  }
  /// Whether the block has another tile; uniform for all threads.
  __device__ bool has_tile() const { return tiles_ > 0; }
  __device__ void advance() {
    x_ = after_;
    left_ -= min(left_, static_cast<std::uint64_t>(Each));
    --tiles_;
  }
  __device__ unsigned first_bin() const { return 0; }
  __device__ void load() {}
  /// Calls visit(j, update) for this thread's updates of the tile.
  template <class Visit>
  __device__ void each_update(const Visit& visit) {
    // Prevents the compiler from reusing the words of the first visit in the second, which would spill them to memory.
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
  StreamSegments segments_;
  Word x_, after_;
  std::uint64_t left_, tiles_;
};

/// Tiles of one part of the table: each thread finds the part's updates among the words of its segment. `Bits`: see
/// PartOfStream.
template <int Threads, int Each, int Bits>
class PartTiles {
 public:
  static constexpr int threads = Threads, updates_per_thread = Each;

  PartTiles(const StreamSegments& segments, const PartOfStream<Bits>& part) : segments_(segments), part_(part) {}
  __device__ void begin() {
    x_ = segments_.start(blockIdx.x);
    left_ = static_cast<std::uint32_t>(segments_.count(blockIdx.x));
  }
  /// The same for all threads of the block, which have different numbers of updates in their segments.
  __device__ bool has_tile() const { return __syncthreads_or(left_ > 0) != 0; }
  __device__ void advance() {
    x_ = after_;
    left_ = left_after_;
  }
  __device__ unsigned first_bin() const { return 0; }
  __device__ void load() {}
  template <class Visit>
  __device__ void each_update(const Visit& visit) {
    asm volatile("" : "+l"(x_));  // as in StreamTiles
    std::uint64_t x = x_;
    std::uint32_t left = left_;
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (part_.find_next(x, left)) visit(j, x);
    after_ = x;
    left_after_ = left;
  }

 private:
  StreamSegments segments_;
  PartOfStream<Bits> part_;
  Word x_, after_;
  std::uint32_t left_, left_after_;
};

/// Tiles of coarse bins, one per block. The bins of a pass over coarse bin c are fine_bins c ... fine_bins (c+1) - 1.
template <int Threads, int Each>
class BufferTiles {
 public:
  static constexpr int threads = Threads, updates_per_thread = Each;

  BufferTiles(const Word* coarse, const unsigned* fill, std::uint64_t capacity, unsigned tiles, unsigned fine_bins)
      : coarse_(coarse), fill_(fill), capacity_(capacity), tiles_(tiles), fine_bins_(fine_bins) {}
  __device__ void begin() {
    bin_ = blockIdx.x / tiles_;
    const std::uint64_t count = min(static_cast<std::uint64_t>(fill_[bin_]), capacity_);
    const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x % tiles_) * (Threads * Each);
    left_ = first >= count ? 0 : static_cast<int>(min(count - first, static_cast<std::uint64_t>(Threads * Each)));
    from_ = coarse_ + bin_ * capacity_ + first;
  }
  __device__ bool has_tile() const { return left_ > 0; }
  __device__ void advance() { left_ = 0; }
  __device__ unsigned first_bin() const { return bin_ * fine_bins_; }
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

/// Exclusive scan of the values over the threads of a block; `total` receives the sum of all.
template <int Threads>
__device__ unsigned exclusive_scan(unsigned value, unsigned (&warp_sums)[32], unsigned& total) {
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
constexpr int partition_bytes_of = 8 * Threads* Each + 3 * 4 * max_bins;

template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1024 / Tiles::threads) partition_kernel(Tiles tiles, Bins bins) {
  constexpr int threads = Tiles::threads, updates_per_thread = Tiles::updates_per_thread,
                bins_per_thread = max_bins / threads;
  static_assert(updates_per_thread % 2 == 0 && threads * updates_per_thread <= 65536, "two ranks share a register");
  extern __shared__ Word sorted[];
  unsigned* const count =
      reinterpret_cast<unsigned*>(sorted + threads * updates_per_thread);  // number of the tile's updates per bin
  unsigned* const first = count + max_bins;                                // index of a bin's first update in `sorted`
  unsigned* const shift = first + max_bins;  // from an index in `sorted` to an index in the bin
  __shared__ unsigned warp_sums[32];

  tiles.begin();
  if (!tiles.has_tile()) return;
  for (unsigned b = threadIdx.x; b < max_bins; b += threads) count[b] = 0;
  __syncthreads();
  for (; tiles.has_tile(); tiles.advance()) {
    unsigned ranks[updates_per_thread / 2] = {};  // ranks among the tile's updates of the same bin
    tiles.load();
    tiles.each_update([&](int j, Word x) { ranks[j / 2] |= atomicAdd(count + bins.of(x), 1u) << (j % 2 * 16); });
    __syncthreads();

    // Each thread handles `bins_per_thread` bins.
    const unsigned first_own_bin = threadIdx.x * bins_per_thread;
    unsigned counts[bins_per_thread], sum = 0, total;
#pragma unroll
    for (int i = 0; i < bins_per_thread; ++i) {
      counts[i] = count[first_own_bin + i];
      count[first_own_bin + i] = 0;
      sum += counts[i];
    }
    unsigned offsets[bins_per_thread], reserved[bins_per_thread];
    offsets[0] = exclusive_scan<threads>(sum, warp_sums, total);
#pragma unroll
    for (int i = 0; i < bins_per_thread; ++i) {
      if (i > 0) offsets[i] = offsets[i - 1] + counts[i - 1];
      first[first_own_bin + i] = offsets[i];
      reserved[i] = counts[i] > 0 ? atomicAdd(bins.fill + tiles.first_bin() + first_own_bin + i, counts[i]) : 0;
    }
    __syncthreads();

    tiles.each_update([&](int j, Word x) { sorted[first[bins.of(x)] + (ranks[j / 2] >> (j % 2 * 16) & 0xffff)] = x; });
#pragma unroll
    for (int i = 0; i < bins_per_thread; ++i) shift[first_own_bin + i] = reserved[i] - offsets[i];
    __syncthreads();

    for (unsigned index = threadIdx.x; index < total; index += threads) {
      const Word x = sorted[index];
      const unsigned bin = bins.of(x), to = shift[bin] + index;
      if (to < bins.capacity)
        bins.updates[(tiles.first_bin() + bin) * bins.capacity + to] = x;
      else
        atomicXor(bins.table + (x & bins.mask), x);
    }
  }
}

}  // namespace speedwell::gups::device
