// Solves the columns of one block on one core, for all points of the spectrum: elimination downwards, substitution
// upwards, and the weighted sum, in memory that stays in the core's cache. The same code serves scalars and vectors.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/column.hpp"
#include "speedwell/apps/two_stream/layer.hpp"
#include "speedwell/apps/two_stream/regions.hpp"
#include "speedwell/apps/two_stream/two_stream.hpp"

namespace speedwell::two_stream {

/// The arguments of a block. The atmosphere has been checked.
template <class T>
struct BlockJob {
  Atmosphere<T> a;
  Fluxes<T> to;
  const Terms<T>* terms = nullptr;
  bool delta = true;
};

/// Vectors of `vector_bytes` in a block: 512 bytes of each row. Rows are further apart than a page, so that each access
/// to one costs a page-table walk and a DRAM row; more columns would not fit into a core's cache.
constexpr int max_vectors(int vector_bytes) { return 512 / vector_bytes; }

/// Elements of scratch memory of a block, for `lanes` = vectors * width columns.
template <class T>
std::int64_t scratch_elements(const Atmosphere<T>& a, std::int64_t lanes) {
  return (values_before(a.layers, first_layer_of_regions(a)) + 3 * (a.layers + 1)) * lanes;
}

/// The reflection, transmission and sources of one region. The sources are per direct flux at the top, or per area of
/// an emitting region, with the differences of the Planck flux given.
template <class V>
struct RegionTerms {
  V reflected, transmitted, direct, up, down;
};
template <class M>
RegionTerms<typename M::Value> region_terms(const Optics<typename M::Value>& o, const Terms<typename M::Scalar>& terms,
                                            bool sun, typename M::Value mu0, typename M::Value sec, bool quadratic,
                                            typename M::Value difference, typename M::Value second_difference) {
  if (sun) {
    const auto l = sunlit<M>(o, terms, mu0, sec);
    return {l.reflected, l.transmitted, l.direct, l.up, l.down};
  }
  const auto l = emitting<M>(o, terms, quadratic);
  const auto odd = l.c1 * difference, even = l.c2 * second_difference;
  return {l.reflected, l.transmitted, odd, even + odd, even - odd};
}

/// M is layer.hpp's Math with `width` lanes and load(p, count), store(p, value, count) for the first `count` of them.
/// Processes `vectors` vectors from column `first`; lanes after the last column repeat it and are not stored.
template <class M, bool Clouds>
void column_block(const BlockJob<typename M::Scalar>& job, std::int64_t first, int vectors,
                  typename M::Scalar* scratch) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const Atmosphere<T>& a = job.a;
  const Terms<T> terms = *job.terms;
  const bool sun = a.source == Source::sun;
  const std::int64_t n = a.layers, lanes = vectors * M::width;
  const std::int64_t top = Clouds ? first_layer_of_regions(a) : n;  // of the layers of three regions
  T* const eliminated = scratch;                                    // [layer][vector][4 or 16][lane]
  T* const up = eliminated + values_before(n, top) * lanes;
  T* const down = up + (n + 1) * lanes;
  T* const third = down + (n + 1) * lanes;  // the direct beam, or the Planck flux, which is added to both of the others
  for (std::int64_t i = 0; i < 3 * (n + 1) * lanes; ++i) up[i] = 0;
  const V zero = M::broadcast(0), one = M::broadcast(1);
  const auto columns_of = [&](int v) {
    const std::int64_t left = a.columns - first - v * M::width;
    return left < M::width ? left : M::width;
  };
  [[maybe_unused]] const auto regions_of = [&](std::int64_t i, int v) {  // the 16 values of a layer
    return eliminated + values_before(i, top) * lanes + v * values_of_regions * M::width;
  };
  [[maybe_unused]] const auto store_matrix = [](T* to, const V(&matrix)[regions][regions]) {
    for (int i = 0; i < regions * regions; ++i) M::store(to + i * M::width, matrix[i / regions][i % regions], M::width);
  };
  const auto add = [](T* sum, V value) { M::store(sum, M::load(sum, M::width) + value, M::width); };

  constexpr int most = max_vectors(M::width * static_cast<int>(sizeof(T)));
  V mu0[most], sec[most], beam_flux[most], planck[most];
  V U[most];
  Above<V> above[most];
  [[maybe_unused]] RegionsColumn<V> cloudy[Clouds ? most : 1];
  // The data of the next layer are prefetched during this one: hardware prefetchers do not follow such strides.
  const auto ask = [](const T* next) { __builtin_prefetch(next); };
  for (std::int64_t g = 0; g < a.points; ++g) {
    const T weight = a.weight ? a.weight[g] : T(1);
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t column = first + v * M::width, count = columns_of(v);
      above[v] = {zero, zero};
      if (sun) {
        const V cosine = M::load(a.mu0 + column, count);
        mu0[v] = M::select(cosine > T(0), cosine, one);  // arbitrary at night: there is no beam
        sec[v] = M::reciprocal(mu0[v]);
        beam_flux[v] = M::select(cosine > T(0), M::load(a.incident + g * a.columns + column, count), zero);
        add(third + v * M::width, weight * beam_flux[v]);
      } else {
        planck[v] = M::load(a.planck_level + g * (n + 1) * a.columns + column, count);
        above[v].emitted = -planck[v];
        add(third + v * M::width, weight * planck[v]);
      }
    }
    for (std::int64_t i = 0; i < top; ++i)
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t count = columns_of(v), k = (g * n + i) * a.columns + first + v * M::width;
        for (const T* array : {a.optical_depth, a.albedo, a.asymmetry}) ask(array + k + a.columns);
        if (!sun) ask(a.planck_level + (g * (n + 1) + i + 2) * a.columns + first + v * M::width);
        const auto o = optics<M>(M::load(a.optical_depth + k, count), M::load(a.albedo + k, count),
                                 M::load(a.asymmetry + k, count), job.delta);
        V reflected, transmitted, source_up, source_down;
        if (sun) {
          const auto l = sunlit<M>(o, terms, mu0[v], sec[v]);
          reflected = l.reflected;
          transmitted = l.transmitted;
          source_up = l.up * beam_flux[v];
          source_down = l.down * beam_flux[v];
          beam_flux[v] = beam_flux[v] * l.direct;
          add(third + ((i + 1) * vectors + v) * M::width, weight * beam_flux[v]);
        } else {
          const V bottom = M::load(a.planck_level + (g * (n + 1) + i + 1) * a.columns + first + v * M::width, count);
          const auto l = emitting<M>(o, terms, a.planck_middle != nullptr);
          reflected = l.reflected;
          transmitted = l.transmitted;
          const V odd = l.c1 * (bottom - planck[v]);
          const V even = a.planck_middle
                             ? l.c2 * (T(2) * (planck[v] + bottom - T(2) * M::load(a.planck_middle + k, count)))
                             : zero;
          source_up = even + odd;
          source_down = even - odd;
          planck[v] = bottom;
          add(third + ((i + 1) * vectors + v) * M::width, weight * bottom);
        }
        const auto e = eliminate_with(M::reciprocal(one - above[v].reflected * reflected), above[v], reflected,
                                      transmitted, source_up, source_down);
        T* const to = eliminated + (i * vectors + v) * 4 * M::width;
        M::store(to, e.from_below, M::width);
        M::store(to + M::width, e.own, M::width);
        M::store(to + 2 * M::width, e.above.reflected, M::width);
        M::store(to + 3 * M::width, e.above.emitted, M::width);
      }
    if constexpr (Clouds) {
      const std::int64_t all = a.points * n * a.columns;  // values of one region
      for (int v = 0; v < vectors; ++v)
        cloudy[v] = clear_column(above[v].reflected, above[v].emitted, sun ? beam_flux[v] : zero, zero, one);
      for (std::int64_t i = top; i < n; ++i)
        for (int v = 0; v < vectors; ++v) {
          const std::int64_t count = columns_of(v), column = first + v * M::width, k = (g * n + i) * a.columns + column;
          const T* const fraction = a.cloud_fraction + i * a.columns + column;
          RegionsColumn<V>& c = cloudy[v];
          enter<M>(c, areas<M>(M::load(fraction, count), M::load(fraction + n * a.columns, count)));
          if (i > top) store_matrix(regions_of(i - 1, v), c.from_below);
          V bottom = zero, difference = zero, second_difference = zero;
          if (!sun) {
            bottom = M::load(a.planck_level + (g * (n + 1) + i + 1) * a.columns + column, count);
            difference = bottom - planck[v];
            if (a.planck_middle)
              second_difference = T(2) * (planck[v] + bottom - T(2) * M::load(a.planck_middle + k, count));
            planck[v] = bottom;
          }
          RegionsLayer<V> layer;
          for (int r = 0; r < regions; ++r) {
            const auto load = [&](const T* clear, const T* cloud) {
              const T* const at = (r == 0 ? clear : cloud + (r - 1) * all) + k;
              ask(at + a.columns);
              return M::load(at, count);
            };
            const auto o = optics<M>(load(a.optical_depth, a.cloud_optical_depth), load(a.albedo, a.cloud_albedo),
                                     load(a.asymmetry, a.cloud_asymmetry), job.delta);
            const auto t = region_terms<M>(o, terms, sun, mu0[v], sec[v], a.planck_middle != nullptr, difference,
                                           second_difference);
            const V source = sun ? c.beam.of[r] : c.areas.of[r];
            layer.reflected[r] = t.reflected;
            layer.transmitted[r] = t.transmitted;
            layer.up[r] = t.up * source;
            layer.down[r] = t.down * source;
            if (sun) c.beam.of[r] = c.beam.of[r] * t.direct;
          }
          const auto e = eliminate_regions<M>(c.above, layer);
          T* const to = regions_of(i, v) + regions * regions * M::width;
          for (int r = 0; r < regions; ++r) {
            for (int j = 0; j < regions; ++j) c.from_below[r][j] = e.from_below[r][j];
            M::store(to + r * M::width, e.own.of[r], M::width);
            M::store(to + (regions + r) * M::width, e.reflected[r], M::width);
          }
          M::store(to + 2 * regions * M::width, e.emitted, M::width);
          add(third + ((i + 1) * vectors + v) * M::width, weight * (sun ? total(c.beam) : bottom));
        }
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t count = columns_of(v), k = g * a.columns + first + v * M::width;
        RegionsColumn<V>& c = cloudy[v];
        store_matrix(regions_of(n - 1, v), c.from_below);
        OfRegions<V> own;
        V albedo;
        if (sun) {
          albedo = M::load(a.ground_diffuse + k, count);
          const V direct = M::load(a.ground_direct + k, count);
          for (int r = 0; r < regions; ++r) own.of[r] = direct * c.beam.of[r];
        } else {
          const V emissivity = M::load(a.emissivity + k, count);
          const V emits = emissivity * (M::load(a.planck_ground + k, count) - planck[v]);
          albedo = T(1) - emissivity;
          for (int r = 0; r < regions; ++r) own.of[r] = emits * c.areas.of[r];
        }
        OfRegions<V> light = ground_of_regions<M>(c.above, albedo, own);
        V down_flux = total(c.above.emitted);
        for (int r = 0; r < regions; ++r) down_flux = down_flux + dot(c.above.reflected[r], light.of);
        add(up + (n * vectors + v) * M::width, weight * total(light));
        add(down + (n * vectors + v) * M::width, weight * down_flux);
        for (std::int64_t i = n; i-- > top;) {
          const T* const from = regions_of(i, v);
          V value[values_of_regions];
          for (int j = 0; j < values_of_regions; ++j) value[j] = M::load(from + j * M::width, M::width);
          light = {{dot(value, light.of) + value[9], dot(value + 3, light.of) + value[10],
                    dot(value + 6, light.of) + value[11]}};
          add(up + (i * vectors + v) * M::width, weight * total(light));
          add(down + (i * vectors + v) * M::width, weight * (dot(value + 12, light.of) + value[15]));
        }
        U[v] = total(light);
      }
    }
    for (int v = 0; v < vectors && !Clouds; ++v) {
      const std::int64_t count = columns_of(v), k = g * a.columns + first + v * M::width;
      V albedo, own;
      if (sun) {
        albedo = M::load(a.ground_diffuse + k, count);
        own = M::load(a.ground_direct + k, count) * beam_flux[v];
      } else {
        const V emissivity = M::load(a.emissivity + k, count);
        albedo = T(1) - emissivity;
        own = emissivity * (M::load(a.planck_ground + k, count) - planck[v]);
      }
      U[v] = (albedo * above[v].emitted + own) * M::reciprocal(T(1) - albedo * above[v].reflected);
      add(up + (n * vectors + v) * M::width, weight * U[v]);
      add(down + (n * vectors + v) * M::width, weight * (above[v].reflected * U[v] + above[v].emitted));
    }
    for (std::int64_t i = top; i-- > 0;)
      for (int v = 0; v < vectors; ++v) {
        const T* const from = eliminated + (i * vectors + v) * 4 * M::width;
        U[v] = M::load(from, M::width) * U[v] + M::load(from + M::width, M::width);
        add(up + (i * vectors + v) * M::width, weight * U[v]);
        add(down + (i * vectors + v) * M::width,
            weight * (M::load(from + 2 * M::width, M::width) * U[v] + M::load(from + 3 * M::width, M::width)));
      }
  }
  for (std::int64_t i = 0; i <= n; ++i)
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t count = columns_of(v), from = (i * vectors + v) * M::width;
      const std::int64_t k = i * a.columns + first + v * M::width;
      const V both = sun ? zero : M::load(third + from, M::width);
      M::store(job.to.up + k, M::load(up + from, M::width) + both, count);
      M::store(job.to.down + k, M::load(down + from, M::width) + both, count);
      if (job.to.direct) M::store(job.to.direct + k, sun ? M::load(third + from, M::width) : zero, count);
    }
}

/// Computes the coefficients of one layer at one point, row k = g * layers + layer, in columns [first, end).
/// `streaming`: use non-temporal stores if the alignment of all result arrays allows it.
template <class M>
void coefficient_row(const Atmosphere<typename M::Scalar>& a, const Terms<typename M::Scalar>& terms, bool delta,
                     bool quadratic, const Coefficients<typename M::Scalar>& to, std::int64_t row, std::int64_t first,
                     std::int64_t end, bool streaming) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const V one = M::broadcast(1);
  // The columns before the first vector that is aligned in all result arrays.
  constexpr std::uintptr_t bytes = M::width * sizeof(T);
  std::int64_t head = 0;
  if (streaming) {
    const auto offset = [&](const T* array) {
      return reinterpret_cast<std::uintptr_t>(array + row * a.columns + first) % bytes;
    };
    for (const T* array : {to.reflected, to.transmitted, to.direct, to.top, to.bottom})
      if (array && offset(array) != offset(to.reflected)) streaming = false;
    if (streaming && to.reflected) head = static_cast<std::int64_t>((bytes - offset(to.reflected)) % bytes / sizeof(T));
    streaming = streaming && to.reflected;
  }
  const auto put = [&](T* array, std::int64_t k, V value, std::int64_t count) {
    if (!array) return;
    if (streaming && count == M::width)
      M::stream(array + k, value);
    else
      M::store(array + k, value, count);
  };
  for (std::int64_t column = first, count = 0; column < end; column += count) {
    const std::int64_t k = row * a.columns + column, whole = column == first && head > 0 ? head : M::width;
    count = end - column < whole ? end - column : whole;
    const auto o = optics<M>(M::load(a.optical_depth + k, count), M::load(a.albedo + k, count),
                             M::load(a.asymmetry + k, count), delta);
    const auto all = [&](V reflected, V transmitted, V top, V bottom) {
      put(to.reflected, k, reflected, count);
      put(to.transmitted, k, transmitted, count);
      put(to.top, k, top, count);
      put(to.bottom, k, bottom, count);
    };
    if (a.source == Source::sun) {
      const V cosine = M::load(a.mu0 + column, count), mu0 = M::select(cosine > T(0), cosine, one);
      const auto l = sunlit<M>(o, terms, mu0, M::reciprocal(mu0));
      all(l.reflected, l.transmitted, l.up, l.down);
      put(to.direct, k, l.direct, count);
    } else {
      const auto l = emitting<M>(o, terms, quadratic);
      all(l.reflected, l.transmitted, l.c1, l.c2);
    }
  }
  if (streaming) M::fence();
}

/// ScalarMath as a Math of one lane.
template <class T>
struct OneLane : ScalarMath<T> {
  static constexpr int width = 1;
  static T load(const T* p, std::int64_t) { return *p; }
  static void store(T* p, T value, std::int64_t) { *p = value; }
  static void stream(T* p, T value) { *p = value; }
  static void fence() {}
  static T broadcast(T value) { return value; }
};

}  // namespace speedwell::two_stream
