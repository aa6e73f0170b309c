#include "speedwell/apps/stencil/assemble.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

void require_columns(const Grid& g) {
  if (g.size() > INT32_MAX)
    throw std::invalid_argument("sparse: a matrix of " + std::to_string(g.size()) + " cells; the maximum is 2^31 - 1");
}

/// The matrix of a box whose row `cell` has the columns and values that visit(i, j, k, entry) passes to
/// entry(column, value), by increasing column, for the cell (i, j, k). All threads visit every cell twice.
template <class T, class Visit>
sparse::Csr<T> assembled(const Grid& g, const Visit& visit) {
  const auto cells = static_cast<std::size_t>(g.size()), nx = static_cast<std::size_t>(g.nx);
  const auto for_all_cells = [&](const auto& use) {
    core::parallel_for(cells / nx, nx * sizeof(T), 0, [&](std::size_t begin, std::size_t end) {
      for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row)
        for (std::int64_t i = 0; i < g.nx; ++i)
          use(i, row % g.ny, row / g.ny, static_cast<std::size_t>(row * g.nx + i));
    });
  };
  sparse::Csr<T> matrix{.rows = g.size(), .columns = g.size(), .offsets = {}, .column = {}, .value = {}};
  matrix.offsets.resize(cells + 1);
  for_all_cells([&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t cell) {
    std::int64_t count = 0;
    visit(i, j, k, [&](std::int64_t, T) { ++count; });
    matrix.offsets[cell + 1] = count;
  });
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  matrix.column.resize(static_cast<std::size_t>(matrix.offsets.back()));
  matrix.value.resize(matrix.column.size());
  for_all_cells([&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t cell) {
    auto at = static_cast<std::size_t>(matrix.offsets[cell]);
    visit(i, j, k, [&](std::int64_t column, T value) {
      matrix.column[at] = static_cast<std::int32_t>(column);
      matrix.value[at++] = value;
    });
  });
  return matrix;
}

}  // namespace

// A coefficient is the product with a field that is 1 in one cell and 0 elsewhere. Columns are in the order of cells:
// below, south, west, the cell itself, east, north, above, except where a periodic box wraps around.
template <class T>
sparse::Csr<T> assemble(const Operator<T>& a) {
  require_operator(a);
  require_columns(a.grid);
  const Grid& g = a.grid;
  const auto there = [&](std::int64_t i, std::int64_t j, std::int64_t k) -> std::int64_t {
    if (a.boundary == Boundary::periodic) return g.cell((i + g.nx) % g.nx, (j + g.ny) % g.ny, (k + g.nz) % g.nz);
    return i < 0 || i >= g.nx || j < 0 || j >= g.ny || k < 0 || k >= g.nz ? -1 : g.cell(i, j, k);
  };
  sparse::Csr<T> matrix;
  with_form(a.form, [&]<Form form>() {
    matrix = assembled<T>(g, [&](std::int64_t i, std::int64_t j, std::int64_t k, const auto& entry) {
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
        const Star<T> star = star_at(g, a.boundary, unit, at);  // which completes `at`
        entry(column, product(links_at<form>(a, at), star));
      }
    });
  });
  return matrix;
}

template <class T>
sparse::Csr<T> assemble_27_point(const Grid& g) {
  require_grid(g, Form::constant, Boundary::zero);
  require_columns(g);
  return assembled<T>(g, [&](std::int64_t i, std::int64_t j, std::int64_t k, const auto& entry) {
    for (std::int64_t kk = std::max<std::int64_t>(k - 1, 0); kk <= std::min(k + 1, g.nz - 1); ++kk)
      for (std::int64_t jj = std::max<std::int64_t>(j - 1, 0); jj <= std::min(j + 1, g.ny - 1); ++jj)
        for (std::int64_t ii = std::max<std::int64_t>(i - 1, 0); ii <= std::min(i + 1, g.nx - 1); ++ii)
          entry(g.cell(ii, jj, kk), ii == i && jj == j && kk == k ? T(26) : T(-1));
  });
}

#define SPEEDWELL_ASSEMBLE(T)                           \
  template sparse::Csr<T> assemble(const Operator<T>&); \
  template sparse::Csr<T> assemble_27_point(const Grid&);
SPEEDWELL_ASSEMBLE(float)
SPEEDWELL_ASSEMBLE(double)
#undef SPEEDWELL_ASSEMBLE

}  // namespace speedwell::stencil
