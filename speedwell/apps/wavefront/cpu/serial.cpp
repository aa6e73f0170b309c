// The serial sweep, cell after cell in the order of memory: the baseline of the other variants. Compiled without
// contraction, as cell.hpp requires.
#include <cstdint>

#include "speedwell/apps/wavefront/cell.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {
namespace {

/// The indices along an axis in the order of the sweep.
struct AxisOrder {
  std::int64_t first, step;
  AxisOrder(std::int64_t count, bool down) : first(down ? count - 1 : 0), step(down ? -1 : 1) {}
  std::int64_t at(std::int64_t n) const { return first + n * step; }
};

template <class T, class Cell>
void sweep(Grid<T>& grid, const Direction& direction, const Cell& cell) {
  const Extents& e = grid.extents;
  const Planes<T>& inflow = grid.planes;
  const AxisOrder x(e.nx, direction.down_x), y(e.ny, direction.down_y), z(e.nz, direction.down_z);
  const auto row_at = [&](std::int64_t i, std::int64_t j) { return grid.cells.data() + (i * e.ny + j) * e.nz; };
  for (std::int64_t a = 0; a < e.nx; ++a)
    for (std::int64_t b = 0; b < e.ny; ++b) {
      const std::int64_t i = x.at(a), j = y.at(b);
      T* const row = row_at(i, j);
      const T* const north = b > 0 ? row_at(i, j - y.step) : inflow.north.data() + i * e.nz;
      const T* const west = a > 0 ? row_at(i - x.step, j) : inflow.west.data() + j * e.nz;
      T top = inflow.top.data()[i * e.ny + j];
      for (std::int64_t d = 0; d < e.nz; ++d) {
        const std::int64_t k = z.at(d);
        top = row[k] = cell(row[k], top, north[k], west[k]);
      }
    }
}

template <class T, Remainder remainder>
void sweep(Grid<T>& grid, const Recurrence<T>& r, const Direction& direction) {
  if (r.loops == 0)
    sweep(grid, direction, Cell<T, false, Rounding::separate, remainder>{r});
  else if (r.rounding == Rounding::separate)
    sweep(grid, direction, Cell<T, true, Rounding::separate, remainder>{r});
  else
    sweep(grid, direction, Cell<T, true, Rounding::fused, remainder>{r});
}

}  // namespace

template <class T>
void sweep_serially(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction) {
  require_valid(recurrence);
  if (remainder_of(recurrence) == Remainder::library)
    sweep<T, Remainder::library>(grid, recurrence, direction);
  else  // not every processor has a floor instruction
    sweep<T, Remainder::subtraction>(grid, recurrence, direction);
}

template void sweep_serially(Grid<float>&, const Recurrence<float>&, const Direction&);
template void sweep_serially(Grid<double>&, const Recurrence<double>&, const Direction&);

}  // namespace speedwell::wavefront
