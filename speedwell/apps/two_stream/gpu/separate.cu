// Columns in three passes over memory: coefficients of all layers, columns with one thread for each column at each
// point, sums.
#include <algorithm>

#include "speedwell/apps/two_stream/cuda.hpp"
#include "speedwell/apps/two_stream/gpu/device_layer.hpp"

namespace speedwell::two_stream {
namespace {

constexpr int block = 128;

/// The coefficients, whose memory the passes reuse: the second pass overwrites `reflected` and `transmitted` with U and
/// D of the level above the layer, and `direct` with the beam below it.
template <class T>
struct Work {
  Coefficients<T> layers;
  T *ground_up, *ground_down;  // [g][column]
};

template <class T>
__global__ void __launch_bounds__(block) each_column(Atmosphere<T> a, Work<T> w) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x, n = a.layers;
  if (column >= a.columns) return;
  const bool sun = a.source == Source::sun;
  for (std::int64_t g = blockIdx.y; g < a.points; g += gridDim.y) {
    const std::int64_t ground = g * a.columns + column;
    const auto layer = [&](std::int64_t i) { return (g * n + i) * a.columns + column; };
    const auto planck = [&](std::int64_t i) { return a.planck_level[(g * (n + 1) + i) * a.columns + column]; };
    T travelling = !sun ? planck(0) : a.mu0[column] > T(0) ? a.incident[ground] : T(0);
    Above<T> above{T(0), sun ? T(0) : -travelling};
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t k = layer(i);
      T up, down;
      if (sun) {
        up = w.layers.top[k] * travelling;
        down = w.layers.bottom[k] * travelling;
        travelling *= w.layers.direct[k];
        w.layers.direct[k] = travelling;
      } else {
        const T bottom = planck(i + 1), odd = w.layers.top[k] * (bottom - travelling);
        const T even =
            a.planck_middle ? w.layers.bottom[k] * (T(2) * (travelling + bottom - T(2) * a.planck_middle[k])) : T(0);
        up = even + odd;
        down = even - odd;
        travelling = bottom;
      }
      const auto e = eliminate(above, T(1), w.layers.reflected[k], w.layers.transmitted[k], up, down);
      w.layers.reflected[k] = e.from_below;
      w.layers.transmitted[k] = e.own;
      w.layers.top[k] = e.above.reflected;
      w.layers.bottom[k] = e.above.emitted;
    }
    T albedo, own;
    if (sun) {
      albedo = a.ground_diffuse[ground];
      own = a.ground_direct[ground] * travelling;
    } else {
      albedo = T(1) - a.emissivity[ground];
      own = a.emissivity[ground] * (a.planck_ground[ground] - travelling);
    }
    T U = (albedo * above.emitted + own) / (T(1) - albedo * above.reflected);
    w.ground_up[ground] = U;
    w.ground_down[ground] = above.reflected * U + above.emitted;
    for (std::int64_t i = n - 1; i >= 0; --i) {
      const std::int64_t k = layer(i);
      U = w.layers.reflected[k] * U + w.layers.transmitted[k];
      w.layers.reflected[k] = U;
      w.layers.transmitted[k] = w.layers.top[k] * U + w.layers.bottom[k];
    }
  }
}

template <class T>
__global__ void __launch_bounds__(block) sum_points(Atmosphere<T> a, Work<T> w, Fluxes<T> to) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x, n = a.layers;
  if (column >= a.columns) return;
  const bool sun = a.source == Source::sun;
  for (std::int64_t i = blockIdx.y; i <= n; i += gridDim.y) {
    T up = 0, down = 0, direct = 0;
    for (std::int64_t g = 0; g < a.points; ++g) {
      const T weight = a.weight ? a.weight[g] : T(1);
      const std::int64_t ground = g * a.columns + column, below = (g * n + i) * a.columns + column;
      T U = i < n ? w.layers.reflected[below] : w.ground_up[ground];
      T D = i < n ? w.layers.transmitted[below] : w.ground_down[ground];
      if (sun) {
        direct += weight * (i > 0                  ? w.layers.direct[below - a.columns]
                            : a.mu0[column] > T(0) ? a.incident[ground]
                                                   : T(0));
      } else {
        const T planck = a.planck_level[(g * (n + 1) + i) * a.columns + column];
        U += planck;
        D += planck;
      }
      up += weight * U;
      down += weight * D;
    }
    const std::int64_t k = i * a.columns + column;
    to.up[k] = up;
    to.down[k] = down;
    if (to.direct) to.direct[k] = direct;
  }
}

}  // namespace

template <class T>
void columns_separate(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                      const core::Stream& stream) {
  require_no_clouds(a);
  const std::int64_t all = a.points * a.layers * a.columns;
  Work<T> w{{scratch, scratch + all, scratch + 2 * all, scratch + 3 * all, scratch + 4 * all}, nullptr, nullptr};
  w.ground_up = scratch + 5 * all;
  w.ground_down = w.ground_up + a.points * a.columns;
  coefficients(a, options, w.layers, stream);
  const auto wide = static_cast<unsigned>(core::blocks_for(a.columns, block));
  const auto high = [](std::int64_t rows) { return static_cast<unsigned>(std::min<std::int64_t>(rows, 65535)); };
  each_column<<<dim3(wide, high(a.points)), block, 0, stream.get()>>>(a, w);
  core::check(cudaGetLastError());
  sum_points<<<dim3(wide, high(a.layers + 1)), block, 0, stream.get()>>>(a, w, to);
  core::check(cudaGetLastError());
}

template void columns_separate(const Atmosphere<float>&, const Options&, const Fluxes<float>&, float*,
                               const core::Stream&);
template void columns_separate(const Atmosphere<double>&, const Options&, const Fluxes<double>&, double*,
                               const core::Stream&);

}  // namespace speedwell::two_stream
