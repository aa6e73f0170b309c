// Columns in one pass. A thread has a column at one point of the spectrum, a block 32 neighbouring columns and `Points`
// of their points. It eliminates all layers downwards, storing four values of each, substitutes upwards, and sums over
// the points of each level in shared memory. Blocks are persistent and process tiles of columns in turn, so that the
// scratch memory is at most some hundred megabytes for any problem. If there are few columns, several blocks share the
// points of a tile, each with partial fluxes, which a second kernel adds. From the top of the clouds on a thread
// eliminates all three regions of a layer, and stores sixteen values.
#include <algorithm>

#include "speedwell/apps/two_stream/cuda.hpp"
#include "speedwell/apps/two_stream/gpu/device_layer.hpp"
#include "speedwell/apps/two_stream/gpu/point_sums.hpp"
#include "speedwell/apps/two_stream/regions.hpp"

namespace speedwell::two_stream {
namespace {

/// Stores a 3 x 3 matrix, each value `stride` from the one before.
template <class T>
__device__ void put_matrix(T* to, std::int64_t stride, const T (&matrix)[regions][regions]) {
#pragma unroll
  for (int i = 0; i < regions * regions; ++i) to[i * stride] = matrix[i / regions][i % regions];
}

template <class T, bool Sun, int Points, bool Clouds>
__global__ void __launch_bounds__(lanes* Points)
    columns_kernel(Atmosphere<T> a, Terms<T> terms, bool delta, Fluxes<T> to, T* scratch, std::int64_t tiles,
                   std::int64_t share, T* partial) {
  constexpr int threads = lanes * Points;
  __shared__ Waiting<T, Points> waiting;
  Sums<T, Points> sums(waiting);
  const int lane = static_cast<int>(threadIdx.x), own_point = static_cast<int>(threadIdx.y);
  const std::int64_t n = a.layers, row = a.columns, top = Clouds ? a.cloud_top : n;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  T* const left = scratch + block * values_before(n, top) * threads + own_point * lanes + lane;
  const std::int64_t g_begin = blockIdx.y * share, g_end = min(a.points, g_begin + share);
  if (partial) to = partial_fluxes(partial, blockIdx.y, (n + 1) * row, to);
  const bool quadratic = !Sun && a.planck_middle;

  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t column = tile * lanes + lane;
    const bool inside = column < a.columns;
    const std::int64_t c = inside ? column : a.columns - 1;  // threads without a column repeat the last one
    T mu0 = 1, sec = 1;
    bool day = true;
    if constexpr (Sun) {
      day = a.mu0[c] > T(0);
      mu0 = day ? a.mu0[c] : T(1);
      sec = T(1) / mu0;
    }
    for (std::int64_t g_first = g_begin; g_first < g_end; g_first += Points) {
      const bool counts = g_first + own_point < a.points, first = g_first == g_begin;
      const std::int64_t g = counts ? g_first + own_point : a.points - 1;
      const T weight = !counts ? T(0) : a.weight ? a.weight[g] : T(1);
      const T* const tau = a.optical_depth + g * n * row + c;
      const T* const omega = a.albedo + g * n * row + c;
      const T* const asymmetry = a.asymmetry + g * n * row + c;
      // The properties of stratiform clouds; those of convective clouds are points * n * row further.
      [[maybe_unused]] const T *cloud_tau, *cloud_omega, *cloud_asymmetry;
      if constexpr (Clouds) {
        cloud_tau = a.cloud_optical_depth + g * n * row + c;
        cloud_omega = a.cloud_albedo + g * n * row + c;
        cloud_asymmetry = a.cloud_asymmetry + g * n * row + c;
      }
      const T* const planck = Sun ? nullptr : a.planck_level + g * (n + 1) * row + c;
      const T* const middle = quadratic ? a.planck_middle + g * n * row + c : nullptr;

      // Summed downwards: the direct beam, or the Planck flux, which is added to both fluxes.
      std::int64_t base = 0;
      const auto third = [&](int slot, T sum) {
        const std::int64_t k = (base + slot) * row + column;
        if (!inside) return;
        if constexpr (Sun) {
          if (to.direct) store_or_add(to.direct + k, sum, first);
        } else {
          store_or_add(to.up + k, sum, first);
          store_or_add(to.down + k, sum, first);
        }
      };
      T travelling = Sun ? (day ? a.incident[g * row + c] : T(0)) : planck[0];
      Above<T> above{T(0), Sun ? T(0) : -travelling};
      sums.put(weight * travelling);
      T next_tau = tau[0], next_omega = omega[0], next_asymmetry = asymmetry[0], next_planck = Sun ? T(0) : planck[row];
      for (std::int64_t i = 0; i < top; ++i) {
        if (sums.full()) {
          sums.flush(third);
          base = i + 1;
        }
        const T now_tau = next_tau, now_omega = next_omega, now_asymmetry = next_asymmetry, bottom = next_planck;
        if (i + 1 < n) {  // loaded one layer ahead: a layer's arithmetic hides the latency
          next_tau = tau[(i + 1) * row];
          next_omega = omega[(i + 1) * row];
          next_asymmetry = asymmetry[(i + 1) * row];
          if constexpr (!Sun) next_planck = planck[(i + 2) * row];
        }
        const auto t = transfer<T, Sun>(now_tau, now_omega, now_asymmetry, mu0, sec, terms, delta, quadratic);
        T up, down;
        if constexpr (Sun) {
          up = t.top * travelling;
          down = t.bottom * travelling;
          travelling *= t.direct;
        } else {
          const T odd = t.top * (bottom - travelling);
          const T even = quadratic ? t.bottom * (T(2) * (travelling + bottom - T(2) * middle[i * row])) : T(0);
          up = even + odd;
          down = even - odd;
          travelling = bottom;
        }
        const auto e = eliminate(above, T(1), t.reflected, t.transmitted, up, down);
        T* const here = left + 4 * i * threads;
        here[0] = e.from_below;
        here[threads] = e.own;
        here[2 * threads] = e.above.reflected;
        here[3 * threads] = e.above.emitted;
        sums.put(weight * travelling);
      }
      [[maybe_unused]] RegionsColumn<T> cloudy;
      if constexpr (Clouds) {
        cloudy = clear_column(above.reflected, above.emitted, Sun ? travelling : T(0), T(0), T(1));
        for (std::int64_t i = top; i < n; ++i) {
          if (sums.full()) {
            sums.flush(third);
            base = i + 1;
          }
          const T* const fraction = a.cloud_fraction + i * row + c;
          enter<ScalarMath<T>>(cloudy, areas<ScalarMath<T>>(fraction[0], fraction[n * row]));
          T* const here = left + values_before(i, top) * threads;
          if (i > top) put_matrix(here - values_of_regions * threads, threads, cloudy.from_below);
          const T bottom = Sun ? T(0) : planck[(i + 1) * row];
          const T second_difference = quadratic ? T(2) * (travelling + bottom - T(2) * middle[i * row]) : T(0);
          RegionsLayer<T> layer;
#pragma unroll
          for (int r = 0; r < regions; ++r) {
            const std::int64_t k = i * row + (r > 1 ? a.points * n * row : 0);
            const auto t =
                transfer<T, Sun>(r == 0 ? tau[k] : cloud_tau[k], r == 0 ? omega[k] : cloud_omega[k],
                                 r == 0 ? asymmetry[k] : cloud_asymmetry[k], mu0, sec, terms, delta, quadratic);
            layer.reflected[r] = t.reflected;
            layer.transmitted[r] = t.transmitted;
            if constexpr (Sun) {
              layer.up[r] = t.top * cloudy.beam.of[r];
              layer.down[r] = t.bottom * cloudy.beam.of[r];
              cloudy.beam.of[r] *= t.direct;
            } else {
              const T odd = t.top * (bottom - travelling), even = t.bottom * second_difference;
              layer.up[r] = cloudy.areas.of[r] * (even + odd);
              layer.down[r] = cloudy.areas.of[r] * (even - odd);
            }
          }
          const auto e = eliminate_regions<ScalarMath<T>>(cloudy.above, layer);
          travelling = Sun ? total(cloudy.beam) : bottom;
          sums.put(weight * travelling);
#pragma unroll
          for (int r = 0; r < regions; ++r) {
#pragma unroll
            for (int j = 0; j < regions; ++j) cloudy.from_below[r][j] = e.from_below[r][j];
            here[(9 + r) * threads] = e.own.of[r];
            here[(12 + r) * threads] = e.reflected[r];
          }
          here[15 * threads] = e.emitted;
        }
        put_matrix(left + values_before(n - 1, top) * threads, threads, cloudy.from_below);
      }
      sums.flush(third);

      T albedo, own;
      if constexpr (Sun) {
        albedo = a.ground_diffuse[g * row + c];
        own = a.ground_direct[g * row + c] * travelling;
      } else {
        const T emissivity = a.emissivity[g * row + c];
        albedo = T(1) - emissivity;
        own = emissivity * (a.planck_ground[g * row + c] - travelling);
      }
      T U, D;
      [[maybe_unused]] OfRegions<T> light;
      if constexpr (Clouds) {
        OfRegions<T> of_regions;  // `own` has the sum of the beam
#pragma unroll
        for (int r = 0; r < regions; ++r)
          of_regions.of[r] = Sun ? a.ground_direct[g * row + c] * cloudy.beam.of[r] : own * cloudy.areas.of[r];
        light = ground_of_regions<ScalarMath<T>>(cloudy.above, albedo, of_regions);
        U = total(light);
        D = total(cloudy.above.emitted);
#pragma unroll
        for (int r = 0; r < regions; ++r) D += dot(cloudy.above.reflected[r], light.of);
      } else {
        U = (albedo * above.emitted + own) / (T(1) - albedo * above.reflected);
        D = above.reflected * U + above.emitted;
      }

      // Summed upwards: slots are U and D, level by level. With one point there is one slot, for U or D.
      base = n;
      const auto both = [&](int slot, T sum) {
        const std::int64_t k = (base - slot / 2) * row + column;
        if (inside) store_or_add((slot % 2 ? to.down : to.up) + k, sum, Sun && first);
      };
      const auto level = [&](std::int64_t i) {
        if constexpr (Points == 1) {
          const std::int64_t k = i * row + column;
          if (!inside) return;
          store_or_add(to.up + k, weight * U, Sun && first);
          store_or_add(to.down + k, weight * D, Sun && first);
        } else {
          if (sums.full()) {
            sums.flush(both);
            base = i;
          }
          sums.put(weight * U);
          sums.put(weight * D);
        }
      };
      level(n);
      if constexpr (Clouds) {
        for (std::int64_t i = n - 1; i >= top; --i) {
          const T* const from = left + values_before(i, top) * threads;
          T value[values_of_regions];
#pragma unroll
          for (int j = 0; j < values_of_regions; ++j) value[j] = from[j * threads];
          light = {{dot(value, light.of) + value[9], dot(value + 3, light.of) + value[10],
                    dot(value + 6, light.of) + value[11]}};
          U = total(light);
          D = dot(value + 12, light.of) + value[15];
          level(i);
        }
      }
      const T* here = left + 4 * (top > 0 ? top - 1 : 0) * threads;  // not used without layers of one region
      T from_below = here[0], own_next = here[threads], reflected = here[2 * threads], emitted = here[3 * threads];
      for (std::int64_t i = top - 1; i >= 0; --i) {
        U = from_below * U + own_next;
        D = reflected * U + emitted;
        if (i > 0) {
          here -= 4 * threads;
          from_below = here[0];
          own_next = here[threads];
          reflected = here[2 * threads];
          emitted = here[3 * threads];
        }
        level(i);
      }
      if constexpr (Points > 1) sums.flush(both);
    }
  }
}

// Points per block. With eight, four levels of two fluxes fill as many slots as there are warps. A thread with clouds
// has 145 to 150 registers in f64: three blocks of four points fit on a multiprocessor, or one of eight.
constexpr int many = 8, many_cloudy = 4;
// The number of blocks for a large device (two on each of 132 multiprocessors, three with clouds). It is fixed, because
// the order of the sums depends on it.
constexpr std::int64_t blocks_wanted = 264, cloudy_blocks_wanted = 396;

template <class T>
using Kernel = void (*)(Atmosphere<T>, Terms<T>, bool, Fluxes<T>, T*, std::int64_t, std::int64_t, T*);

template <class T>
struct Launch {
  Kernel<T> kernel;
  int points;
  std::int64_t tiles, blocks;
  std::int64_t share;  // points per block, a multiple of `points`
  int shares;
};

template <class T, int Points, bool Clouds>
Kernel<T> kernel_for(const Atmosphere<T>& a) {
  return a.source == Source::sun ? columns_kernel<T, true, Points, Clouds> : columns_kernel<T, false, Points, Clouds>;
}

template <class T>
Launch<T> launch_of(const Atmosphere<T>& a) {
  const bool few = a.points < many / 2, clouds = has_regions(a);
  Launch<T> l;
  l.points = few ? 1 : clouds ? many_cloudy : many;
  if (clouds)
    l.kernel = few ? kernel_for<T, 1, true>(a) : kernel_for<T, many_cloudy, true>(a);
  else
    l.kernel = few ? kernel_for<T, 1, false>(a) : kernel_for<T, many, false>(a);
  l.tiles = core::blocks_for(a.columns, lanes);
  const int multiprocessors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  int resident = 0;
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, l.kernel, lanes * l.points, 0));
  l.blocks = std::min<std::int64_t>(l.tiles, static_cast<std::int64_t>(multiprocessors) * std::max(resident, 1));
  const std::int64_t groups = core::blocks_for(a.points, l.points);
  const std::int64_t wanted = clouds ? cloudy_blocks_wanted : blocks_wanted;
  l.share =
      core::blocks_for(groups, static_cast<int>(std::clamp<std::int64_t>(wanted / l.tiles, 1, groups))) * l.points;
  l.shares = static_cast<int>(core::blocks_for(a.points, static_cast<int>(l.share)));
  return l;
}

template <class T>
std::int64_t left_behind(const Atmosphere<T>& a, const Launch<T>& l) {
  return l.blocks * l.shares * l.points * lanes * values_before(a.layers, first_layer_of_regions(a));
}
template <class T>
std::int64_t levels_of(const Atmosphere<T>& a) {
  return (a.layers + 1) * a.columns;
}

}  // namespace

template <class T>
std::int64_t column_scratch(const Atmosphere<T>& a) {
  const Launch<T> l = launch_of(a);
  return left_behind(a, l) + (l.shares > 1 ? l.shares * kinds * levels_of(a) : 0);
}

template <class T>
void columns_fused(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                   const core::Stream& stream) {
  const Launch<T> l = launch_of(a);
  const dim3 threads(lanes, static_cast<unsigned>(l.points));
  const dim3 blocks(static_cast<unsigned>(l.blocks), static_cast<unsigned>(l.shares));
  T* const partial = l.shares > 1 ? scratch + left_behind(a, l) : nullptr;
  l.kernel<<<blocks, threads, 0, stream.get()>>>(a, Terms<T>(terms_of(options.closure)), options.delta, to, scratch,
                                                 l.tiles, l.share, partial);
  core::check(cudaGetLastError());
  if (!partial) return;
  add_shares<<<static_cast<unsigned>(core::blocks_for(levels_of(a), 256)), 256, 0, stream.get()>>>(partial, l.shares,
                                                                                                   levels_of(a), to);
  core::check(cudaGetLastError());
}

template std::int64_t column_scratch(const Atmosphere<float>&);
template std::int64_t column_scratch(const Atmosphere<double>&);
template void columns_fused(const Atmosphere<float>&, const Options&, const Fluxes<float>&, float*,
                            const core::Stream&);
template void columns_fused(const Atmosphere<double>&, const Options&, const Fluxes<double>&, double*,
                            const core::Stream&);

}  // namespace speedwell::two_stream
