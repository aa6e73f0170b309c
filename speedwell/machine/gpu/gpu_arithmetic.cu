// Arithmetic rates. Every thread keeps eight independent chains in registers, and as many threads run as fit at once,
// so that neither latency nor memory limits the rate. One operation of the source below is one instruction; the results
// are checked and are correct only if all were executed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/host_device.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {
namespace {

constexpr int threads = 256;
constexpr int chains = 8;

__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ double multiply_add(double v, double x, double y) { return __fma_rn(v, x, y); }
__device__ float multiply_add(float v, float x, float y) { return __fmaf_rn(v, x, y); }

// The initial value of chain i, counted over all threads; exact in either precision.
constexpr int fma_kinds = 11;
template <class T>
SPEEDWELL_HD
T fma_start(std::int64_t i) { return static_cast<T>(1 + i % fma_kinds) / 8; }

// v = v x + y, Rounds times per iteration of the loop; stores the sum of the thread's chains.
template <class T, int Rounds>
__global__ void __launch_bounds__(threads) fma_kernel(T x, T y, int loops, T* sums) {
  T v[chains];
#pragma unroll
  for (int j = 0; j < chains; ++j) v[j] = fma_start<T>(thread_index() * chains + j);
#pragma unroll 1
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
#pragma unroll
      for (int j = 0; j < chains; ++j) v[j] = multiply_add(v[j], x, y);
  T sum = 0;
#pragma unroll
  for (int j = 0; j < chains; ++j) sum += v[j];
  sums[thread_index()] = sum;
}

constexpr int integer_kinds = 64;
SPEEDWELL_HD
std::uint32_t integer_start(std::int64_t thread, int chain) {
  return static_cast<std::uint32_t>(
      core::random_bits(5, static_cast<std::uint64_t>(thread % integer_kinds * chains + chain)));
}

// v ^= next & mask in one LOP3 (the table 0x78 is a ^ (b & c)). From C++ source, the compiler would keep masked copies
// and use more instructions than there are operations. The mixing of chains prevents the merging of steps, and
// invertibility keeps values from vanishing.
__device__ void mix(std::uint32_t& v, std::uint32_t next, std::uint32_t mask) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x78;" : "+r"(v) : "r"(next), "r"(mask));
}
template <int Rounds>
__global__ void __launch_bounds__(threads) integer_kernel(std::uint32_t mask, int loops, std::uint32_t* sums) {
  std::uint32_t v[chains];
#pragma unroll
  for (int j = 0; j < chains; ++j) v[j] = integer_start(thread_index(), j);
#pragma unroll 1
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
#pragma unroll
      for (int j = 0; j < chains; ++j) mix(v[j], v[(j + 1) % chains], mask);
  std::uint32_t sum = 0;
#pragma unroll
  for (int j = 0; j < chains; ++j) sum += v[j];
  sums[thread_index()] = sum;
}

// Two 16-bit numbers in a word, low first.
SPEEDWELL_HD
constexpr std::uint32_t pair(int low, int high) {
  return static_cast<std::uint32_t>(low & 0xffff) | (static_cast<std::uint32_t>(high & 0xffff) << 16);
}
// In an iteration of the loop the steps add up to +1 in the low half and -1 in the high one. The halves start far
// enough from the ends of their range that `dpx_max_loops` iterations neither wrap around nor reach the floor.
constexpr int dpx_rounds = 16, dpx_max_loops = 30000, dpx_low_start = 1000, dpx_high_start = 32000;
struct DpxSteps {
  std::uint32_t up = pair(7, 5), down = pair(-7, -5), last = pair(-6, -6), floor = pair(3, 4);
};

// v = max(v + step, floor, 0) in both halves; stores the sums of the halves over the thread's chains.
__global__ void __launch_bounds__(threads) dpx_kernel(DpxSteps steps, int loops, int2* sums) {
  std::uint32_t v[chains];
#pragma unroll
  for (int j = 0; j < chains; ++j) {
    const int k = static_cast<int>((thread_index() * chains + j) % fma_kinds);
    v[j] = pair(dpx_low_start + k, dpx_high_start + k);
  }
#pragma unroll 1
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int r = 0; r < dpx_rounds; ++r)
#pragma unroll
      for (int j = 0; j < chains; ++j)
        v[j] = __viaddmax_s16x2_relu(v[j],
                                     r % 2 == 0            ? steps.up
                                     : r + 1 == dpx_rounds ? steps.last
                                                           : steps.down,
                                     steps.floor);
  int2 sum = {0, 0};
#pragma unroll
  for (int j = 0; j < chains; ++j) {
    sum.x += static_cast<int>(v[j] & 0xffff);
    sum.y += static_cast<int>(v[j] >> 16);
  }
  sums[thread_index()] = sum;
}

// Runs one arithmetic kernel, launch(blocks, loops, sums), that stores a Sum for each thread.
template <class Sum>
class Rate {
 public:
  template <class Kernel>
  Rate(GpuSession& session, Kernel kernel) : s_(session) {
    int per_multiprocessor = 0;
    core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, 0));
    blocks_ = per_multiprocessor * s_.attribute(cudaDevAttrMultiProcessorCount);
    sums_ = core::DeviceBuffer<Sum>(static_cast<std::size_t>(blocks_) * threads);
  }

  int blocks() const { return blocks_; }
  Sum* sums() { return sums_.data(); }
  double chain_count() const { return static_cast<double>(blocks_) * threads * chains; }

  // The number of iterations that take about one sample's time.
  template <class Launch>
  int loops_for_a_sample(const Launch& launch, int max_loops) {
    constexpr int few = 64;
    s_.warm_up(20e-3, [&] { launch(few); });
    const double took = std::min(
        {s_.seconds([&] { launch(few); }), s_.seconds([&] { launch(few); }), s_.seconds([&] { launch(few); })});
    return static_cast<int>(std::clamp(few * s_.sample_seconds() / took, 1.0, static_cast<double>(max_loops)));
  }
  void spoil() { fill_bytes_async(sums_, 0xff, s_.stream); }

  // Whether accept(thread, sum) holds for every thread.
  template <class Accept>
  bool all(const Accept& accept) {
    std::vector<Sum> host(sums_.size());
    core::copy_async(host.data(), sums_.data(), host.size(), s_.stream);
    s_.stream.synchronize();
    for (std::size_t t = 0; t < host.size(); ++t)
      if (!accept(static_cast<std::int64_t>(t), host[t])) return false;
    return true;
  }

 private:
  GpuSession& s_;
  int blocks_ = 0;
  core::DeviceBuffer<Sum> sums_;
};

constexpr int max_loops = 1 << 20;

// After N rounds a chain is at p + x^N (start - p), p = y / (1 - x). |x| < 1, so that rounds do not amplify earlier
// errors, and each adds half a unit in the last place of a number below 2: N 2^-digits bounds the error of a chain.
// Each addition of a chain to the sum adds less than one unit in the last place. With |x| = 1 - 2^-16 a few ten
// thousand rounds change x^N visibly.
template <class T>
bool fma_sum_is_right(std::int64_t thread, T sum, T x, T y, double rounds) {
  const double p = y / (1 - static_cast<double>(x)), power = std::pow(static_cast<double>(x), rounds);
  double expected = 0;
  for (int j = 0; j < chains; ++j) expected += p + power * (fma_start<double>(thread * chains + j) - p);
  const double bound = chains * (rounds + 16) * std::ldexp(1.0, -std::numeric_limits<T>::digits);
  return std::abs(static_cast<double>(sum) - expected) <= bound;
}

template <class T, int Rounds>
void measure_fma(GpuSession& session, const std::string& name) {
  constexpr T x = static_cast<T>(-(1 - 0x1p-16)), y = static_cast<T>(0.5);
  Rate<T> rate(session, fma_kernel<T, Rounds>);
  const auto launch = [&](int loops) {
    fma_kernel<T, Rounds><<<rate.blocks(), threads, 0, session.stream.get()>>>(x, y, loops, rate.sums());
  };
  const int loops = rate.loops_for_a_sample(launch, max_loops);
  const double rounds = static_cast<double>(loops) * Rounds;
  std::vector<T> right(
      fma_kinds);  // threads with equal initial values must have equal results; one of each kind is computed
  session.measure(
      name, "GFLOP/s",
      {{std::to_string(Rounds * chains) + " instructions a loop", 2 * rate.chain_count() * rounds,
        [&] { launch(loops); },
        [&] {
          return rate.all([&](std::int64_t t, T sum) {
            T& kind = right[static_cast<std::size_t>(t % fma_kinds)];
            if (t < fma_kinds) {
              kind = sum;
              return fma_sum_is_right(t, sum, x, y, rounds);
            }
            return sum == kind;
          });
        }}},
      1, [&] { rate.spoil(); }, "fused multiply-add");
}

void measure_integer(GpuSession& session) {
  constexpr int Rounds = 16;
  constexpr std::uint32_t mask = 0xb5297a4du;
  Rate<std::uint32_t> rate(session, integer_kernel<Rounds>);
  const auto launch = [&](int loops) {
    integer_kernel<Rounds><<<rate.blocks(), threads, 0, session.stream.get()>>>(mask, loops, rate.sums());
  };
  const int loops = rate.loops_for_a_sample(launch, max_loops);
  std::vector<std::uint32_t> expected;
  for (int kind = 0; kind < integer_kinds; ++kind) {
    std::uint32_t v[chains];
    for (int j = 0; j < chains; ++j) v[j] = integer_start(kind, j);
    for (std::int64_t r = 0; r < std::int64_t{loops} * Rounds; ++r)
      for (int j = 0; j < chains; ++j) v[j] = v[j] ^ (v[(j + 1) % chains] & mask);
    std::uint32_t sum = 0;
    for (const std::uint32_t value : v) sum += value;
    expected.push_back(sum);
  }
  session.measure(
      "gpu.integer", "Gop/s",
      {{std::to_string(Rounds * chains) + " instructions a loop", rate.chain_count() * loops * Rounds,
        [&] { launch(loops); },
        [&] {
          return rate.all([&](std::int64_t t, std::uint32_t sum) {
            return sum == expected[static_cast<std::size_t>(t % integer_kinds)];
          });
        }}},
      1, [&] { rate.spoil(); }, "three-input logic (LOP3)");
}

// Before compute capability 9.0, or in code compiled for less, the function takes several instructions.
bool have_dpx(const GpuSession& session) {
  cudaFuncAttributes attributes{};
  core::check(cudaFuncGetAttributes(&attributes, dpx_kernel));
  return session.attribute(cudaDevAttrComputeCapabilityMajor) >= 9 && attributes.ptxVersion >= 90;
}

void measure_dpx(GpuSession& session) {
  Rate<int2> rate(session, dpx_kernel);
  const auto launch = [&](int loops) {
    dpx_kernel<<<rate.blocks(), threads, 0, session.stream.get()>>>(DpxSteps{}, loops, rate.sums());
  };
  const int loops = rate.loops_for_a_sample(launch, dpx_max_loops);
  session.measure(
      "gpu.dpx", "Gop/s",
      {{std::to_string(dpx_rounds * chains) + " instructions a loop", rate.chain_count() * loops * dpx_rounds,
        [&] { launch(loops); },
        [&] {
          return rate.all([&](std::int64_t t, int2 sum) {
            int low = 0, high = 0;
            for (int j = 0; j < chains; ++j) {
              const int k = static_cast<int>((t * chains + j) % fma_kinds);
              low += dpx_low_start + k + loops;
              high += dpx_high_start + k - loops;
            }
            return sum.x == low && sum.y == high;
          });
        }}},
      1, [&] { rate.spoil(); }, "__viaddmax_s16x2_relu");
}

}  // namespace

void measure_gpu_arithmetic(GpuSession& session) {
  // The loop's own three instructions cost an issue slot each: nothing to f64, at half the issue rate, and 2 % to f32
  // with 128 in the loop (with 64 it would be 5 %).
  measure_fma<double, 8>(session, "gpu.fma.f64");
  measure_fma<float, 16>(session, "gpu.fma.f32");
  measure_integer(session);
  if (have_dpx(session)) measure_dpx(session);
}

}  // namespace speedwell::machine
