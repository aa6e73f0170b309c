// The workload of wavefront for the harness: the grid in either precision, and the swept grid of the oracle when it is
// first needed.
#pragma once

#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/apps/wavefront/verify/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::wavefront {

/// The values of the application's parameters, constants as they were given: a grid's precision rounds them.
struct Settings {
  GridOptions data;
  Recurrence<double> recurrence;
  Direction direction;
  bool f32 = false;
};
/// Throws std::invalid_argument where the values do not go together.
Settings settings_of(const harness::Problem& problem);

template <class T>
Recurrence<T> in_precision(const Recurrence<double>& r) {
  return {.loops = r.loops,
          .c = static_cast<T>(r.c),
          .tc = static_cast<T>(r.tc),
          .td = static_cast<T>(r.td),
          .nc = static_cast<T>(r.nc),
          .nd = static_cast<T>(r.nd),
          .wc = static_cast<T>(r.wc),
          .wd = static_cast<T>(r.wd),
          .rc = static_cast<T>(r.rc),
          .rd = static_cast<T>(r.rd),
          .rounding = r.rounding};
}

/// Ranks other than the first have no data: they receive the grid from the first.
enum class Data { whole, none };

template <class T>
class Inputs {
 public:
  using Answer = Grid<T>;

  explicit Inputs(const Settings& settings, Data data = Data::whole)
      : data_(settings.data),
        recurrence_(in_precision<T>(settings.recurrence)),
        direction_(settings.direction),
        grid_(data == Data::whole ? make_grid<T>(data_, recurrence_.c) : Grid<T>()) {}

  const Extents& extents() const { return data_.extents; }
  const Grid<T>& grid() const { return grid_; }
  const Recurrence<T>& recurrence() const { return recurrence_; }
  const Direction& direction() const { return direction_; }

  /// The inflow planes are left empty: the variants on the host, which alone need them, set them.
  Answer make_answer() const {
    Answer swept;
    swept.extents = extents();
    swept.cells = core::HostBuffer<T>(static_cast<std::size_t>(extents().cells()), core::Pages::large);
    return swept;
  }
  /// Cells that a sweep leaves out keep their initial values.
  std::vector<harness::Output> outputs(Answer& swept) const {
    const Extents& e = extents();
    const auto length = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    return {{.name = "u",
             .type = harness::element_type<T>,
             .data = swept.cells.data(),
             .count = swept.cells.size(),
             .extents = {length(e.nx), length(e.ny), length(e.nz)},
             .initial = grid_.cells.data()}};
  }
  core::Verdict verify(const Answer& swept) const {
    const Grid<T>& expected = expected_.get([this] {
      Grid<T> grid = make_grid<T>(data_, recurrence_.c);
      reference::sweep(grid, recurrence_, direction_);
      return grid;
    });
    return wavefront::verify<T>(extents(), expected.cells.span(), swept.cells.span());
  }

 private:
  GridOptions data_;
  Recurrence<T> recurrence_;
  Direction direction_;
  Grid<T> grid_;
  core::Lazy<Grid<T>> expected_;
};

using WavefrontWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::wavefront
