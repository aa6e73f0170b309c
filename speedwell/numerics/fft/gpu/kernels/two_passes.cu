#include "speedwell/numerics/fft/gpu/device/cube_tiles.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"
#include "speedwell/numerics/fft/gpu/kernels/two_passes.hpp"
#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int n = two_pass_extent, middle_factor = 16;  // extent of an axis, and the first factor of the middle one

template <class T>
constexpr int shared_bytes = TileMap<RowsTile>::shared_points* static_cast<int>(sizeof(Complex<T>));

// Instructions for clusters are compiled only for GPUs that have them; supports_two_passes() excludes the others.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SPEEDWELL_CLUSTERS 1
#endif

__device__ void cluster_arrive() {
#ifdef SPEEDWELL_CLUSTERS
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ void cluster_wait() {
#ifdef SPEEDWELL_CLUSTERS
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Stores to the shared memory of another block of the cluster, at the offset of `local_address` in this block's.
template <class T>
__device__ void store_to_block(unsigned local_address, int block, Complex<T> z) {
#ifdef SPEEDWELL_CLUSTERS
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(local_address), "r"(block));
  if constexpr (sizeof(T) == 8)
    asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(z.re), "d"(z.im) : "memory");
  else
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(z.re), "f"(z.im) : "memory");
#endif
}

/// Moves points to their owners in round q + 1. No thread of the block, or of the cluster if points move between
/// blocks, may still access `shared`.
template <class Tile, int q, class T>
__device__ void exchange(Complex<T> (&x)[16], int thread, int address, Complex<T>* shared) {
  using Map = TileMap<Tile>;
  const int to = Map::template shared_index<q + 1>(address);
  if constexpr (!Map::crosses_blocks(q)) {
    detail::each<16>([&]<int e>() {
      constexpr int address_e = Map::template register_address<q>(e);
      shared[to + Map::template shared_index<q + 1>(address_e)] = x[e];
    });
    __syncthreads();
  } else {
    const int block = Map::template owner_block<q + 1>(address);
    cluster_wait();
    detail::each<16>([&]<int e>() {
      constexpr int address_e = Map::template register_address<q>(e);
      const int offset = to + Map::template shared_index<q + 1>(address_e);
      store_to_block(static_cast<unsigned>(__cvta_generic_to_shared(shared + offset)),
                     block | Map::template owner_block<q + 1>(address_e), x[e]);
    });
    cluster_arrive();
    cluster_wait();
  }
  const int from = Map::template shared_index<q + 1>(Map::template thread_address<q + 1>(thread, 0));
  detail::each<16>([&]<int e>() {
    constexpr int address_e = Map::template register_address<q + 1>(e);
    x[e] = shared[from + Map::template shared_index<q + 1>(address_e)];
  });
}

/// All rounds on a thread's points.
template <class Tile, class T>
__device__ void transform_tile(Complex<T> (&x)[16], int block, const Complex<T>* table, Complex<T>* shared) {
  using Map = TileMap<Tile>;
  const int thread = detail::opaque_thread_index();
  detail::each<Tile::rounds>([&]<int q>() {
    const int address = Map::template thread_address<q>(thread, block);
    // This thread has read the results of the last exchange: others may overwrite them.
    if constexpr (Map::crosses_blocks(q)) cluster_arrive();
    Map::template transform<q>(x, address, table);
    if constexpr (q + 1 < Tile::rounds) {
      if constexpr (q > 0 && !Map::crosses_blocks(q)) __syncthreads();
      exchange<Tile, q>(x, thread, address, shared);
    }
  });
}

/// Transforms [z][j][r][x] to [k][z][r][frequency of x].
template <class T>
__global__ void __launch_bounds__(tile_threads, resident_threads<T> / tile_threads)
    rows_kernel(const Complex<T>* in, Complex<T>* out, const Complex<T>* table, T sign) {
  extern __shared__ __align__(16) char memory[];
  using Map = TileMap<RowsTile>;
  constexpr int last = RowsTile::rounds - 1;
  const int z = static_cast<int>(blockIdx.x) / middle_factor, r = static_cast<int>(blockIdx.x) % middle_factor;
  Complex<T> x[16];
  {
    const int address = Map::thread_address<0>(detail::opaque_thread_index(), 0);
    const Complex<T>* p =
        in + ((z * middle_factor + Map::index<1>(address)) * middle_factor + r) * n + Map::index<0>(address);
    detail::each<16>([&]<int e>() {
      constexpr int address_e = Map::register_address<0>(e);
      const Complex<T> v = detail::fetch<CachePolicy::all_levels>(p + Map::index<1>(address_e) * middle_factor * n +
                                                                  Map::index<0>(address_e));
      x[e] = {v.re, sign * v.im};
    });
  }
  transform_tile<RowsTile>(x, 0, table, reinterpret_cast<Complex<T>*>(memory));
  const int address = Map::thread_address<last>(detail::opaque_thread_index(), 0);
  Complex<T>* p = out + ((Map::frequency<1>(address) * n + z) * middle_factor + r) * n + Map::frequency<0>(address);
  detail::each<16>([&]<int e>() {
    constexpr int address_e = Map::register_address<last>(e);
    detail::put<CachePolicy::all_levels>(
        p + Map::frequency<1>(address_e) * n * middle_factor * n + Map::frequency<0>(address_e), x[e]);
  });
}

/// Transforms [k][z][r][x] to [frequency of z][l][k][x].
template <class T>
__global__ void __launch_bounds__(tile_threads, resident_threads<T> / tile_threads)
    columns_kernel(const Complex<T>* in, Complex<T>* out, const Complex<T>* table, const Complex<T>* roots, T re,
                   T im) {
  extern __shared__ __align__(16) char memory[];
  using Map = TileMap<ColumnsTile>;
  constexpr int last = ColumnsTile::rounds - 1, wide = 1 << ColumnsTile::axis_log[0];
  const int block = static_cast<int>(blockIdx.x) % Map::blocks, tile = static_cast<int>(blockIdx.x) / Map::blocks;
  const int k = tile / (n / wide), column = tile % (n / wide) * wide;
  Complex<T> x[16];
  {
    const int address = Map::thread_address<0>(detail::opaque_thread_index(), block), r = Map::index<2>(address);
    const Complex<T>* p =
        in + ((k * n + Map::index<1>(address)) * middle_factor + r) * n + column + Map::index<0>(address);
    detail::each<16>([&]<int e>() {
      constexpr int address_e = Map::register_address<0>(e);
      x[e] = detail::fetch<CachePolicy::all_levels>(
          p + (Map::index<1>(address_e) * middle_factor + Map::index<2>(address_e)) * n);
    });
    detail::each<16>([&]<int e>() {
      constexpr int address_e = Map::register_address<0>(e);
      x[e] = x[e] * roots[k * (r + Map::index<2>(address_e))];
    });
  }
  transform_tile<ColumnsTile>(x, block, table, reinterpret_cast<Complex<T>*>(memory));
  const int address = Map::thread_address<last>(detail::opaque_thread_index(), block);
  const auto offset = [](int a) {
    return (Map::frequency<1>(a) * middle_factor + Map::frequency<2>(a)) * middle_factor * n;
  };
  Complex<T>* p = out + offset(address) + k * n + column + Map::frequency<0>(address);
  detail::each<16>([&]<int e>() {
    constexpr int address_e = Map::register_address<last>(e);
    detail::put<CachePolicy::all_levels>(p + offset(address_e), {re * x[e].re, im * x[e].im});
  });
}

}  // namespace

bool supports_two_passes() { return core::device_attribute(cudaDevAttrClusterLaunch) != 0; }

template <class T>
TwoPasses<T>::TwoPasses(const core::Stream& stream)
    : rows_(on_device<T>(tile_table<T, RowsTile>(), stream)),
      columns_(on_device<T>(tile_table<T, ColumnsTile>(), stream)),
      roots_(on_device<T>(roots_of_unity<T>(n), stream)) {}

template <class T>
void TwoPasses<T>::run(const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work,
                       const core::Stream& stream) const {
  const Grid blocks{n * n * n / tile_points, tile_threads, shared_bytes<T>};
  const Grid clusters{blocks.blocks, blocks.threads, blocks.shared_bytes, TileMap<ColumnsTile>::blocks};
  launch_kernel(rows_kernel<T>, blocks, stream, in, work, rows_.data(), sign);
  launch_kernel(columns_kernel<T>, clusters, stream, work, out, columns_.data(), roots_.data(), scale, sign * scale);
}

template class TwoPasses<float>;
template class TwoPasses<double>;

}  // namespace speedwell::fft::gpu
