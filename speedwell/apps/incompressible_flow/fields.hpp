// Fields on the host with a layer of ghost cells around the mesh, filled from the boundary conditions or from a
// neighbour.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

struct Layout {
  int n[3] = {};
  std::ptrdiff_t row = 0, plane = 0, origin = 0;
  std::size_t size = 0;

  /// Rows begin at multiples of `alignment` bytes; their distance is never a power of two.
  Layout(const Extents& e, std::size_t element, std::size_t alignment = 64) : n{e.nx, e.ny, e.nz} {
    const auto line = static_cast<std::ptrdiff_t>(alignment / element);
    row = (e.nx + 2 + line - 1) / line * line;
    if ((row / line) % 2 == 0) row += line;
    plane = row * (e.ny + 2);
    origin = line + row + plane;
    size = static_cast<std::size_t>(line + plane * (e.nz + 2) + line);
  }
  std::ptrdiff_t at(int i, int j, int k) const { return origin + i + j * row + k * plane; }
};

template <class T>
class Field {
 public:
  Field() = default;
  explicit Field(const Layout& layout) : values_(layout.size, core::Pages::large) {
    std::fill(values_.begin(), values_.end(), T(0));
  }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T* at(const Layout& l, int j, int k) { return values_.data() + l.at(0, j, k); }
  const T* at(const Layout& l, int j, int k) const { return values_.data() + l.at(0, j, k); }
  explicit operator bool() const { return values_.size() > 0; }

 private:
  core::HostBuffer<T> values_;
};
template <class T>
using Fields = std::array<Field<T>, 3>;

/// Distributes the rows of a mesh over threads. Each thread advances along z with a few rows, so that the planes that
/// it needs stay in its cache.
class RowTeam {
 public:
  RowTeam(const Layout& layout, int threads, std::size_t element);
  int threads() const { return threads_; }

  template <class Body>
  void for_each(const Body& body) const {
    const int planes = layout_.n[2], all = tiles_ * planes;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int t = 0; t < all; ++t) {
      const int k = t % planes, first = t / planes * tile_;
      for (int j = first; j < std::min(first + tile_, layout_.n[1]); ++j) body(j, k);
    }
  }
  /// The sum of body(j, k), in an order that does not depend on the number of threads.
  template <class Body>
  double sum(const Body& body) {
    for_each([&](int j, int k) {
      of_rows_[static_cast<std::size_t>(k) * static_cast<std::size_t>(layout_.n[1]) + static_cast<std::size_t>(j)] =
          body(j, k);
    });
    return pairwise(of_rows_.data(), of_rows_.size());
  }

 private:
  static double pairwise(const double* x, std::size_t n);

  Layout layout_;
  int threads_, tile_, tiles_;
  std::vector<double> of_rows_;
};

/// Fills the ghost cells of component c of a velocity. Without `moving`, walls are at rest, as a linear operator needs.
template <class T>
void fill_edges(const Problem& problem, const Layout& layout, const RowTeam& team, int c, Field<T>& field,
                bool moving = true);
/// Fills the ghost cells of a cell-centred field on periodic sides; others are not changed.
template <class T>
void fill_edges_of_cells(const Problem& problem, const Layout& layout, const RowTeam& team, Field<T>& field);

}  // namespace speedwell::incompressible_flow
