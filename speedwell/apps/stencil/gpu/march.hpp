// The best single pass, streaming along z ("2.5-dimensional blocking"): a block owns a tile of rows and advances along
// z. Planes of the tile and its halo rows are loaded ahead of their use by asynchronous copies into a ring buffer in
// shared memory, so that loads in flight occupy no registers. A thread keeps its `width` cells of three planes in
// registers, obtains their neighbours along x by shuffles and those along y from the ring buffer. The caller provides
// the source (a field, or a combination of several) and the sink (the use of the product). Included by CUDA sources
// only.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/apps/stencil/gpu/slab_source.hpp"
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

/// The source that reads one field. A source has a number of fields, and combines one value of each.
template <class T>
struct Plain {
  static constexpr int fields = 1;
  const T* field[fields];
  __device__ void begin() {}
  __device__ T combined(const T (&v)[fields]) const { return v[0]; }
};

/// The operands that a sink loads per cell, one plane ahead of their use; most sinks have none.
struct Nothing {};

/// The coefficients of a lane's cells in one plane as loaded from memory.
template <Form form, int width, class T>
struct RawLinks {
  static constexpr int packs = form == Form::cell_metric        ? 2
                               : form == Form::face_coefficient ? 4
                               : form == Form::general          ? 7
                                                                : 0;
  Pack<T, width> pack[packs > 0 ? packs : 1];
  T x_lower;   // V: of the first cell, if there is no preceding lane
  T along[2];  // E: mz; L: the width and the lower reciprocal
};

constexpr int march_threads = 256;

template <Form form, int width, int lanes, class T, class Source, class Sink>
__global__ void __launch_bounds__(march_threads)
    march_kernel(const __grid_constant__ Operator<T> a, Source source, Sink sink, int first, int end, int planes) {
  using Cells = Pack<T, width>;
  using Raw = RawLinks<form, width, T>;
  constexpr int rows = march_threads / lanes, fields = Source::fields;
  constexpr int stages = fields == 1 ? 6 : fields == 2 ? 4 : 3, ahead = stages - 2;
  __shared__ Cells ring[stages][fields][rows + 2][lanes];
  __shared__ T row_ends[stages][fields][rows][2];  // the cells before the first and after the last of a row
  if (!sink.begin()) return;
  source.begin();
  const int nx = static_cast<int>(a.grid.nx), ny = static_cast<int>(a.grid.ny), nz = static_cast<int>(a.grid.nz);
  const std::int64_t plane = a.grid.nx * a.grid.ny;
  const int lane = threadIdx.x % lanes, row = threadIdx.x / lanes;
  const int own_i = (blockIdx.x * lanes + lane) * width, own_j = blockIdx.y * rows + row;
  const bool inside = own_i < nx && own_j < ny;
  // Indices outside of the box wrap around to the periodic neighbours. Results outside of the box are not stored, and
  // boxes that are not periodic replace the wrapped values by their boundary values.
  const int i = own_i % nx, j = own_j % ny;
  // The lowest planes of a slab come last, and before them the highest: by then those of the neighbours are here.
  const int chunk = is_slab<Source> ? (blockIdx.z + 1) % gridDim.z : blockIdx.z;
  const int k0 = first + chunk * planes, k1 = min(k0 + planes, end);
  const bool wraps = a.boundary == Boundary::periodic, none = a.boundary == Boundary::none;
  const bool is_first = lane == 0, is_last = lane == lanes - 1;
  const std::int64_t in_plane = static_cast<std::int64_t>(j) * nx + i;
  const std::int64_t south = static_cast<std::int64_t>(j > 0 ? j - 1 : ny - 1) * nx + i,
                     north = static_cast<std::int64_t>(j < ny - 1 ? j + 1 : 0) * nx + i;
  // The last lane loads the cell before the row and the first lane the cell after it, as shuffles rotate.
  int edge = own_i - lane * width + (is_first ? lanes * width : -1);
  edge = edge < 0 ? nx - 1 : edge % nx;
  const std::int64_t edge_in_plane = static_cast<std::int64_t>(j) * nx + edge;
  const int lane_before = (lane + lanes - 1) % lanes, lane_after = (lane + 1) % lanes;

  const auto plane_of = [&](int k) { return static_cast<std::int64_t>(k < 0 ? nz - 1 : k >= nz ? 0 : k) * plane; };
  bool has_below = wraps, has_above = wraps;  // whether there are planes beyond the first and the last
  if constexpr (is_slab<Source>) {
    has_below = source.below.data != nullptr;
    has_above = source.above.data != nullptr;
    wait_for_planes(source.below, source.above, k0 == 0, k1 == nz);
  }
  // The plane that is loaded next, in every field, and its stage of the ring buffer. Both advance with each load, which
  // takes fewer instructions than to compute them from k.
  const T *next_plane[fields], *beyond[fields];  // beyond: the plane above the last; not used if there is none
#pragma unroll
  for (int f = 0; f < fields; ++f) {
    next_plane[f] = source.field[f] + k0 * plane;
    beyond[f] = source.field[f];
    if constexpr (is_slab<Source>)
      if (has_above) beyond[f] = source.above.data;
  }
  int next_k = k0, next_stage = 0;
  const auto advance = [](int stage) { return stage == stages - 1 ? 0 : stage + 1; };
  const auto load_async = [&] {
    if (next_k <= k1) {
      ++next_k;
#pragma unroll
      for (int f = 0; f < fields; ++f) {
        const T* const from = next_plane[f];
        __pipeline_memcpy_async(&ring[next_stage][f][row + 1][lane], from + in_plane, sizeof(Cells));
        if (row == 0) __pipeline_memcpy_async(&ring[next_stage][f][0][lane], from + south, sizeof(Cells));
        if (row == rows - 1) __pipeline_memcpy_async(&ring[next_stage][f][rows + 1][lane], from + north, sizeof(Cells));
        if (is_first || is_last)
          __pipeline_memcpy_async(&row_ends[next_stage][f][row][is_first], from + edge_in_plane, sizeof(T));
        next_plane[f] = next_k == nz ? beyond[f] : from + plane;
      }
      next_stage = advance(next_stage);
    }
    __pipeline_commit();
  };
  const auto combined = [&](const auto& value_of) {  // value_of(field, w)
    Cells cells;
#pragma unroll
    for (int w = 0; w < width; ++w) {
      T v[fields];
#pragma unroll
      for (int f = 0; f < fields; ++f) v[f] = value_of(f, w);
      cells.v[w] = source.combined(v);
    }
    return cells;
  };
  const auto from_ring = [&](int stage, int at_row) {
    Cells v[fields];
#pragma unroll
    for (int f = 0; f < fields; ++f) v[f] = ring[stage][f][at_row][lane];
    return combined([&](int f, int w) { return v[f].v[w]; });
  };
  const auto from_memory = [&](int k) {
    Cells v[fields];
#pragma unroll
    for (int f = 0; f < fields; ++f) {
      if constexpr (is_slab<Source>) {
        // Not the read-only path: other GPUs may have written the plane below since the kernel began.
        const T* const from = k < 0 ? source.below.data : source.field[f] + k * plane;
        v[f] = *reinterpret_cast<const Cells*>(from + in_plane);
      } else {
        v[f] = load_pack<width>(source.field[f] + plane_of(k) + in_plane);
      }
    }
    return combined([&](int f, int w) { return v[f].v[w]; });
  };

  // Coefficients that are constant along z, and those of a plane, which are loaded one plane ahead.
  Links<form, T> links[width];
#pragma unroll
  for (int w = 0; w < width; ++w) {
    if constexpr (form == Form::cell_metric) {
      links[w].c[2] = coefficient(a.metric[0] + i + w);
      links[w].c[3] = coefficient(a.metric[1] + j);
    } else if constexpr (form == Form::constant) {
      for (int c = 0; c < 4; ++c) links[w].c[c] = a.weight[c];
    } else if constexpr (form == Form::face_metric) {
      links[w].c[0] = coefficient(a.metric[0] + i + w);
      links[w].c[1] = coefficient(a.metric[1] + j);
      links[w].c[3] = coefficient(a.inverse[0] + i + w);
      links[w].c[4] = coefficient(a.inverse[0] + i + w + 1);
      links[w].c[5] = coefficient(a.inverse[1] + j);
      links[w].c[6] = coefficient(a.inverse[1] + j + 1);
      links[w].c[9] = a.sigma;
    } else if constexpr (form == Form::face_coefficient) {
      links[w].c[6] = a.sigma;
    }
  }
  const auto load_links = [&](int k, std::int64_t base) {  // of plane k, whose first cell is `base`
    Raw raw{};
    const std::int64_t cell = base + in_plane;
    if constexpr (form == Form::cell_metric || form == Form::general)
#pragma unroll
      for (int f = 0; f < Raw::packs; ++f) raw.pack[f] = load_pack<width>(a.cell[f] + cell);
    if constexpr (form == Form::cell_metric) raw.along[0] = coefficient(a.metric[2] + k);
    if constexpr (form == Form::face_metric) {
      raw.along[0] = coefficient(a.metric[2] + k);
      raw.along[1] = coefficient(a.inverse[2] + k);
    }
    if constexpr (form == Form::face_coefficient) {
#pragma unroll
      for (int f = 0; f < 3; ++f) raw.pack[f] = load_pack<width>(a.cell[f] + cell);
      raw.pack[3] = load_pack<width>(a.cell[1] + (j > 0 || wraps ? base + south : cell));
      if (is_first || i == 0) raw.x_lower = coefficient(a.cell[0] + (i > 0 ? cell - 1 : wraps ? cell + nx - 1 : cell));
    }
    return raw;
  };

#pragma unroll
  for (int d = 0; d <= ahead; ++d) load_async();
  Cells below = k0 > 0 || has_below ? from_memory(k0 - 1) : Cells{}, centre = from_memory(k0);
  std::int64_t base = k0 * plane;
  Raw raw = load_links(k0, base);
  Pack<T, width> z_lower{};  // V
  T inverse_below = 0;       // L
  if constexpr (form == Form::face_coefficient)
    z_lower = load_pack<width>(a.cell[2] +
                               (is_slab<Source> && k0 == 0 && has_below ? -plane  // of a slab, the neighbour's
                                : k0 > 0 || has_below                   ? plane_of(k0 - 1)
                                                                        : plane_of(k0)) +
                               in_plane);
  if constexpr (form == Form::face_metric) inverse_below = raw.along[1];
  auto operands = sink.template load<width>(base + in_plane);
  int stage = 0;  // of plane k

  for (int k = k0; k < k1; ++k) {
    __pipeline_wait_prior(ahead - 1);
    __syncthreads();
    load_async();
    const std::int64_t cell = base + in_plane;
    const bool is_last_plane = k + 1 == nz;
    if (!is_last_plane) base += plane;
    const Raw next_raw = load_links(is_last_plane ? k : k + 1, base);
    const auto next_operands = sink.template load<width>(k + 1 == k1 ? cell : cell + plane);
    const int stage_above = advance(stage);
    Cells above = from_ring(stage_above, row + 1), from_south = from_ring(stage, row),
          from_north = from_ring(stage, row + 2);
    T at_edge = 0;
    if (is_first || is_last) {
      T v[fields];
#pragma unroll
      for (int f = 0; f < fields; ++f) v[f] = row_ends[stage][f][row][is_first];
      at_edge = source.combined(v);
    }
    T from_west = __shfl_sync(~0u, is_last ? at_edge : centre.v[width - 1], lane_before, lanes),
      from_east = __shfl_sync(~0u, is_first ? at_edge : centre.v[0], lane_after, lanes);
    if (!wraps) {
      const Cells ghost = none ? centre : Cells{};
      if (i == 0) from_west = ghost.v[0];
      if (i + width >= nx) from_east = ghost.v[width - 1];
      if (j == 0) from_south = ghost;
      if (j == ny - 1) from_north = ghost;
      if (k == 0 && !has_below) below = ghost;
      if (k == nz - 1 && !has_above) above = ghost;
    }
#pragma unroll
    for (int w = 0; w < width; ++w) {
      if constexpr (form == Form::cell_metric || form == Form::general)
#pragma unroll
        for (int f = 0; f < Raw::packs; ++f) links[w].c[f] = raw.pack[f].v[w];
      if constexpr (form == Form::cell_metric) links[w].c[4] = raw.along[0];
      if constexpr (form == Form::face_metric) {
        links[w].c[2] = raw.along[0];
        links[w].c[7] = inverse_below;
      }
    }
    if constexpr (form == Form::face_metric) {
      inverse_below = k + 1 < nz ? next_raw.along[1] : coefficient(a.inverse[2] + nz);
#pragma unroll
      for (int w = 0; w < width; ++w) links[w].c[8] = inverse_below;
    }
    if constexpr (form == Form::face_coefficient) {
      T x_lower = __shfl_up_sync(~0u, raw.pack[0].v[width - 1], 1);
      if (is_first || i == 0) x_lower = raw.x_lower;
#pragma unroll
      for (int w = 0; w < width; ++w) {
        links[w].c[0] = w > 0 ? raw.pack[0].v[w > 0 ? w - 1 : 0] : x_lower;
        links[w].c[1] = raw.pack[0].v[w];
        links[w].c[2] = raw.pack[3].v[w];
        links[w].c[3] = raw.pack[1].v[w];
        links[w].c[4] = z_lower.v[w];
        links[w].c[5] = raw.pack[2].v[w];
      }
      z_lower = raw.pack[2];
    }
    Cells result;
#pragma unroll
    for (int w = 0; w < width; ++w)
      result.v[w] = product(links[w], Star<T>{centre.v[w], w > 0 ? centre.v[w > 0 ? w - 1 : 0] : from_west,
                                              w < width - 1 ? centre.v[w < width - 1 ? w + 1 : 0] : from_east,
                                              from_south.v[w], from_north.v[w], below.v[w], above.v[w]});
    if (inside) sink.template take<width>(cell, operands, centre, result);
    below = centre;
    centre = above;
    raw = next_raw;
    operands = next_operands;
    stage = stage_above;
  }
  sink.end();
}

/// The widest pack, 16 bytes.
template <class T>
constexpr int widest = 16 / static_cast<int>(sizeof(T));

/// Minimum number of planes of a block: with fewer, redundantly loaded planes dominate.
constexpr int march_min_planes = 4;

/// Usual maximum number of planes of a block: many short blocks that begin together find each other's halos in the
/// second-level cache. H200, 512^3 in f64, us with 8, 16, 32, 64, 128, 512 planes: e0 546 565 593 612 628 667, e 1071
/// 1040 1029 1030 1069 1204, l 664 628 620 629 669 892, v 1619 1528 1495 1478 1469 1465.
template <Form form>
constexpr int march_max_planes = form == Form::constant                                   ? 8
                                 : form == Form::cell_metric || form == Form::face_metric ? 32
                                                                                          : 512;

/// Planes of a block, for `across` blocks side by side of which the device holds `slots`: as few as let all blocks be
/// resident at once, or else about `usual`. If there are few rounds of blocks, those within half of that more or less
/// whose last round ends soonest: a round takes as long as its planes and two more, whose loads begin it.
inline int march_planes(std::int64_t n, std::int64_t across, std::int64_t slots, int usual) {
  constexpr int many_rounds = 12;
  const auto rounds = [&](int planes) {
    return core::blocks_for(across * core::blocks_for(n, planes), static_cast<int>(slots));
  };
  const std::int64_t at_once = std::clamp<std::int64_t>(slots / across, 1, core::blocks_for(n, march_min_planes));
  const auto one_round = static_cast<int>(core::blocks_for(n, static_cast<int>(at_once)));
  if (one_round <= usual || rounds(usual) > many_rounds) return std::min(one_round, usual);
  int best = usual;
  for (int planes = std::max(usual * 3 / 4, march_min_planes); planes <= usual * 3 / 2 && planes <= n; ++planes)
    if (rounds(planes) * (planes + 2) < rounds(best) * (best + 2)) best = planes;
  return best;
}

/// Computes the cells of a range of planes. Chooses the lanes along x to minimise idle ones, and the planes of a block
/// so that the blocks fill the device about once.
template <Form form, int width, class T, class Source, class Sink>
void march(const Operator<T>& a, const Source& source, const Sink& sink, const Planes& range,
           const core::Stream& stream) {
  const Grid& g = a.grid;
  const std::int64_t columns = core::blocks_for(g.nx, width);
  const auto run = [&]<int lanes>() {
    constexpr auto kernel = march_kernel<form, width, lanes, T, Source, Sink>;
    static const std::int64_t slots = [] {
      const int processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
      int resident = 0;
      core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, march_threads, 0));
      return std::int64_t{processors} * std::max(resident, 1);
    }();
    const std::int64_t across = core::blocks_for(columns, lanes) * core::blocks_for(g.ny, march_threads / lanes);
    const int planes = march_planes(range.size(), across, slots, march_max_planes<form>);
    const dim3 blocks(static_cast<unsigned>(core::blocks_for(columns, lanes)),
                      static_cast<unsigned>(core::blocks_for(g.ny, march_threads / lanes)),
                      static_cast<unsigned>(core::blocks_for(range.size(), planes)));
    const int first = static_cast<int>(range.begin), end = static_cast<int>(range.end);
    if constexpr (is_slab<Source>)
      launch_overlapped(kernel, blocks, march_threads, 0, stream, a, source, sink, first, end, planes);
    else
      kernel<<<blocks, march_threads, 0, stream.get()>>>(a, source, sink, first, end, planes);
    core::check(cudaGetLastError());
  };
  core::blocks_for(columns, 16) * 16 < core::blocks_for(columns, 32) * 32 ? run.template operator()<16>()
                                                                          : run.template operator()<32>();
}

}  // namespace speedwell::stencil::device
