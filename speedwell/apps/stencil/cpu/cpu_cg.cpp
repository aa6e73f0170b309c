#include "speedwell/apps/stencil/cpu/cpu_cg.hpp"

#include <algorithm>

#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::stencil {

template <class T>
TwoPassWorkspace<T>::TwoPassWorkspace(const Grid& grid, int threads)
    : rows_(strip_rows<T>(grid)),
      pitch_((grid.nx + 15) / 16 * 16),
      threads_(threads),
      rings_(static_cast<std::size_t>(threads * planes * (rows_ + 2) * pitch_), core::Pages::large),
      sums_(static_cast<std::size_t>(grid.ny * grid.nz)),
      zeros_(static_cast<std::size_t>(grid.nx), T(0)) {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#ifdef _OPENMP
    const int rank = omp_get_thread_num();
#else
    const int rank = 0;
#endif
    std::fill_n(ring(rank), planes * (rows_ + 2) * pitch_, T(0));
  }
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

template <class T>
TwoPasses<T>::TwoPasses(const Operator<T>& a, TwoPassWorkspace<T>& scratch)
    : a_(a),
      workspace_(scratch),
      kernels_(row_kernels<T>(core::best_isa(), a.form)),
      streaming_(exceeds_caches(4 * static_cast<double>(a.grid.size()) * sizeof(T))),
      planes_(!streaming_ && a.grid.nz >= 2 * scratch.threads()) {}

template <class T>
void TwoPasses<T>::apply(std::span<const T> p, std::span<T> q) const {
  multiply<T>(a_, p, q, {.threads = workspace_.threads()});
}

template <class T>
double TwoPasses<T>::direction(std::span<const T> r, std::span<const T> p, T beta, std::span<T> next) const {
  const Grid& g = a_.grid;
  const std::int64_t pitch = workspace_.pitch(), ring_rows = workspace_.rows() + 2;
  const std::span<double> sums = workspace_.sums();
  const std::int64_t ahead = rows_ahead<T>(g);
  const auto march = [&](std::int64_t rank, const Share& strip) {
    T* const ring = workspace_.ring(rank);
    const auto cached_row = [&](std::int64_t j, std::int64_t k) {
      return ring +
             ((k + TwoPassWorkspace<T>::planes) % TwoPassWorkspace<T>::planes * ring_rows + j - strip.j_begin + 1) *
                 pitch;
    };
    const auto advance = [&](std::int64_t k) {
      const bool own_plane = k >= strip.k_begin && k < strip.k_end;
      const std::int64_t k_there = neighbour_index(k, g.nz, a_.boundary);
      if (k_there < 0) return;
      const std::int64_t halo = own_plane ? 1 : 0;
      const Share visited{strip.j_begin - halo, strip.j_end + halo, strip.k_begin - 1, strip.k_end + 1};
      for (std::int64_t j = strip.j_begin - halo; j < strip.j_end + halo; ++j) {
        const std::int64_t j_there = neighbour_index(j, g.ny, a_.boundary);
        if (j_there < 0) continue;
        const bool own = own_plane && j >= strip.j_begin && j < strip.j_end;
        const auto cell = static_cast<std::size_t>(g.cell(0, j_there, k_there));
        kernels_.direction(r.data() + cell, p.data() + cell, beta, g.nx, cached_row(j, k),
                           own ? next.data() + cell : nullptr, streaming_, cells_ahead(g, visited, j, k, ahead));
      }
    };
    advance(strip.k_begin - 1);
    advance(strip.k_begin);
    for (std::int64_t k = strip.k_begin; k < strip.k_end; ++k) {
      advance(k + 1);
      for (std::int64_t j = strip.j_begin; j < strip.j_end; ++j) {
        Row<T> row = row_of(a_, 0, g.nx, j, k);
        row.centre = cached_row(j, k);
        const T* const ghost = a_.boundary == Boundary::none ? row.centre : workspace_.zeros();
        const auto at = [&](std::int64_t jj, std::int64_t kk) {
          const bool in_box =
              neighbour_index(jj, g.ny, a_.boundary) >= 0 && neighbour_index(kk, g.nz, a_.boundary) >= 0;
          return in_box ? cached_row(jj, kk) : ghost;
        };
        row.south = at(j - 1, k);
        row.north = at(j + 1, k);
        row.below = at(j, k - 1);
        row.above = at(j, k + 1);
        const T first = row.centre[0], last = row.centre[g.nx - 1];
        row.west_end = a_.boundary == Boundary::periodic ? last : a_.boundary == Boundary::none ? first : T(0);
        row.east_end = a_.boundary == Boundary::periodic ? first : a_.boundary == Boundary::none ? last : T(0);
        sums[static_cast<std::size_t>(k * g.ny + j)] = kernels_.dot(row);
      }
    }
  };
  for_each_strip(g, workspace_.threads(), workspace_.rows(), planes_, march, [&] {
    if (streaming_) streaming_fence();
  });
  return staged_sum(sums);
}

template <class T>
double TwoPasses<T>::update(T alpha, std::span<const T> p, std::span<T> x, std::span<T> r) const {
  const Grid& g = a_.grid;
  const std::span<double> sums = workspace_.sums();
  const std::int64_t ahead = rows_ahead<T>(g);
  for_each_row(
      g, workspace_.threads(), strip_rows<T>(g), planes_ ? Traversal::planes : Traversal::strips,
      [&](std::int64_t i, std::int64_t n, std::int64_t j, std::int64_t k, const Share& strip) {
        Row<T> row = row_of(a_, i, n, j, k);
        point_at(row, a_, p.data(), workspace_.zeros(), i, j, k);
        const auto cell = static_cast<std::size_t>(g.cell(i, j, k));
        sums[static_cast<std::size_t>(k * g.ny + j)] =
            kernels_.update(row, alpha, x.data() + cell, r.data() + cell, cells_ahead(g, strip, j, k, ahead));
      },
      [] {});
  return staged_sum(sums);
}

template class TwoPassWorkspace<float>;
template class TwoPassWorkspace<double>;
template class TwoPasses<float>;
template class TwoPasses<double>;

}  // namespace speedwell::stencil
