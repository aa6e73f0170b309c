// Device memory bandwidth: read, write, copy and triad over arrays much larger than the L2 cache. A kernel with one
// 16-byte element per thread accesses memory in order, which suits DRAM better than a grid-stride loop (8 % on H200).
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {
namespace {

// Lengths are multiples of this many elements: of every block size times items per thread below. Kernels check no
// bounds.
constexpr std::int64_t grain = 16384;
constexpr double scale = 3;

// The data: whole numbers from 1 to 2^20, so that triad is exact and can be compared exactly.
__device__ double datum(std::uint64_t salt, std::int64_t i) {
  return static_cast<double>(1 + (core::random_bits(salt, static_cast<std::uint64_t>(i)) & 0xfffff));
}
__device__ double2 data(std::uint64_t salt, std::int64_t i) { return {datum(salt, 2 * i), datum(salt, 2 * i + 1)}; }

__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void fill_kernel(double2* a, std::uint64_t salt) {
  const std::int64_t i = thread_index();
  a[i] = data(salt, i);
}

// The 128 bits of an element folded to 32 bits for the checksum.
__device__ unsigned folded(double2 v) {
  const auto bits = __double_as_longlong(v.x) ^ (__double_as_longlong(v.y) * 5);
  return static_cast<unsigned>(bits) ^ static_cast<unsigned>(bits >> 32);
}

// Reads Items elements per thread and writes one word per block, so that writes are negligible.
template <int Items>
__global__ void read_kernel(const double2* __restrict__ a, unsigned* block_sums) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * Items + threadIdx.x;
  double2 v[Items];
#pragma unroll
  for (int k = 0; k < Items; ++k) v[k] = a[first + static_cast<std::int64_t>(k) * blockDim.x];
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < Items; ++k) sum ^= folded(v[k]);
  sum = __reduce_xor_sync(0xffffffffu, sum);
  __shared__ unsigned warp_sums[32];
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = __reduce_xor_sync(0xffffffffu, threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0u);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
  }
}

// The expected checksum, computed from the formula of the data and not from memory.
__global__ void expected_sum_kernel(std::uint64_t salt, std::int64_t n, unsigned* sum) {
  unsigned mine = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = thread_index(); i < n; i += stride) mine ^= folded(data(salt, i));
  mine = __reduce_xor_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) atomicXor(sum, mine);
}

__device__ uint4 pattern(std::int64_t i) {
  const auto low = static_cast<unsigned>(i);
  return {low, ~low, low * 0x9e3779b1u, static_cast<unsigned>(i >> 32) ^ 0x85ebca6bu};
}

__global__ void write_kernel(uint4* a) {
  const std::int64_t i = thread_index();
  a[i] = pattern(i);
}
__global__ void copy_kernel(double2* __restrict__ to, const double2* __restrict__ from) {
  const std::int64_t i = thread_index();
  to[i] = from[i];
}
__global__ void triad_kernel(double2* __restrict__ a, const double2* __restrict__ b, const double2* __restrict__ c) {
  const std::int64_t i = thread_index();
  const double2 x = b[i], y = c[i];
  a[i] = {x.x + scale * y.x, x.y + scale * y.y};
}

constexpr std::uint64_t salt_b = 1, salt_c = 2;

__global__ void count_wrong_written(const uint4* a, unsigned long long* wrong) {
  const std::int64_t i = thread_index();
  const uint4 got = a[i], expected = pattern(i);
  if (got.x != expected.x || got.y != expected.y || got.z != expected.z || got.w != expected.w) atomicAdd(wrong, 1ull);
}
__global__ void count_wrong_copied(const double2* a, unsigned long long* wrong) {
  const std::int64_t i = thread_index();
  const double2 got = a[i], expected = data(salt_b, i);
  if (!(got.x == expected.x && got.y == expected.y)) atomicAdd(wrong, 1ull);
}
__global__ void count_wrong_triad(const double2* a, unsigned long long* wrong) {
  const std::int64_t i = thread_index();
  const double2 got = a[i], b = data(salt_b, i), c = data(salt_c, i);
  if (!(got.x == b.x + scale * c.x && got.y == b.y + scale * c.y)) atomicAdd(wrong, 1ull);
}

// Three arrays of `n` elements, and the kernels on them.
class Arrays {
 public:
  Arrays(GpuSession& session, std::int64_t size)
      : s_(session), n_(size), a_(usize()), b_(usize()), c_(usize()), block_sums_(usize() / 128), word_(1), wrong_(1) {
    fill_kernel<<<blocks(256), 256, 0, stream()>>>(b_.data(), salt_b);
    fill_kernel<<<blocks(256), 256, 0, stream()>>>(c_.data(), salt_c);
    fill_bytes_async(word_, 0, s_.stream);
    expected_sum_kernel<<<1024, 256, 0, stream()>>>(salt_b, n_, word_.data());
    core::check(cudaGetLastError());
    core::copy_async(&expected_sum_, word_.data(), 1, s_.stream);
    s_.stream.synchronize();
  }

  void measure() {
    s_.warm_up(100e-3, [&] { copy_kernel<<<blocks(256), 256, 0, stream()>>>(a_.data(), b_.data()); });
    const double bytes = 16.0 * static_cast<double>(n_);
    const std::string note = core::format_bytes(bytes) + " an array";
    const int calls = 4;
    const auto spoil_result = [&] { fill_bytes_async(a_, 0xff, s_.stream); };

    std::vector<GpuSession::Method> reads, copies, triads, writes;
    add_read<1>(reads, {512, 1024});
    add_read<2>(reads, {512});
    add_read<4>(reads, {256, 512});
    add_read<8>(reads, {256});
    const auto copied = [&] {
      return none_wrong([&] { count_wrong_copied<<<blocks(256), 256, 0, stream()>>>(a_.data(), wrong_.data()); });
    };
    const auto added = [&] {
      return none_wrong([&] { count_wrong_triad<<<blocks(256), 256, 0, stream()>>>(a_.data(), wrong_.data()); });
    };
    const auto written = [&] {
      return none_wrong([&] { count_wrong_written<<<blocks(256), 256, 0, stream()>>>(words(a_), wrong_.data()); });
    };
    for (const int threads : {256, 512, 1024}) {
      const std::string name = "16 bytes a thread, " + std::to_string(threads) + " threads a block";
      copies.push_back({name, 2 * bytes,
                        [=, this] { copy_kernel<<<blocks(threads), threads, 0, stream()>>>(a_.data(), b_.data()); },
                        copied});
      triads.push_back(
          {name, 3 * bytes,
           [=, this] { triad_kernel<<<blocks(threads), threads, 0, stream()>>>(a_.data(), b_.data(), c_.data()); },
           added});
      writes.push_back(
          {name, bytes, [=, this] { write_kernel<<<blocks(threads), threads, 0, stream()>>>(words(a_)); }, written});
    }
    copies.push_back(
        {"cudaMemcpyAsync", 2 * bytes, [this] { core::copy_async(a_.data(), b_.data(), usize(), s_.stream); }, copied});

    s_.measure(
        "gpu.read", "GB/s", reads, calls, [&] { fill_bytes_async(block_sums_, 0xff, s_.stream); }, note);
    s_.measure("gpu.copy", "GB/s", copies, calls, spoil_result, note);
    s_.measure("gpu.triad", "GB/s", triads, calls, spoil_result, note);
    s_.measure("gpu.write", "GB/s", writes, calls, spoil_result, note);
  }

 private:
  std::size_t usize() const { return static_cast<std::size_t>(n_); }
  cudaStream_t stream() const { return s_.stream.get(); }
  unsigned blocks(int threads) const { return static_cast<unsigned>(n_ / threads); }
  static uint4* words(core::DeviceBuffer<double2>& a) { return reinterpret_cast<uint4*>(a.data()); }

  template <int Items>
  void add_read(std::vector<GpuSession::Method>& methods, std::initializer_list<int> block_sizes) {
    for (const int threads : block_sizes) {
      const unsigned count = blocks(threads * Items);
      methods.push_back(
          {std::to_string(Items) + " x 16 bytes a thread, " + std::to_string(threads) + " threads a block",
           16.0 * static_cast<double>(n_),
           [=, this] { read_kernel<Items><<<count, threads, 0, stream()>>>(b_.data(), block_sums_.data()); },
           [=, this] { return read_sum(count) == expected_sum_; }});
    }
  }

  unsigned read_sum(unsigned blocks_used) {
    std::vector<unsigned> sums(blocks_used);
    core::copy_async(sums.data(), block_sums_.data(), sums.size(), s_.stream);
    s_.stream.synchronize();
    unsigned sum = 0;
    for (const unsigned s : sums) sum ^= s;
    return sum;
  }

  template <class Launch>
  bool none_wrong(const Launch& launch) {
    unsigned long long wrong = 1;
    fill_bytes_async(wrong_, 0, s_.stream);
    launch();
    core::check(cudaGetLastError());
    core::copy_async(&wrong, wrong_.data(), 1, s_.stream);
    s_.stream.synchronize();
    return wrong == 0;
  }

  GpuSession& s_;
  const std::int64_t n_;
  core::DeviceBuffer<double2> a_, b_, c_;
  core::DeviceBuffer<unsigned> block_sums_;
  core::DeviceBuffer<unsigned> word_;
  core::DeviceBuffer<unsigned long long> wrong_;
  unsigned expected_sum_ = 0;
};

}  // namespace

void measure_gpu_memory(GpuSession& session) {
  std::size_t available = 0, total = 0;
  core::check(cudaMemGetInfo(&available, &total));
  const std::int64_t wanted = session.effort == Effort::quick ? std::int64_t{1} << 30 : std::int64_t{1} << 31;
  const std::int64_t bytes = std::min(wanted, static_cast<std::int64_t>(available / 4));
  const std::int64_t l2 = session.attribute(cudaDevAttrL2CacheSize);
  if (bytes < 4 * l2 || bytes < 16 * grain)
    throw core::Unavailable("GPU " + std::to_string(session.device) + ": " +
                            core::format_bytes(static_cast<double>(available)) +
                            " of memory are free; measuring its bandwidth needs " +
                            core::format_bytes(static_cast<double>(std::max(16 * l2, 64 * grain))));
  Arrays(session, bytes / 16 / grain * grain).measure();
}

}  // namespace speedwell::machine
