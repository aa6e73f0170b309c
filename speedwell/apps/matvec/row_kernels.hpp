// The kernels of the best GPU variant: a row of A is read by neighbouring lanes in 16-byte loads. The bandwidth depends
// on the number of loads in flight from the first cycle on; hence every lane issues Rows x Unroll of them before it
// uses one. The kernels are templates, because the best parameters are found by measurement: cuda.cu has the choice,
// the test program the alternatives.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/matvec/cuda.hpp"

namespace speedwell::matvec::kernels {

/// Caching of an element of A after its only use in this product.
enum class Cache {
  keep,     // the default
  stream,   // evict first, in both levels
  pass,     // no allocation in the first level, which B uses; the default in the second
  divided,  // bypasses the first level; in the second the first `kept` rows stay, the others are evicted first.
            // The next product with the same matrix finds the kept rows there, however large the matrix
};

template <class T, int Width>
struct Vector;
template <>
struct Vector<float, 1> {
  using type = float;
};
template <>
struct Vector<float, 4> {
  using type = float4;
};
template <>
struct Vector<double, 1> {
  using type = double;
};
template <>
struct Vector<double, 2> {
  using type = double2;
};
/// Elements in 16 bytes.
template <class T>
constexpr int wide = 16 / sizeof(T);

/// Reads elements of A. volatile keeps the order of the loads, all of a batch before the first use; it does not order
/// anything else.
template <Cache cache>
struct Reader {
  __device__ explicit Reader(bool) {}
  template <class V>
  __device__ V operator()(const V* p) const {
    if constexpr (cache == Cache::keep) return __ldg(p);
    if constexpr (cache == Cache::stream) return __ldcs(p);
    V v;
    past_l1(v, p);
    return v;
  }

 private:
  static __device__ void past_l1(float& v, const float* p) {
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
  }
  static __device__ void past_l1(double& v, const double* p) {
    asm volatile("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(v) : "l"(p));
  }
  static __device__ void past_l1(float4& v, const float4* p) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
  }
  static __device__ void past_l1(double2& v, const double2* p) {
    asm volatile("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "l"(p));
  }
};

template <>
struct Reader<Cache::divided> {
  __device__ explicit Reader(bool keep) {
    std::uint64_t normal, first;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    policy_ = keep ? normal : first;
  }
  __device__ float operator()(const float* p) const {
    float v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(p), "l"(policy_));
    return v;
  }
  __device__ double operator()(const double* p) const {
    double v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;" : "=d"(v) : "l"(p), "l"(policy_));
    return v;
  }
  __device__ float4 operator()(const float4* p) const {
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p), "l"(policy_));
    return v;
  }
  __device__ double2 operator()(const double2* p) const {
    double2 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                 : "=d"(v.x), "=d"(v.y)
                 : "l"(p), "l"(policy_));
    return v;
  }

 private:
  std::uint64_t policy_;
};

__device__ inline void multiply_add(float& s, float x, float y) { s = fmaf(x, y, s); }
__device__ inline void multiply_add(double& s, double x, double y) { s = fma(x, y, s); }
__device__ inline void multiply_add(float4& s, float4 x, float4 y) {
  s = {fmaf(x.x, y.x, s.x), fmaf(x.y, y.y, s.y), fmaf(x.z, y.z, s.z), fmaf(x.w, y.w, s.w)};
}
__device__ inline void multiply_add(double2& s, double2 x, double2 y) { s = {fma(x.x, y.x, s.x), fma(x.y, y.y, s.y)}; }

__device__ inline float sum_of(float v) { return v; }
__device__ inline double sum_of(double v) { return v; }
__device__ inline float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ inline double sum_of(double2 v) { return v.x + v.y; }

/// This lane's partial products of `Rows` rows of `columns` elements with b; the results of the rows are the sums over
/// all `lanes` lanes. With Width > 1 every row and b are aligned to 16 bytes.
template <class T, int Width, int Rows, int Unroll, Cache cache>
__device__ void part_of_rows(T (&part)[Rows], const T* const (&row)[Rows], const T* __restrict__ b,
                             std::int64_t columns, int lane, int lanes, const Reader<cache>& read) {
  using V = typename Vector<T, Width>::type;
  const std::int64_t vectors = columns / Width;
  const int batch = Unroll * lanes;
  V sum[Rows] = {};
  std::int64_t base = 0;
  for (; base + batch <= vectors; base += batch) {
    V x[Rows][Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
#pragma unroll
      for (int r = 0; r < Rows; ++r) x[r][u] = read(reinterpret_cast<const V*>(row[r]) + base + lane + u * lanes);
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const V y = __ldg(reinterpret_cast<const V*>(b) + base + lane + u * lanes);
#pragma unroll
      for (int r = 0; r < Rows; ++r) multiply_add(sum[r], x[r][u], y);
    }
  }
  if (base < vectors) {  // the last, incomplete batch: still all loads before the first use
    V x[Rows][Unroll] = {}, y[Unroll] = {};
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const std::int64_t v = base + lane + u * lanes;
      if (v < vectors) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) x[r][u] = read(reinterpret_cast<const V*>(row[r]) + v);
        y[u] = __ldg(reinterpret_cast<const V*>(b) + v);
      }
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
#pragma unroll
      for (int r = 0; r < Rows; ++r) multiply_add(sum[r], x[r][u], y[u]);
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) part[r] = sum_of(sum[r]);
  if constexpr (Width > 1)
    for (std::int64_t j = vectors * Width + lane; j < columns; j += lanes)
#pragma unroll
      for (int r = 0; r < Rows; ++r) multiply_add(part[r], row[r][j], __ldg(b + j));
}

/// The sum over `lanes` neighbouring lanes, a power of two up to 32, returned to each of them. All lanes of the warp
/// must call it.
template <class T>
__device__ T sum_over_lanes(T s, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) s += __shfl_xor_sync(0xffffffffu, s, distance);
  return s;
}

/// `lanes` lanes of a warp, Lanes if that is not 0, process `Rows` rows at a time. Lanes without a row repeat the last
/// one without storing it, so that warps do not diverge.
template <class T, int Width, int Lanes, int Rows, int Unroll, Cache cache, int Threads>
__global__ void __launch_bounds__(Threads) rows_by_lanes(Operands<T> p, int lanes_given, std::int64_t kept) {
  const int lanes = Lanes > 0 ? Lanes : lanes_given;
  const int groups = 32 / lanes, group = threadIdx.x % 32 / lanes, lane = threadIdx.x % lanes;
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * (Threads / 32) + threadIdx.x / 32;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (Threads / 32);
  for (std::int64_t first = warp * groups * Rows; first < p.rows; first += warps * groups * Rows) {
    const T* row[Rows];
    T part[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) row[r] = p.a + min(first + r * groups + group, p.rows - 1) * p.leading;
    part_of_rows<T, Width, Rows, Unroll, cache>(part, row, p.b, p.columns, lane, lanes, Reader<cache>(first < kept));
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const T sum = sum_over_lanes(part[r], lanes);
      const std::int64_t i = first + r * groups + group;
      if (lane == 0 && i < p.rows) p.c[i] = sum;
    }
  }
}

/// A block processes `chunk` columns of `Rows` rows. out[i * pieces + k] is the sum of row i's piece k. Concurrent
/// blocks have neighbouring rows of the same piece, so that B is read from the cache.
template <class T, int Width, int Rows, int Unroll, Cache cache, int Threads>
__global__ void __launch_bounds__(Threads)
    rows_by_block(Operands<T> p, T* out, std::int64_t chunk, std::int64_t pieces, std::int64_t kept) {
  __shared__ T warp_sum[Rows][Threads / 32];
  const std::int64_t row_groups = (p.rows - 1) / Rows + 1;
  for (std::int64_t task = blockIdx.x; task < row_groups * pieces; task += gridDim.x) {
    const std::int64_t first = task % row_groups * Rows, piece = task / row_groups, begin = piece * chunk;
    const T* row[Rows];
    T part[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) row[r] = p.a + min(first + r, p.rows - 1) * p.leading + begin;
    part_of_rows<T, Width, Rows, Unroll, cache>(part, row, p.b + begin, min(chunk, p.columns - begin), threadIdx.x,
                                                Threads, Reader<cache>(first < kept));
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const T sum = sum_over_lanes(part[r], 32);
      if (threadIdx.x % 32 == 0) warp_sum[r][threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < Rows && first + threadIdx.x < p.rows) {
      T sum = warp_sum[threadIdx.x][0];
      for (int w = 1; w < Threads / 32; ++w) sum += warp_sum[threadIdx.x][w];
      out[(first + threadIdx.x) * pieces + piece] = sum;
    }
    __syncthreads();  // the next task writes warp_sum again
  }
}

/// A warp per row adds its pieces: each lane every 32nd in order, then the lanes are reduced.
template <class T>
__global__ void add_pieces(const T* __restrict__ partial, T* c, std::int64_t rows, std::int64_t pieces) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; i < rows;
       i += warps) {
    T sum = 0;
    for (std::int64_t k = threadIdx.x % 32; k < pieces; k += 32) sum += partial[i * pieces + k];
    sum = sum_over_lanes(sum, 32);
    if (threadIdx.x % 32 == 0) c[i] = sum;
  }
}

/// The number of blocks with which rows_by_lanes processes all rows at once.
template <int Rows, int Threads>
std::int64_t blocks_of_lanes(std::int64_t rows, int lanes) {
  const std::int64_t rows_per_block = static_cast<std::int64_t>(Threads / lanes) * Rows;
  return (rows - 1) / rows_per_block + 1;
}

/// The maximum of a grid along x; the kernels loop over the rest.
constexpr std::int64_t max_blocks = 2147483647;

template <class T, int Width, int Lanes, int Rows, int Unroll, Cache cache, int Threads>
void launch_by_lanes(const Operands<T>& p, int lanes, std::int64_t blocks, std::int64_t kept,
                     const core::Stream& stream) {
  rows_by_lanes<T, Width, Lanes, Rows, Unroll, cache, Threads>
      <<<static_cast<unsigned>(std::min(blocks, max_blocks)), Threads, 0, stream.get()>>>(p, lanes, kept);
  core::check(cudaGetLastError());
}

template <class T, int Width, int Rows, int Unroll, Cache cache, int Threads>
void launch_by_block(const Operands<T>& p, std::int64_t chunk, std::int64_t pieces, std::int64_t kept,
                     const core::Stream& stream) {
  const std::int64_t tasks = ((p.rows - 1) / Rows + 1) * pieces;
  rows_by_block<T, Width, Rows, Unroll, cache, Threads>
      <<<static_cast<unsigned>(std::min(tasks, max_blocks)), Threads, 0, stream.get()>>>(
          p, pieces > 1 ? p.partial : p.c, chunk, pieces, kept);
  core::check(cudaGetLastError());
  if (pieces == 1) return;
  add_pieces<<<static_cast<unsigned>(std::min((p.rows - 1) / 4 + 1, max_blocks)), 128, 0, stream.get()>>>(
      p.partial, p.c, p.rows, pieces);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::matvec::kernels
