// The best single pass: a thread owns `width` neighbouring cells of a row in a few planes, reads all of them and those
// beside before it computes, and ends. Neighbours along x come from the next lane, those along y from the first-level
// cache, where the block's other rows have just passed. What is read (a field, or one put together from
// several on the fly) and what becomes of the product are the caller's. Included by CUDA sources alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil::device {

template <class T, int width>
struct alignas(sizeof(T) * width) Pack {
  T v[width];
};

template <int width, class T>
__device__ inline Pack<T, width> load_pack(const T* p) {
  if constexpr (width == 1) {
    return {{__ldg(p)}};
  } else if constexpr (sizeof(T) * width == 16 && sizeof(T) == 8) {
    const double2 v = __ldg(reinterpret_cast<const double2*>(p));
    return {{v.x, v.y}};
  } else {
    const float4 v = __ldg(reinterpret_cast<const float4*>(p));
    return {{v.x, v.y, v.z, v.w}};
  }
}
template <int width, class T>
__device__ inline void store_pack(T* p, const Pack<T, width>& value, bool streaming) {
  if constexpr (width == 1) {
    streaming ? __stcs(p, value.v[0]) : void(*p = value.v[0]);
  } else if constexpr (sizeof(T) == 8) {
    const double2 v = {value.v[0], value.v[1]};
    streaming ? __stcs(reinterpret_cast<double2*>(p), v) : void(*reinterpret_cast<double2*>(p) = v);
  } else {
    const float4 v = {value.v[0], value.v[1], value.v[2], value.v[3]};
    streaming ? __stcs(reinterpret_cast<float4*>(p), v) : void(*reinterpret_cast<float4*>(p) = v);
  }
}

/// Reads a field as it is.
template <class T>
struct Plain {
  const T* x;
  __device__ void begin() {}
  template <int width>
  __device__ Pack<T, width> load(std::int64_t cell) const {
    return load_pack<width>(x + cell);
  }
};

constexpr int march_threads = 256;

/// Planes of a block: all that a thread reads is under way before it uses any. H200, 512^3 in f64, form e0: 4 planes
/// and blocks of 32 x 8 threads 524 us without the cells beside a warp's, 8 planes 568, 2 planes 573 (a copy 508); a
/// thread that marches through 16 to 64 planes with 2 on their way 680 to 705.
constexpr int march_planes = 4;

template <Form form, int width, class T, class Source, class Sink>
__global__ void __launch_bounds__(march_threads)
    march_kernel(const __grid_constant__ Operator<T> a, Source source, Sink sink) {
  using Cells = Pack<T, width>;
  constexpr int planes = march_planes;
  if (!sink.begin()) return;
  source.begin();
  const int nx = static_cast<int>(a.grid.nx), ny = static_cast<int>(a.grid.ny), nz = static_cast<int>(a.grid.nz);
  const std::int64_t plane = a.grid.nx * a.grid.ny;
  const int own_i = (blockIdx.x * blockDim.x + threadIdx.x) * width, own_j = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = own_i < nx && own_j < ny;
  // Beyond the end of a row it begins again: there stands the neighbour of its last cell. Nothing of it is stored.
  const int i = own_i < nx ? own_i : own_i % nx, j = own_j < ny ? own_j : 0;
  const int k0 = blockIdx.z * planes;
  const bool wraps = a.boundary == Boundary::periodic, none = a.boundary == Boundary::none;

  const std::int64_t in_plane = static_cast<std::int64_t>(j) * nx + i;
  // Offsets in a plane; -1: beyond.
  const std::int64_t south = j > 0 ? in_plane - nx : wraps ? in_plane + static_cast<std::int64_t>(ny - 1) * nx : -1;
  const std::int64_t north = j < ny - 1 ? in_plane + nx : wraps ? i : -1;
  const std::int64_t west = i > 0 ? in_plane - 1 : wraps ? in_plane + nx - 1 : -1;
  // Lanes that follow each other along x. The cell before the first is read by the last and the one behind the last by
  // the first, so that both come with one load for all and the shuffles can go round.
  const int lanes = min(static_cast<int>(blockDim.x), 32), lane = threadIdx.x % lanes;
  const bool is_first = lane == 0, is_last = lane == lanes - 1;
  int beside = own_i - lane * width + (is_first ? lanes * width : -1);
  beside = beside < 0 ? nx - 1 : beside >= nx ? beside % nx : beside;
  const std::int64_t beside_in_plane = static_cast<std::int64_t>(j) * nx + beside;
  const int lane_before = (lane + lanes - 1) % lanes, lane_behind = (lane + 1) % lanes;
  // Planes beyond the last are those of the last again, and not stored.
  const auto base_of = [&](int p) { return static_cast<std::int64_t>(min(k0 + p, nz - 1)) * plane; };

  Cells x[planes + 2], from_south[planes], from_north[planes];
#pragma unroll
  for (int p = 0; p < planes + 2; ++p) {
    int k = min(k0 + p - 1, nz);
    const bool beyond = k < 0 || k == nz;
    if (beyond) k = k < 0 ? nz - 1 : 0;
    x[p] = beyond && !wraps ? Cells{} : source.template load<width>(k * plane + in_plane);
  }
#pragma unroll
  for (int p = 0; p < planes; ++p) {
    from_south[p] = south >= 0 ? source.template load<width>(base_of(p) + south) : Cells{};
    from_north[p] = north >= 0 ? source.template load<width>(base_of(p) + north) : Cells{};
  }
  T from_beside[planes];
#pragma unroll
  for (int p = 0; p < planes; ++p)
    from_beside[p] = is_first || is_last ? source.template load<1>(base_of(p) + beside_in_plane).v[0] : T(0);

  // Coefficients that do not change along z.
  Links<form, T> links[width];
#pragma unroll
  for (int w = 0; w < width; ++w) {
    if constexpr (form == Form::E) {
      links[w].c[2] = coefficient(a.metric[0] + i + w);
      links[w].c[3] = coefficient(a.metric[1] + j);
    } else if constexpr (form == Form::E0) {
      for (int c = 0; c < 4; ++c) links[w].c[c] = a.weight[c];
    } else if constexpr (form == Form::L) {
      links[w].c[0] = coefficient(a.metric[0] + i + w);
      links[w].c[1] = coefficient(a.metric[1] + j);
      links[w].c[3] = coefficient(a.inverse[0] + i + w);
      links[w].c[4] = coefficient(a.inverse[0] + i + w + 1);
      links[w].c[5] = coefficient(a.inverse[1] + j);
      links[w].c[6] = coefficient(a.inverse[1] + j + 1);
      links[w].c[9] = a.sigma;
    } else if constexpr (form == Form::V) {
      links[w].c[6] = a.sigma;
    }
  }

#pragma unroll
  for (int p = 0; p < planes; ++p) {
    const int k = min(k0 + p, nz - 1);
    const std::int64_t base = base_of(p), cell = base + in_plane;
    const Cells centre = x[p + 1];
    T from_west = __shfl_sync(~0u, is_last ? from_beside[p] : centre.v[width - 1], lane_before, lanes),
      from_east = __shfl_sync(~0u, is_first ? from_beside[p] : centre.v[0], lane_behind, lanes);
    if (!wraps && i == 0) from_west = none ? centre.v[0] : T(0);
    if (!wraps && i + width >= nx) from_east = none ? centre.v[width - 1] : T(0);
    if (none && south < 0) from_south[p] = centre;
    if (none && north < 0) from_north[p] = centre;
    if constexpr (form == Form::E || form == Form::G) {
      constexpr int fields = form == Form::E ? 2 : 7;
#pragma unroll
      for (int f = 0; f < fields; ++f) {
        const Cells c = load_pack<width>(a.cell[f] + cell);
#pragma unroll
        for (int w = 0; w < width; ++w) links[w].c[f] = c.v[w];
      }
    }
#pragma unroll
    for (int w = 0; w < width; ++w) {
      if constexpr (form == Form::E) links[w].c[4] = coefficient(a.metric[2] + k);
      if constexpr (form == Form::L) {
        links[w].c[2] = coefficient(a.metric[2] + k);
        links[w].c[7] = coefficient(a.inverse[2] + k);
        links[w].c[8] = coefficient(a.inverse[2] + k + 1);
      }
    }
    if constexpr (form == Form::V) {
      const std::int64_t plane_below = k > 0 ? cell - plane : wraps ? cell + (nz - 1) * plane : cell;
      const Cells x_faces = load_pack<width>(a.cell[0] + cell), y_faces = load_pack<width>(a.cell[1] + cell),
                  z_faces = load_pack<width>(a.cell[2] + cell),
                  y_lower = load_pack<width>(a.cell[1] + (south >= 0 ? base + south : cell)),
                  z_lower = load_pack<width>(a.cell[2] + plane_below);
      T x_lower = __shfl_up_sync(~0u, x_faces.v[width - 1], 1);
      if (is_first || i == 0) x_lower = west >= 0 ? coefficient(a.cell[0] + base + west) : x_faces.v[0];
#pragma unroll
      for (int w = 0; w < width; ++w) {
        links[w].c[0] = w > 0 ? x_faces.v[w > 0 ? w - 1 : 0] : x_lower;
        links[w].c[1] = x_faces.v[w];
        links[w].c[2] = y_lower.v[w];
        links[w].c[3] = y_faces.v[w];
        links[w].c[4] = z_lower.v[w];
        links[w].c[5] = z_faces.v[w];
      }
    }
    const bool first = none && k == 0, last = none && k == nz - 1;
    Cells result;
#pragma unroll
    for (int w = 0; w < width; ++w)
      result.v[w] = product(
          links[w], Star<T>{centre.v[w], w > 0 ? centre.v[w > 0 ? w - 1 : 0] : from_west,
                            w < width - 1 ? centre.v[w < width - 1 ? w + 1 : 0] : from_east, from_south[p].v[w],
                            from_north[p].v[w], first ? centre.v[w] : x[p].v[w], last ? centre.v[w] : x[p + 2].v[w]});
    if (inside && k0 + p < nz) sink.template take<width>(cell, centre, result);
  }
  sink.end();
}

/// The widest packs that rows of nx cells are made of.
template <class T>
constexpr int widest = 16 / static_cast<int>(sizeof(T));

/// Threads along x so that few stand beyond the box.
template <Form form, int width, class T, class Source, class Sink>
void march(const Operator<T>& a, const Source& source, const Sink& sink, const core::Stream& stream) {
  const Grid& g = a.grid;
  const std::int64_t columns = core::blocks_for(g.nx, width);
  int along = 32;
  for (const int candidate : {16, 8})
    if (core::blocks_for(columns, candidate) * candidate < core::blocks_for(columns, along) * along) along = candidate;
  const dim3 threads(along, march_threads / along);
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(columns, along)),
                    static_cast<unsigned>(core::blocks_for(g.ny, static_cast<int>(threads.y))),
                    static_cast<unsigned>(core::blocks_for(g.nz, march_planes)));
  march_kernel<form, width><<<blocks, threads, 0, stream.get()>>>(a, source, sink);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::stencil::device
