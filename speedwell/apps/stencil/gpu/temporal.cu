// Temporal blocking: several sweeps of form E0 in one pass over memory ("3.5-dimensional blocking": Nguyen et al., SC
// 2010), entirely in registers. A block owns a tile in x and y and advances along z; every sweep is one level of a
// pipeline and lags the preceding level by one plane. A lane holds `width` cells of each of `rows` rows and, per level,
// two numbers per cell: its latest value u, and the partial sum s of its next value without the plane above. When plane
// q of the input arrives,
//   a_0 = input(q);  a_{t+1} = s_t + wz a_t;  s_t = w a_t + wz u_t;  u_t = a_t        for t = 0 .. depth - 1
// needs no neighbour, and
//   s_t += wx (west + east of u_t) + wy (south + north of u_t)
// needs the neighbours of all levels at once: those along x by shuffles, those of the outer rows from the adjacent warp
// through shared memory with ONE barrier per plane for all levels. Input planes are prefetched by asynchronous copies.
// The outermost cells of a tile become invalid at a rate of one per level; tiles overlap by that much.
#include <cuda_pipeline.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/apps/stencil/gpu/slab_source.hpp"

namespace speedwell::stencil {
namespace {

// Tiles of 12 and 16 warps with fewer rows per thread hide more latency but exchange more: H200, 512^3 in f64, depth 3:
// 12 x 4 rows 679 us, 16 x 3 708, 8 x 6 682; depth 4: 12 x 3 1050, 16 x 2 1192, 8 x 5 913.
constexpr int warps = 8;

template <class T, int depth_, int rows_>
struct Tile {
  static constexpr int depth = depth_, rows = rows_;
  static constexpr int width = 16 / static_cast<int>(sizeof(T));  // cells of a lane per row
  static constexpr int tile_x = 32 * width, tile_y = warps * rows;
  static constexpr int halo_x = (depth + width - 1) / width * width, halo_y = depth;  // keeps packs aligned
  static constexpr int out_x = tile_x - 2 * halo_x, out_y = tile_y - 2 * halo_y;
  static constexpr int stage_bytes = tile_x * tile_y * static_cast<int>(sizeof(T));
  static constexpr int edge_bytes = 2 * depth * warps * 2 * tile_x * static_cast<int>(sizeof(T));
  static constexpr int max_shared = 227 * 1024;
  static constexpr int stages = std::min(6, (max_shared - edge_bytes) / stage_bytes);
  static constexpr int shared_bytes = stages * stage_bytes + edge_bytes;
  static_assert(stages >= 2 && out_x > 0 && out_y > 0);
};

template <class T>
struct Weights {
  T x, y, z, own;
};

template <class T, int width>
struct alignas(16) Cells {
  T v[width];
};

/// The planes of the neighbours of a slab; empty on one GPU.
template <class T>
struct SlabPlanes {
  comm::HaloArrival<T> below, above;
  int halo = 0;  // planes of each
};

// aligned: nx is a multiple of the width, so that a lane's cells are contiguous also where the box wraps around.
template <class C, bool aligned, bool slab, class T>
__global__ void __launch_bounds__(warps * 32, 1)
    temporal_kernel(Weights<T> weight, const T* __restrict__ x, T* __restrict__ y, int nx, int ny, int nz, int begin,
                    int end, int planes, const __grid_constant__ SlabPlanes<T> neighbors) {
  constexpr int depth = C::depth, rows = C::rows, width = C::width, stages = C::stages;
  using Own = Cells<T, width>;
  extern __shared__ char shared[];
  Own* const staged = reinterpret_cast<Own*>(shared);                           // [stages][tile_y][32]
  Own* const edges = reinterpret_cast<Own*>(shared + stages * C::stage_bytes);  // [2][depth][warps][2][32]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x0 = blockIdx.x * C::out_x - C::halo_x + lane * width;
  const int y0 = blockIdx.y * C::out_y - C::halo_y + warp * rows;
  const int chunk = slab ? (blockIdx.z + 1) % gridDim.z : blockIdx.z;  // as in march_kernel
  const int k0 = begin + chunk * planes, k1 = min(k0 + planes, end);
  const std::int64_t plane = static_cast<std::int64_t>(nx) * ny;

  int column[aligned ? 1 : width];
#pragma unroll
  for (int w = 0; w < (aligned ? 1 : width); ++w) column[w] = ((x0 + w) % nx + nx) % nx;
  std::int64_t row[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) row[r] = static_cast<std::int64_t>(((y0 + r) % ny + ny) % ny) * nx;

  const int first = k0 - depth, count = k1 - k0 + 2 * depth;  // number of input planes
  int from = slab ? first : (first % nz + nz) % nz;           // next plane to load
  if constexpr (slab) device::wait_for_planes(neighbors.below, neighbors.above, first<0, k1 + depth> nz);
  const auto plane_from = [&](int k) {
    if constexpr (slab) {
      if (k < 0) return neighbors.below.data + (k + neighbors.halo) * plane;
      if (k >= nz) return neighbors.above.data + (k - nz) * plane;
    }
    return x + k * plane;
  };
  int loaded = 0;
  const auto load_next = [&] {
    if (loaded < count) {
      const T* const source = plane_from(from);
      Own* const target = staged + (loaded % stages * C::tile_y + warp * rows) * 32 + lane;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if constexpr (aligned) {
          __pipeline_memcpy_async(target + r * 32, source + row[r] + column[0], 16);
        } else {
#pragma unroll
          for (int w = 0; w < width; ++w)
            __pipeline_memcpy_async(&target[r * 32].v[w], source + row[r] + column[w], sizeof(T));
        }
      }
      from = !slab && from + 1 == nz ? 0 : from + 1;
    }
    ++loaded;
    __pipeline_commit();
  };
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) load_next();

  T s[depth][rows][width] = {}, u[depth][rows][width] = {};
  const bool out_column = lane * width >= C::halo_x && lane * width < C::tile_x - C::halo_x;
  for (int step = 0; step < count; ++step) {
    load_next();
    __pipeline_wait_prior(stages - 1);
    const Own* const input = staged + (step % stages * C::tile_y + warp * rows) * 32 + lane;
    const std::int64_t out_plane = static_cast<std::int64_t>(first + step - depth) * plane;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      Own a = input[r * 32];
#pragma unroll
      for (int t = 0; t < depth; ++t)
#pragma unroll
        for (int w = 0; w < width; ++w) {
          const T next = s[t][r][w] + weight.z * a.v[w];
          s[t][r][w] = weight.own * a.v[w] + weight.z * u[t][r][w];
          u[t][r][w] = a.v[w];
          a.v[w] = next;
        }
      const int in_tile = warp * rows + r;
      if (step >= 2 * depth && out_column && in_tile >= C::halo_y && in_tile < C::tile_y - C::halo_y && y0 + r < ny) {
        T* const target = y + out_plane + row[r] + x0;
        if constexpr (aligned) {
          if (x0 < nx) __stcs(reinterpret_cast<float4*>(target), *reinterpret_cast<const float4*>(&a));
        } else {
#pragma unroll
          for (int w = 0; w < width; ++w)
            if (x0 + w < nx) target[w] = a.v[w];
        }
      }
    }
    Own* const edge = edges + (step % 2) * (depth * warps * 2 * 32) + lane;
#pragma unroll
    for (int t = 0; t < depth; ++t)
#pragma unroll
      for (int w = 0; w < width; ++w) {
        edge[((t * warps + warp) * 2 + 0) * 32].v[w] = u[t][0][w];
        edge[((t * warps + warp) * 2 + 1) * 32].v[w] = u[t][rows - 1][w];
      }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < depth; ++t) {
      const Own south = edge[((t * warps + max(warp - 1, 0)) * 2 + 1) * 32],
                north = edge[((t * warps + min(warp + 1, warps - 1)) * 2 + 0) * 32];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const T west = __shfl_up_sync(~0u, u[t][r][width - 1], 1), east = __shfl_down_sync(~0u, u[t][r][0], 1);
#pragma unroll
        for (int w = 0; w < width; ++w) {
          const T across =
              (w > 0 ? u[t][r][w > 0 ? w - 1 : 0] : west) + (w < width - 1 ? u[t][r][w < width - 1 ? w + 1 : 0] : east);
          const T along = (r > 0 ? u[t][r > 0 ? r - 1 : 0][w] : south.v[w]) +
                          (r < rows - 1 ? u[t][r < rows - 1 ? r + 1 : 0][w] : north.v[w]);
          s[t][r][w] += weight.x * across + weight.y * along;
        }
      }
    }
  }
}

template <bool slab, class C, class T>
void launch(const Operator<T>& a, const T* x, T* y, int chunks, const Planes& range, const SlabPlanes<T>& neighbors,
            const core::Stream& stream) {
  const Grid& g = a.grid;
  const int planes = static_cast<int>((range.size() + chunks - 1) / chunks);
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(g.nx, C::out_x)),
                    static_cast<unsigned>(core::blocks_for(g.ny, C::out_y)),
                    static_cast<unsigned>(core::blocks_for(range.size(), planes)));
  const auto run = [&](auto* kernel) {
    core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, C::shared_bytes));
    const Weights<T> weight{a.weight[0], a.weight[1], a.weight[2], a.weight[3]};
    const int nx = static_cast<int>(g.nx), ny = static_cast<int>(g.ny), nz = static_cast<int>(g.nz),
              begin = static_cast<int>(range.begin), end = static_cast<int>(range.end);
    if constexpr (slab)
      device::launch_overlapped(kernel, blocks, warps * 32, C::shared_bytes, stream, weight, x, y, nx, ny, nz, begin,
                                end, planes, neighbors);
    else
      kernel<<<blocks, warps * 32, C::shared_bytes, stream.get()>>>(weight, x, y, nx, ny, nz, begin, end, planes,
                                                                    neighbors);
    core::check(cudaGetLastError());
  };
  g.nx % C::width == 0 ? run(temporal_kernel<C, true, slab, T>) : run(temporal_kernel<C, false, slab, T>);
}

// Calls f.operator()<Tile>() for the tile of a plan; false if there is none.
template <class T, class F>
bool with_tile(const TemporalPlan& plan, const F& f) {
  const auto is = [&]<int depth, int rows>() {
    if (plan.depth != depth || plan.rows != rows) return false;
    f.template operator()<Tile<T, depth, rows>>();
    return true;
  };
  return is.template operator()<1, 8>() || is.template operator()<2, 6>() || is.template operator()<3, 6>() ||
         is.template operator()<4, 5>();
}

}  // namespace

template <class T>
bool has_plan(const TemporalPlan& plan) {
  return with_tile<T>(plan, []<class C>() { return C::depth; });
}

template <class T>
TemporalPlan temporal_plan(const Grid& g, int max_sweeps, int multiprocessors) {
  // Depth 5 (4 rows, 1455 us at 512^3) and 6 compute more than they save in memory.
  constexpr TemporalPlan best[] = {{1, 8}, {2, 6}, {3, 6}, {4, 5}};
  TemporalPlan plan = best[std::clamp(max_sweeps, 1, 4) - 1];
  with_tile<T>(plan, [&]<class C>() {
    const std::int64_t tiles = core::blocks_for(g.nx, C::out_x) * core::blocks_for(g.ny, C::out_y);
    // Chooses the chunks along z whose last wave of blocks ends soonest; each chunk computes 2 depth additional planes.
    double min_cost = 0;
    for (int chunks = 1; chunks <= std::max<std::int64_t>(g.nz / 4, 1); ++chunks) {
      const std::int64_t planes = core::blocks_for(g.nz, chunks);
      const auto rounds =
          static_cast<double>(core::blocks_for(tiles * core::blocks_for(g.nz, planes), multiprocessors));
      const double cost = rounds * static_cast<double>(planes + 2 * C::depth);
      if (chunks == 1 || cost < min_cost) {
        min_cost = cost;
        plan.chunks = chunks;
      }
    }
  });
  return plan;
}

template <class T>
void temporal_pass(const Operator<T>& a, const T* x, T* y, const TemporalPlan& plan, const core::Stream& stream) {
  temporal_pass(a, x, y, plan, all_planes(a.grid), stream);
}
template <class T>
void temporal_pass(const Operator<T>& a, const T* x, T* y, const TemporalPlan& plan, const Planes& planes,
                   const core::Stream& stream) {
  const bool found =
      with_tile<T>(plan, [&]<class C>() { launch<false, C>(a, x, y, plan.chunks, planes, SlabPlanes<T>{}, stream); });
  if (!found) throw std::logic_error("stencil: no tile of depth " + std::to_string(plan.depth));
}

template <class T>
void slab_temporal_pass(const Operator<T>& a, const T* x, const comm::HaloArrival<T>& below,
                        const comm::HaloArrival<T>& above, int halo, T* y, const TemporalPlan& plan,
                        const core::Stream& stream) {
  const SlabPlanes<T> neighbors{below, above, halo};
  const bool found = with_tile<T>(
      plan, [&]<class C>() { launch<true, C>(a, x, y, plan.chunks, all_planes(a.grid), neighbors, stream); });
  if (!found) throw std::logic_error("stencil: no tile of depth " + std::to_string(plan.depth));
}

#define SPEEDWELL_TEMPORAL(T)                                                                              \
  template bool has_plan<T>(const TemporalPlan&);                                                          \
  template TemporalPlan temporal_plan<T>(const Grid&, int, int);                                           \
  template void temporal_pass(const Operator<T>&, const T*, T*, const TemporalPlan&, const core::Stream&); \
  template void temporal_pass(const Operator<T>&, const T*, T*, const TemporalPlan&, const Planes&,        \
                              const core::Stream&);                                                        \
  template void slab_temporal_pass(const Operator<T>&, const T*, const comm::HaloArrival<T>&,              \
                                   const comm::HaloArrival<T>&, int, T*, const TemporalPlan&, const core::Stream&);
SPEEDWELL_TEMPORAL(float)
SPEEDWELL_TEMPORAL(double)
#undef SPEEDWELL_TEMPORAL

}  // namespace speedwell::stencil
