// Columns in one pass. A thread has a column at one point of the spectrum, a block 32 neighbouring columns and `Points`
// of their points. It eliminates all layers downwards, storing four values of each, substitutes upwards, and sums over
// the points of each level in shared memory. Blocks are persistent and process tiles of columns in turn, so that the
// scratch memory is at most some hundred megabytes for any problem. If there are few columns, several blocks share the
// points of a tile, each with partial fluxes, which a second kernel adds.
#include <algorithm>

#include "speedwell/apps/two_stream/cuda.hpp"
#include "speedwell/apps/two_stream/gpu/device_layer.hpp"

namespace speedwell::two_stream {
namespace {

constexpr int lanes = 32;

/// A double buffer of values of `Points` points to be summed, with one slot per warp of the block: one half is summed
/// while the other is filled.
template <class T, int Points>
struct Waiting {
  T values[2][Points][Points][lanes];  // [half][slot][point][lane]
};

template <class T, int Points>
class Sums {
 public:
  __device__ explicit Sums(Waiting<T, Points>& waiting) : waiting_(waiting) {}
  __device__ void put(T value) { waiting_.values[half_][filled_++][threadIdx.y][threadIdx.x] = value; }
  __device__ bool full() const { return filled_ == Points; }
  /// Calls to(slot, sum) once for each filled slot and lane, in the slot's warp.
  template <class To>
  __device__ void flush(const To& to) {
    if constexpr (Points > 1) __syncthreads();
    const int slot = static_cast<int>(threadIdx.y);
    if (slot < filled_) {
      T sum = 0;
#pragma unroll
      for (int p = 0; p < Points; ++p) sum += waiting_.values[half_][slot][p][threadIdx.x];
      to(slot, sum);
    }
    half_ ^= 1;
    filled_ = 0;
  }

 private:
  Waiting<T, Points>& waiting_;
  int half_ = 0, filled_ = 0;
};

template <class T>
__device__ void store_or_add(T* to, T value, bool first) {
  *to = first ? value : *to + value;
}

constexpr int kinds = 3;  // kinds of fluxes: up, down, direct

template <class T>
__device__ Fluxes<T> partial_fluxes(T* partial, std::int64_t share, std::int64_t levels, const Fluxes<T>& wanted) {
  T* const own = partial + share * kinds * levels;
  return {own, own + levels, wanted.direct ? own + 2 * levels : nullptr};
}

/// Adds the partial fluxes in order. A thread has a level of a column.
template <class T>
__global__ void __launch_bounds__(256) add_shares(T* partial, int shares, std::int64_t levels, Fluxes<T> to) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (k >= levels) return;
  T up = 0, down = 0, direct = 0;
  for (int s = 0; s < shares; ++s) {
    const Fluxes<T> from = partial_fluxes(partial, s, levels, to);
    up += from.up[k];
    down += from.down[k];
    if (to.direct) direct += from.direct[k];
  }
  to.up[k] = up;
  to.down[k] = down;
  if (to.direct) to.direct[k] = direct;
}

template <class T, bool Sun, int Points>
__global__ void __launch_bounds__(lanes* Points)
    columns_kernel(Atmosphere<T> a, Terms<T> terms, bool delta, Fluxes<T> to, T* scratch, std::int64_t tiles,
                   std::int64_t share, T* partial) {
  constexpr int threads = lanes * Points;
  __shared__ Waiting<T, Points> waiting;
  Sums<T, Points> sums(waiting);
  const int lane = static_cast<int>(threadIdx.x), own_point = static_cast<int>(threadIdx.y);
  const std::int64_t n = a.layers, row = a.columns;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  T* const left = scratch + block * 4 * n * threads + own_point * lanes + lane;
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
      for (std::int64_t i = 0; i < n; ++i) {
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
      T U = (albedo * above.emitted + own) / (T(1) - albedo * above.reflected);
      T D = above.reflected * U + above.emitted;

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
      const T* here = left + 4 * (n - 1) * threads;
      T from_below = here[0], own_next = here[threads], reflected = here[2 * threads], emitted = here[3 * threads];
      for (std::int64_t i = n - 1; i >= 0; --i) {
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

// Points per block. With eight, four levels of two fluxes fill as many slots as there are warps.
constexpr int many = 8;
// The number of blocks for a large device (two on each of 132 multiprocessors). It is fixed, because the order of the
// sums depends on it.
constexpr std::int64_t blocks_wanted = 264;

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

template <class T>
Launch<T> launch_of(const Atmosphere<T>& a) {
  const bool sun = a.source == Source::sun, few = a.points < many / 2;
  Launch<T> l;
  l.points = few ? 1 : many;
  if (few)
    l.kernel = sun ? columns_kernel<T, true, 1> : columns_kernel<T, false, 1>;
  else
    l.kernel = sun ? columns_kernel<T, true, many> : columns_kernel<T, false, many>;
  l.tiles = core::blocks_for(a.columns, lanes);
  const int multiprocessors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  int resident = 0;
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, l.kernel, lanes * l.points, 0));
  l.blocks = std::min<std::int64_t>(l.tiles, static_cast<std::int64_t>(multiprocessors) * std::max(resident, 1));
  const std::int64_t groups = core::blocks_for(a.points, l.points);
  l.share = core::blocks_for(groups, static_cast<int>(std::clamp<std::int64_t>(blocks_wanted / l.tiles, 1, groups))) *
            l.points;
  l.shares = static_cast<int>(core::blocks_for(a.points, static_cast<int>(l.share)));
  return l;
}

template <class T>
std::int64_t left_behind(const Atmosphere<T>& a, const Launch<T>& l) {
  return l.blocks * l.shares * l.points * lanes * 4 * a.layers;
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
