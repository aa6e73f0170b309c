// Bandwidth of the L2 cache. One kernel makes many passes over the same data, so that the launch does not matter, with
// loads and stores that bypass L1.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {
namespace {

using Word = unsigned long long;
constexpr int threads = 512;

// Relaxed accesses at the scope of the GPU are served by L2. Weak ones (ld.global.cg) would be too, but the assembler
// moves repeated ones out of the loop.
__device__ ulonglong2 load(const ulonglong2* p) {
  ulonglong2 v;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.x), "=l"(v.y) : "l"(p));
  return v;
}
__device__ void store(ulonglong2* p, ulonglong2 v) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.x), "l"(v.y) : "memory");
}

// Every thread reads its Items elements `passes` times and stores the sum of all.
template <int Items>
__global__ void __launch_bounds__(threads) read_kernel(const ulonglong2* a, int passes, Word* sums) {
  const int first = blockIdx.x * threads + threadIdx.x, stride = gridDim.x * threads;
  Word sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    ulonglong2 v[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k) v[k] = load(a + first + k * stride);
#pragma unroll
    for (int k = 0; k < Items; ++k) sum += v[k].x + v[k].y;
  }
  sums[first] = sum;
}

template <int Items>
__global__ void __launch_bounds__(threads) copy_kernel(const ulonglong2* from, ulonglong2* to, int passes) {
  const int first = blockIdx.x * threads + threadIdx.x, stride = gridDim.x * threads;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    ulonglong2 v[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k) v[k] = load(from + first + k * stride);
#pragma unroll
    for (int k = 0; k < Items; ++k) store(to + first + k * stride, v[k]);
  }
}

class CacheBench {
 public:
  explicit CacheBench(GpuSession& session)
      : s_(session), cache_(session.attribute(cudaDevAttrL2CacheSize)), max_working_set_(cache_ / 5 * 3) {
    words_.resize(static_cast<std::size_t>(max_working_set_ / 8));
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = core::random_bits(3, i);
    from_ = core::DeviceBuffer<ulonglong2>(words_.size() / 2);
    to_ = core::DeviceBuffer<ulonglong2>(words_.size() / 2);
    sums_ = core::DeviceBuffer<Word>(words_.size() / 2);
    core::copy_async(reinterpret_cast<Word*>(from_.data()), words_.data(), from_.size() * 2, s_.stream);
    s_.stream.synchronize();
  }

  void measure() {
    std::vector<GpuSession::Method> reads, copies;
    add_read<2>(reads);
    add_read<4>(reads);
    add_read<8>(reads);
    add_copy<1>(copies);
    add_copy<2>(copies);
    add_copy<4>(copies);
    const std::string note = "L2 of " + core::format_bytes(static_cast<double>(cache_));
    s_.measure(
        "gpu.l2.read", "GB/s", reads, 1, [&] { fill_bytes_async(sums_, 0xff, s_.stream); }, note);
    s_.measure(
        "gpu.l2.copy", "GB/s", copies, 1, [&] { fill_bytes_async(to_, 0xff, s_.stream); }, note);
  }

 private:
  // As many blocks as run concurrently, and as many passes as take some milliseconds at several TB/s. `arrays` is the
  // number of arrays in the working set.
  struct Shape {
    unsigned blocks;
    std::int64_t elements;  // elements of 16 bytes per array
    double bytes;           // total size
    int passes;
    std::string name;
  };
  template <class Kernel>
  Shape shape(Kernel kernel, int items, int arrays) const {
    int per_multiprocessor = 0;
    core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, 0));
    const int blocks = per_multiprocessor * s_.attribute(cudaDevAttrMultiProcessorCount);
    const std::int64_t elements = std::int64_t{blocks} * threads * items;
    const double bytes = 16.0 * arrays * static_cast<double>(elements);
    return {static_cast<unsigned>(blocks), elements, bytes,
            static_cast<int>(std::max(1.0, 16e9 / std::max(bytes, 1.0))), core::format_bytes(bytes) + " working set"};
  }
  bool fits(const Shape& shape) const {
    return shape.elements > 0 && shape.bytes <= static_cast<double>(max_working_set_);
  }

  template <int Items>
  void add_read(std::vector<GpuSession::Method>& methods) {
    const Shape s = shape(read_kernel<Items>, Items, 1);
    if (!fits(s)) return;
    methods.push_back({s.name, s.bytes * s.passes,
                       [=, this] {
                         read_kernel<Items>
                             <<<s.blocks, threads, 0, s_.stream.get()>>>(from_.data(), s.passes, sums_.data());
                       },
                       [=, this] {
                         Word sum = 0, expected = 0;
                         for (const Word part : downloaded(sums_.data(), s.elements / Items)) sum += part;
                         for (std::int64_t i = 0; i < 2 * s.elements; ++i)
                           expected += words_[static_cast<std::size_t>(i)];
                         return sum == expected * static_cast<Word>(s.passes);
                       }});
  }
  template <int Items>
  void add_copy(std::vector<GpuSession::Method>& methods) {
    const Shape s = shape(copy_kernel<Items>, Items, 2);
    if (!fits(s)) return;
    methods.push_back({s.name, s.bytes * s.passes,
                       [=, this] {
                         copy_kernel<Items>
                             <<<s.blocks, threads, 0, s_.stream.get()>>>(from_.data(), to_.data(), s.passes);
                       },
                       [=, this] {
                         const auto got = downloaded(reinterpret_cast<const Word*>(to_.data()), 2 * s.elements);
                         return std::equal(got.begin(), got.end(), words_.begin());
                       }});
  }

  std::vector<Word> downloaded(const Word* from, std::int64_t count) const {
    std::vector<Word> host(static_cast<std::size_t>(count));
    core::copy_async(host.data(), from, host.size(), s_.stream);
    s_.stream.synchronize();
    return host;
  }

  GpuSession& s_;
  const std::int64_t cache_, max_working_set_;  // bytes of the cache, and of the largest working set
  std::vector<Word> words_;                     // contents of from_
  core::DeviceBuffer<ulonglong2> from_, to_;
  core::DeviceBuffer<Word> sums_;
};

}  // namespace

void measure_gpu_cache(GpuSession& session) { CacheBench(session).measure(); }

}  // namespace speedwell::machine
