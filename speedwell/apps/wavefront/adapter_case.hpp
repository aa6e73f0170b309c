// A wavefront problem made ready for the harness, in either precision, and what its runs share.
#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/apps/wavefront/reference.hpp"
#include "speedwell/apps/wavefront/verify.hpp"
#include "speedwell/harness/precision.hpp"

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

/// Ranks other than the first get the grid from it.
enum class Data { whole, none };

/// One problem in T. The oracle sweeps when the first run asks, and then never again.
template <class T>
class Inputs {
 public:
  explicit Inputs(const Settings& settings, Data data = Data::whole)
      : data_(settings.data),
        recurrence_(in_precision<T>(settings.recurrence)),
        direction_(settings.direction),
        grid_(data == Data::whole ? make_grid<T>(data_, recurrence_.c) : Grid<T>(Extents{0, 0, 0})) {}

  const Extents& extents() const { return data_.extents; }
  const Grid<T>& grid() const { return grid_; }
  const Recurrence<T>& recurrence() const { return recurrence_; }
  const Direction& direction() const { return direction_; }

  core::Verdict judge(std::span<const T> cells) const {
    std::call_once(asked_, [this] {
      expected_.emplace(make_grid<T>(data_, recurrence_.c));
      reference::sweep(*expected_, recurrence_, direction_);
    });
    return verify<T>(data_.extents, std::as_const(expected_->cells).span(), cells);
  }

 private:
  GridOptions data_;
  Recurrence<T> recurrence_;
  Direction direction_;
  Grid<T> grid_;
  mutable std::once_flag asked_;
  mutable std::optional<Grid<T>> expected_;
};

using WavefrontCase = harness::PrecisionCase<Inputs>;

/// The swept grid as a run's output. What a sweep leaves out keeps its value from before.
template <class T>
std::vector<harness::Output> output_of(core::HostBuffer<T>& cells, const Inputs<T>& inputs) {
  const Extents& e = inputs.extents();
  const auto length = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {{.name = "u",
           .type = harness::element_type<T>,
           .data = cells.data(),
           .count = cells.size(),
           .extents = {length(e.nx), length(e.ny), length(e.nz)},
           .initial = inputs.grid().cells.data()}};
}

/// A factory of RunType<float> or RunType<double>: RunType<T>(std::shared_ptr<const Inputs<T>>, context, args...).
template <template <class> class RunType, class... Args>
harness::Variant::Make make_in_precision(Args... args) {
  return harness::make_in_precision<Inputs, RunType>(args...);
}

}  // namespace speedwell::wavefront
