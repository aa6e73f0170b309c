// Fields on the host with a layer of ghost cells around the mesh, filled from the boundary conditions or from a
// neighbour.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/ranks/slab.hpp"
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
  /// `slab`: the planes of the mesh, if they are one of several ranks' slabs; it must outlive the team.
  RowTeam(const Layout& layout, int threads, std::size_t element, Slab* slab = nullptr);
  int threads() const { return threads_; }
  /// The slab of this rank, or null if the mesh is not divided.
  Slab* slab() const { return slab_; }
  /// The index in the box of plane 0.
  int first_plane() const { return slab_ ? slab_->first() : 0; }

  template <class Body>
  void for_each(const Body& body) const {
    for_each(0, layout_.n[2], body);
  }
  /// The rows of planes begin … end - 1.
  template <class Body>
  void for_each(int begin, int end, const Body& body) const {
    const int planes = end - begin, all = tiles_ * planes;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int t = 0; t < all; ++t) {
      const int k = begin + t % planes, first = t / planes * tile_;
      for (int j = first; j < std::min(first + tile_, layout_.n[1]); ++j) body(j, k);
    }
  }
  /// All rows: first those of the planes that do not read the planes of other ranks that are in transfer, while these
  /// travel; `arrive` waits for them.
  template <class Arrive, class Body>
  void for_each_while(const Arrive& arrive, const Body& body) const {
    const int planes = layout_.n[2];
    if (!slab_) {
      arrive();
      return for_each(body);
    }
    constexpr int batches = 4;  // between them MPI moves planes on
    for (int b = 0; b < batches && planes > 2; ++b) {
      const comm::Range inner = comm::part_of(planes - 2, batches, b);
      for_each(static_cast<int>(inner.begin) + 1, static_cast<int>(inner.end) + 1, body);
      slab_->progress();
    }
    arrive();
    for_each(0, 1, body);
    if (planes > 1) for_each(planes - 1, planes, body);
  }
  /// The sum of body(j, k) over the whole mesh, in an order that depends neither on the number of threads nor on that
  /// of ranks: pairwise over the rows of each plane, and over the planes. Collective.
  template <class Body>
  double sum(const Body& body) {
    return sums<1>([&](int j, int k) { return std::array<double, 1>{body(j, k)}; })[0];
  }
  /// The same for `count` sums at a time: body(j, k) returns an array of as many terms.
  template <std::size_t count, class Body>
  std::array<double, count> sums(const Body& body) {
    const auto rows = static_cast<std::size_t>(layout_.n[1]);
    of_rows_.resize(std::max(of_rows_.size(), count * rows * static_cast<std::size_t>(layout_.n[2])));
    for_each([&](int j, int k) {
      const std::array<double, count> terms = body(j, k);
      std::copy(terms.begin(), terms.end(),
                of_rows_.data() + count * (static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j)));
    });
    std::array<double, count> all;
    sum_of_rows(count, all.data());
    return all;
  }

 private:
  /// Writes the sums of the `count` terms of each row.
  void sum_of_rows(std::size_t count, double* sums);
  /// Adds up n numbers that are `stride` apart.
  static double pairwise(const double* x, std::size_t n, std::size_t stride);

  Layout layout_;
  Slab* slab_;
  int threads_, tile_, tiles_;
  std::vector<double> of_rows_;
};

/// The number of faces of component c in row (j, k) that the box leaves open: all, one fewer, or none.
inline int open_faces(const Problem& problem, const Layout& layout, const RowTeam& team, int c, int j, int k) {
  if (problem.periodic(c)) return layout.n[0];
  if (c == 0) return layout.n[0] - 1;
  const bool is_last =
      c == 1 ? j == layout.n[1] - 1 : k == layout.n[2] - 1 && !(team.slab() && team.slab()->has_above());
  return is_last ? 0 : layout.n[0];
}

/// Planes of other ranks that a stencil reads.
enum class Neighbors { both, below, none };

/// Fills the ghost cells of component c of a velocity. Without `moving`, walls are at rest, as a linear operator needs.
template <class T>
void fill_edges(const Problem& problem, const Layout& layout, const RowTeam& team, int c, Field<T>& field,
                bool moving = true);
/// The ghost cells of a row of n cells along x, where the box is periodic.
template <class T>
void wrap_row(T* row, int n) {
  row[-1] = row[n - 1];
  row[n] = row[0];
}
/// Whether rows have what wrap_row() fills: it costs least where a row has just been written.
enum class RowEnds { missing, wrapped };
/// The same in two parts: the first fills ghost cells along x and y, and starts the transfer of planes between ranks;
/// the second waits for all planes in transfer, and fills ghost cells along z. In between, the field may be read.
template <class T>
void start_edges(const Problem& problem, const Layout& layout, const RowTeam& team, int c, Field<T>& field,
                 bool moving = true, Neighbors wanted = Neighbors::both, RowEnds ends = RowEnds::missing);
template <class T>
void finish_edges(const Problem& problem, const Layout& layout, const RowTeam& team, int c, Field<T>& field,
                  bool moving = true);
/// Fills the ghost cells of a cell-centred field on periodic sides; others are not changed.
template <class T>
void fill_edges_of_cells(const Problem& problem, const Layout& layout, const RowTeam& team, Field<T>& field);

}  // namespace speedwell::incompressible_flow
