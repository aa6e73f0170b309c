#include "speedwell/apps/stencil/assemble.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/point.hpp"

namespace speedwell::stencil {
namespace {

void require_columns(const Grid& g) {
  if (g.size() > INT32_MAX)
    throw std::invalid_argument("sparse: a matrix of " + std::to_string(g.size()) + " cells; the maximum is 2^31 - 1");
}

}  // namespace

// A coefficient is the product with a field that is 1 in one cell and 0 elsewhere. Columns are in the order of cells:
// below, south, west, the cell itself, east, north, above, except where a periodic box wraps around.
template <class T>
sparse::Csr<T> assemble(const Operator<T>& a) {
  require_operator(a);
  require_columns(a.grid);
  const Grid& g = a.grid;
  sparse::Csr<T> matrix{.rows = g.size(), .columns = g.size(), .offsets = {0}, .column = {}, .value = {}};
  matrix.offsets.reserve(static_cast<std::size_t>(g.size()) + 1);
  matrix.column.reserve(static_cast<std::size_t>(g.size()) * 7);
  matrix.value.reserve(static_cast<std::size_t>(g.size()) * 7);
  const auto there = [&](std::int64_t i, std::int64_t j, std::int64_t k) -> std::int64_t {
    if (a.boundary == Boundary::periodic) return g.cell((i + g.nx) % g.nx, (j + g.ny) % g.ny, (k + g.nz) % g.nz);
    return i < 0 || i >= g.nx || j < 0 || j >= g.ny || k < 0 || k >= g.nz ? -1 : g.cell(i, j, k);
  };
  with_form(a.form, [&]<Form form>() {
    for (std::int64_t k = 0; k < g.nz; ++k)
      for (std::int64_t j = 0; j < g.ny; ++j)
        for (std::int64_t i = 0; i < g.nx; ++i) {
          const std::int64_t cell = g.cell(i, j, k);
          CellIndex at{.i = i, .j = j, .k = k, .cell = cell, .west = cell, .south = cell, .below = cell};
          std::int64_t columns[7] = {cell,
                                     there(i - 1, j, k),
                                     there(i + 1, j, k),
                                     there(i, j - 1, k),
                                     there(i, j + 1, k),
                                     there(i, j, k - 1),
                                     there(i, j, k + 1)};
          std::sort(columns, columns + 7);
          for (const std::int64_t column : columns) {
            if (column < 0) continue;
            const auto unit = [column](std::int64_t c) { return c == column ? T(1) : T(0); };
            const Star<T> star = star_at(g, a.boundary, unit, at);
            matrix.column.push_back(static_cast<std::int32_t>(column));
            matrix.value.push_back(product(links_at<form>(a, at), star));
          }
          matrix.offsets.push_back(matrix.entries());
        }
  });
  return matrix;
}

template <class T>
sparse::Csr<T> assemble_27_point(const Grid& g) {
  require_grid(g, Form::constant, Boundary::zero);
  require_columns(g);
  sparse::Csr<T> matrix{.rows = g.size(), .columns = g.size(), .offsets = {0}, .column = {}, .value = {}};
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t j = 0; j < g.ny; ++j)
      for (std::int64_t i = 0; i < g.nx; ++i) {
        for (std::int64_t kk = std::max<std::int64_t>(k - 1, 0); kk <= std::min(k + 1, g.nz - 1); ++kk)
          for (std::int64_t jj = std::max<std::int64_t>(j - 1, 0); jj <= std::min(j + 1, g.ny - 1); ++jj)
            for (std::int64_t ii = std::max<std::int64_t>(i - 1, 0); ii <= std::min(i + 1, g.nx - 1); ++ii) {
              matrix.column.push_back(static_cast<std::int32_t>(g.cell(ii, jj, kk)));
              matrix.value.push_back(ii == i && jj == j && kk == k ? T(26) : T(-1));
            }
        matrix.offsets.push_back(matrix.entries());
      }
  return matrix;
}

#define SPEEDWELL_ASSEMBLE(T)                           \
  template sparse::Csr<T> assemble(const Operator<T>&); \
  template sparse::Csr<T> assemble_27_point(const Grid&);
SPEEDWELL_ASSEMBLE(float)
SPEEDWELL_ASSEMBLE(double)
#undef SPEEDWELL_ASSEMBLE

}  // namespace speedwell::stencil
