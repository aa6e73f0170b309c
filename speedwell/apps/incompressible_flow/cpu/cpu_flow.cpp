// The flow that a solver on all cores advances: its ghost cells, its beginning, and properties of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/cpu_parts.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics_fields.hpp"

namespace speedwell::incompressible_flow {

template <class T>
void Solver<T>::Parts::start_velocity() {
  for (int c = 0; c < 3; ++c)
    start_edges(problem, layout, team, c, u[static_cast<std::size_t>(c)], true, Neighbors::both, RowEnds::wrapped);
  velocity_in_transfer = true;
  if (!slab.is_divided()) finish_velocity();
}

template <class T>
void Solver<T>::Parts::finish_velocity() {
  if (!velocity_in_transfer) return;
  for (int c = 0; c < 3; ++c) finish_edges(problem, layout, team, c, u[static_cast<std::size_t>(c)]);
  velocity_in_transfer = false;
}

template <class T>
void Solver<T>::Parts::begin(double at_time, std::int64_t at_step) {
  pressure_in_direct = false;
  for (int c = 0; c < 3; ++c) fill_edges(problem, layout, team, c, u[static_cast<std::size_t>(c)]);
  fill_edges_of_cells(problem, layout, team, pressure);
  time = at_time;
  steps = at_step;
  if (original.strain) move_mesh(time);
}

template <class T>
void Solver<T>::Parts::set_acceleration(const std::array<double, 3>& given) {
  for (std::size_t d = 0; d < 3; ++d) acceleration[d] = given[static_cast<std::size_t>(choice.order[d])];
}

template <class T>
void Solver<T>::Parts::set_time(double to) {
  time = to;
  if (original.strain) move_mesh(to);
}

template <class T>
std::array<double, 3> Solver<T>::Parts::mean_force() const {
  std::array<double, 3> mean;
  for (std::size_t d = 0; d < 3; ++d) mean[static_cast<std::size_t>(choice.order[d])] = force[d];
  return mean;
}

template <class T>
double Solver<T>::Parts::convection_rate() {
  finish_velocity();
  const auto rows = static_cast<std::size_t>(layout.n[1]);
  std::vector<double> of_rows(rows * static_cast<std::size_t>(layout.n[2]));
  team.for_each([&](int j, int k) {
    of_rows[static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j)] =
        measures.convection_rate({.row = layout.row,
                                  .plane = layout.plane,
                                  .metrics = metrics_at(j, k),
                                  .cells = extents.nx,
                                  .u = {u[0].at(layout, j, k), u[1].at(layout, j, k), u[2].at(layout, j, k)}});
  });
  double largest = 0;
  for (const double r : of_rows) {
    if (std::isnan(r)) {
      largest = r;
      break;
    }
    largest = std::max(largest, r);
  }
  return slab.maximum(largest);
}

template <class T>
Statistics Solver<T>::Parts::statistics() {
  finish_velocity();
  const Metrics<double> in_double(problem, slab.first());
  return statistics_of_fields(problem, choice.order, layout, team, in_double.mesh(), u, wall_drag_of, measures);
}

template <class T>
std::vector<T> Solver<T>::Parts::values(std::span<const CellValue> cells) {
  const double mean = begin_pressure();
  std::vector<T> all;
  for (const CellValue& value : cells) {
    const auto [i, j, k] = value.cell;
    all.push_back(value.array < 3 ? u[static_cast<std::size_t>(value.array)].at(layout, j, k)[i]
                                  : pressure_value(i, j, k, mean));
  }
  return all;
}

template <class T>
void Solver<T>::Parts::keep_velocity() {
  for (std::size_t c = 0; c < 3; ++c) {
    if (!kept[c]) kept[c] = Field<T>(layout);
    team.for_each([&](int j, int k) { std::copy_n(u[c].at(layout, j, k), extents.nx, kept[c].at(layout, j, k)); });
  }
}

template <class T>
VelocityChange Solver<T>::Parts::velocity_change() {
  if (!kept[0]) throw std::logic_error("no velocities were kept");
  const auto rows = static_cast<std::size_t>(layout.n[1]);
  std::vector<VelocityChange> of_rows(rows * static_cast<std::size_t>(layout.n[2]));
  team.for_each([&](int j, int k) {
    VelocityChange& row = of_rows[static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j)];
    for (std::size_t c = 0; c < 3; ++c) row.add(kept[c].at(layout, j, k), u[c].at(layout, j, k), extents.nx);
  });
  VelocityChange all;
  for (const VelocityChange& row : of_rows) all.add(row);
  const double change = slab.maximum(all.change);
  return {change, slab.maximum(all.largest)};
}

#define SPEEDWELL_INSTANTIATE(T)                                                  \
  template void Solver<T>::Parts::start_velocity();                               \
  template void Solver<T>::Parts::finish_velocity();                              \
  template void Solver<T>::Parts::begin(double, std::int64_t);                    \
  template void Solver<T>::Parts::set_acceleration(const std::array<double, 3>&); \
  template void Solver<T>::Parts::set_time(double);                               \
  template std::array<double, 3> Solver<T>::Parts::mean_force() const;            \
  template double Solver<T>::Parts::convection_rate();                            \
  template Statistics Solver<T>::Parts::statistics();                             \
  template std::vector<T> Solver<T>::Parts::values(std::span<const CellValue>);   \
  template void Solver<T>::Parts::keep_velocity();                                \
  template VelocityChange Solver<T>::Parts::velocity_change();
SPEEDWELL_INSTANTIATE(float)
SPEEDWELL_INSTANTIATE(double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::incompressible_flow
