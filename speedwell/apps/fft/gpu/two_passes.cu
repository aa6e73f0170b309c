#include "speedwell/apps/fft/gpu/cube_tiles.hpp"
#include "speedwell/apps/fft/gpu/line_transform.hpp"
#include "speedwell/apps/fft/gpu/memory.hpp"
#include "speedwell/apps/fft/gpu/method.hpp"
#include "speedwell/apps/fft/gpu/pass.hpp"
#include "speedwell/apps/fft/gpu/tables.hpp"
#include "speedwell/apps/fft/gpu/two_passes.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int n = two_pass_extent, parts = 16;  // of an axis; of the middle one

template <class T>
constexpr int shared_bytes = OnTile<RowsTile>::shared_points* static_cast<int>(sizeof(Complex<T>));

// What needs the instructions of clusters is left out of code for older GPUs, which supports_two_passes() keeps away.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SPEEDWELL_CLUSTERS 1
#endif

__device__ void arrive_at_cluster() {
#ifdef SPEEDWELL_CLUSTERS
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ void await_cluster() {
#ifdef SPEEDWELL_CLUSTERS
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Writes to the shared memory of a block of the cluster, at the address that `own` has in this block's.
template <class T>
__device__ void write_at(unsigned own, int block, Complex<T> z) {
#ifdef SPEEDWELL_CLUSTERS
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(own), "r"(block));
  if constexpr (sizeof(T) == 8)
    asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(z.re), "d"(z.im) : "memory");
  else
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(z.re), "f"(z.im) : "memory");
#endif
}

/// Points to who has them in round q + 1. Nobody of the block may be at `shared` still; nobody of the cluster, where
/// points change blocks.
template <class Tile, int q, class T>
__device__ void exchange(Complex<T> (&x)[16], int thread, int address, Complex<T>* shared) {
  using On = OnTile<Tile>;
  const int to = On::template place<q + 1>(address);
  if constexpr (!On::leaves_block(q)) {
    detail::each<16>([&]<int e>() {
      constexpr int of_e = On::template of_register<q>(e);
      shared[to + On::template place<q + 1>(of_e)] = x[e];
    });
    __syncthreads();
  } else {
    const int block = On::template block_of<q + 1>(address);
    await_cluster();
    detail::each<16>([&]<int e>() {
      constexpr int of_e = On::template of_register<q>(e);
      const int place = to + On::template place<q + 1>(of_e);
      write_at(static_cast<unsigned>(__cvta_generic_to_shared(shared + place)),
               block | On::template block_of<q + 1>(of_e), x[e]);
    });
    arrive_at_cluster();
    await_cluster();
  }
  const int from = On::template place<q + 1>(On::template of_thread<q + 1>(thread, 0));
  detail::each<16>([&]<int e>() {
    constexpr int of_e = On::template of_register<q + 1>(e);
    x[e] = shared[from + On::template place<q + 1>(of_e)];
  });
}

/// All rounds on a thread's points.
template <class Tile, class T>
__device__ void transform_tile(Complex<T> (&x)[16], int block, const Complex<T>* table, Complex<T>* shared) {
  using On = OnTile<Tile>;
  const int thread = detail::thread_anew();
  detail::each<Tile::rounds>([&]<int q>() {
    const int address = On::template of_thread<q>(thread, block);
    // Who has read what the last exchange left lets the others write.
    if constexpr (On::leaves_block(q)) arrive_at_cluster();
    On::template transform<q>(x, address, table);
    if constexpr (q + 1 < Tile::rounds) {
      if constexpr (q > 0 && !On::leaves_block(q)) __syncthreads();
      exchange<Tile, q>(x, thread, address, shared);
    }
  });
}

/// From [z][j][r][x] to [k][z][r][frequency of x].
template <class T>
__global__ void __launch_bounds__(tile_threads, resident_threads<T> / tile_threads)
    rows_kernel(const Complex<T>* in, Complex<T>* out, const Complex<T>* table, T sign) {
  extern __shared__ __align__(16) char memory[];
  using On = OnTile<RowsTile>;
  constexpr int last = RowsTile::rounds - 1;
  const int z = static_cast<int>(blockIdx.x) / parts, r = static_cast<int>(blockIdx.x) % parts;
  Complex<T> x[16];
  {
    const int address = On::of_thread<0>(detail::thread_anew(), 0);
    const Complex<T>* p = in + ((z * parts + On::index<1>(address)) * parts + r) * n + On::index<0>(address);
    detail::each<16>([&]<int e>() {
      constexpr int of_e = On::of_register<0>(e);
      const Complex<T> v = detail::fetch<Cached::usual>(p + On::index<1>(of_e) * parts * n + On::index<0>(of_e));
      x[e] = {v.re, sign * v.im};
    });
  }
  transform_tile<RowsTile>(x, 0, table, reinterpret_cast<Complex<T>*>(memory));
  const int address = On::of_thread<last>(detail::thread_anew(), 0);
  Complex<T>* p = out + ((On::frequency<1>(address) * n + z) * parts + r) * n + On::frequency<0>(address);
  detail::each<16>([&]<int e>() {
    constexpr int of_e = On::of_register<last>(e);
    detail::put<Cached::usual>(p + On::frequency<1>(of_e) * n * parts * n + On::frequency<0>(of_e), x[e]);
  });
}

/// From [k][z][r][x] to [frequency of z][l][k][x].
template <class T>
__global__ void __launch_bounds__(tile_threads, resident_threads<T> / tile_threads)
    columns_kernel(const Complex<T>* in, Complex<T>* out, const Complex<T>* table, const Complex<T>* roots, T re,
                   T im) {
  extern __shared__ __align__(16) char memory[];
  using On = OnTile<ColumnsTile>;
  constexpr int last = ColumnsTile::rounds - 1, wide = 1 << ColumnsTile::axis_log[0];
  const int block = static_cast<int>(blockIdx.x) % On::blocks, tile = static_cast<int>(blockIdx.x) / On::blocks;
  const int k = tile / (n / wide), column = tile % (n / wide) * wide;
  Complex<T> x[16];
  {
    const int address = On::of_thread<0>(detail::thread_anew(), block), r = On::index<2>(address);
    const Complex<T>* p = in + ((k * n + On::index<1>(address)) * parts + r) * n + column + On::index<0>(address);
    detail::each<16>([&]<int e>() {
      constexpr int of_e = On::of_register<0>(e);
      x[e] = detail::fetch<Cached::usual>(p + (On::index<1>(of_e) * parts + On::index<2>(of_e)) * n);
    });
    detail::each<16>([&]<int e>() {
      constexpr int of_e = On::of_register<0>(e);
      x[e] = x[e] * roots[k * (r + On::index<2>(of_e))];
    });
  }
  transform_tile<ColumnsTile>(x, block, table, reinterpret_cast<Complex<T>*>(memory));
  const int address = On::of_thread<last>(detail::thread_anew(), block);
  const auto place = [](int a) { return (On::frequency<1>(a) * parts + On::frequency<2>(a)) * parts * n; };
  Complex<T>* p = out + place(address) + k * n + column + On::frequency<0>(address);
  detail::each<16>([&]<int e>() {
    constexpr int of_e = On::of_register<last>(e);
    detail::put<Cached::usual>(p + place(of_e), {re * x[e].re, im * x[e].im});
  });
}

}  // namespace

bool supports_two_passes() {
  int device = 0, clusters = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
  return clusters != 0;
}

template <class T>
TwoPasses<T>::TwoPasses(const core::Stream& stream)
    : rows_(on_device<T>(tile_table<T, RowsTile>(), stream)),
      columns_(on_device<T>(tile_table<T, ColumnsTile>(), stream)),
      roots_(on_device<T>(roots_of_unity<T>(n), stream)) {}

template <class T>
void TwoPasses<T>::run(const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work,
                       const core::Stream& stream) const {
  const Grid blocks{n * n * n / tile_points, tile_threads, shared_bytes<T>};
  const Grid clusters{blocks.blocks, blocks.threads, blocks.shared_bytes, OnTile<ColumnsTile>::blocks};
  launch_kernel(rows_kernel<T>, blocks, stream, in, work, rows_.data(), sign);
  launch_kernel(columns_kernel<T>, clusters, stream, work, out, columns_.data(), roots_.data(), scale, sign * scale);
}

template class TwoPasses<float>;
template class TwoPasses<double>;

}  // namespace speedwell::fft::gpu
