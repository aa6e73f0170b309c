// The best single pass: a thread owns `width` neighbouring cells of a row and marches along z with their three planes
// in registers and the next ones on their way. Neighbours along x come from the next lane, those along y from the
// first-level cache, where the block's other rows have just passed. What is read (a field, or one put together from
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

struct Geometry {
  dim3 blocks, threads;
  int planes = 0;  // of a block
};

constexpr int march_threads = 256;

/// A block's place: its cells along x and y, its planes. planes_ahead: how many beyond the next are on their way.
template <Form form, int width, int planes_ahead, class T, class Source, class Sink>
__global__ void __launch_bounds__(march_threads)
    march_kernel(const __grid_constant__ Operator<T> a, Source source, Sink sink, int planes) {
  using Cells = Pack<T, width>;
  if (!sink.begin()) return;
  source.begin();
  const int nx = static_cast<int>(a.grid.nx), ny = static_cast<int>(a.grid.ny), nz = static_cast<int>(a.grid.nz);
  const std::int64_t plane = a.grid.nx * a.grid.ny;
  const int own_i = (blockIdx.x * blockDim.x + threadIdx.x) * width, own_j = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = own_i < nx && own_j < ny;
  const int i = inside ? own_i : 0, j = inside ? own_j : 0;  // others do as the first cell does, and store nothing
  const int k0 = blockIdx.z * planes, k1 = min(k0 + planes, nz);
  const bool wraps = a.boundary == Boundary::periodic, none = a.boundary == Boundary::none;

  const std::int64_t in_plane = static_cast<std::int64_t>(j) * nx + i;
  // Offsets in a plane; -1: beyond.
  const std::int64_t south = j > 0 ? in_plane - nx : wraps ? in_plane + static_cast<std::int64_t>(ny - 1) * nx : -1;
  const std::int64_t north = j < ny - 1 ? in_plane + nx : wraps ? i : -1;
  const std::int64_t west = i > 0 ? in_plane - 1 : wraps ? in_plane + nx - 1 : -1;
  const std::int64_t east = i + width < nx ? in_plane + width : wraps ? in_plane - i : -1;
  const bool loads_west = threadIdx.x % 32 == 0 || i == 0,
             loads_east = threadIdx.x % 32 == 31 || threadIdx.x == blockDim.x - 1 || i + width >= nx;

  const auto fetch = [&](int k) -> Cells {
    if (k < 0 || k >= nz) {
      if (!wraps) return Cells{};
      k = k < 0 ? nz - 1 : k - nz;
    }
    return source.template load<width>(k * plane + in_plane);
  };

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

  Cells below = fetch(k0 - 1), centre = fetch(k0), above = fetch(k0 + 1), ahead[planes_ahead];
#pragma unroll
  for (int p = 0; p < planes_ahead; ++p) ahead[p] = k0 + 2 + p <= k1 ? fetch(k0 + 2 + p) : Cells{};
#pragma unroll 4
  for (int k = k0; k < k1; ++k) {
    const Cells next = k + 2 + planes_ahead <= k1 ? fetch(k + 2 + planes_ahead) : Cells{};
    const std::int64_t base = k * plane;
    const Cells from_south = south >= 0 ? source.template load<width>(base + south) : none ? centre : Cells{};
    const Cells from_north = north >= 0 ? source.template load<width>(base + north) : none ? centre : Cells{};
    T from_west = __shfl_up_sync(~0u, centre.v[width - 1], 1), from_east = __shfl_down_sync(~0u, centre.v[0], 1);
    if (loads_west) from_west = west >= 0 ? source.template load<1>(base + west).v[0] : none ? centre.v[0] : T(0);
    if (loads_east)
      from_east = east >= 0 ? source.template load<1>(base + east).v[0] : none ? centre.v[width - 1] : T(0);

    const std::int64_t cell = base + in_plane;
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
      if (loads_west) x_lower = west >= 0 ? coefficient(a.cell[0] + base + west) : x_faces.v[0];
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
                            w < width - 1 ? centre.v[w < width - 1 ? w + 1 : 0] : from_east, from_south.v[w],
                            from_north.v[w], first ? centre.v[w] : below.v[w], last ? centre.v[w] : above.v[w]});
    if (inside) sink.template take<width>(cell, centre, result);
    below = centre;
    centre = above;
    above = ahead[0];
#pragma unroll
    for (int p = 0; p + 1 < planes_ahead; ++p) ahead[p] = ahead[p + 1];
    ahead[planes_ahead - 1] = next;
  }
  sink.end();
}

constexpr int march_ahead = 2;

/// Threads along x so that few stand beyond the box; planes so that the blocks fill the device about once.
template <Form form, int width, class T, class Source, class Sink>
Geometry geometry_of(const Grid& g, int multiprocessors) {
  const auto columns = static_cast<int>((g.nx + width - 1) / width);
  int along = 32;
  for (const int candidate : {16, 8})
    if ((columns + candidate - 1) / candidate * candidate < (columns + along - 1) / along * along) along = candidate;
  Geometry geometry;
  geometry.threads = dim3(along, march_threads / along);
  geometry.blocks.x = (columns + along - 1) / along;
  geometry.blocks.y = static_cast<unsigned>((g.ny + geometry.threads.y - 1) / geometry.threads.y);
  int resident = 1;
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resident, march_kernel<form, width, march_ahead, T, Source, Sink>, march_threads, 0));
  const std::int64_t slots = std::int64_t{resident} * multiprocessors,
                     layer = std::int64_t{geometry.blocks.x} * geometry.blocks.y;
  // A block of fewer than 8 planes reads more beyond them than it saves.
  const std::int64_t pieces = std::clamp<std::int64_t>(slots / layer, 1, std::max<std::int64_t>(g.nz / 8, 1));
  geometry.planes = static_cast<int>((g.nz + pieces - 1) / pieces);
  // Tiles that are more than fill the device: many short blocks, so that the last ones do not stand alone. H200, 512^3,
  // form e0 in f64: 16 planes 679 us, 64 705, all 512 919.
  if (layer > slots) geometry.planes = std::min(geometry.planes, 16);
  geometry.blocks.z = static_cast<unsigned>((g.nz + geometry.planes - 1) / geometry.planes);
  return geometry;
}

/// The widest packs that rows of nx cells are made of.
template <class T>
constexpr int widest = 16 / static_cast<int>(sizeof(T));

template <Form form, int width, class T, class Source, class Sink>
void march(const Operator<T>& a, const Source& source, const Sink& sink, const Geometry& geometry,
           const core::Stream& stream) {
  march_kernel<form, width, march_ahead>
      <<<geometry.blocks, geometry.threads, 0, stream.get()>>>(a, source, sink, geometry.planes);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::stencil::device
