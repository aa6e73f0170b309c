// The public solver: setting and getting states, steps, and properties of a flow.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/cpu_parts.hpp"

namespace speedwell::incompressible_flow {

template <class T>
Solver<T>::Solver(const Problem& problem, const Options& options) : parts_(std::make_unique<Parts>(problem, options)) {}
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;
template <class T>
Solver<T>::~Solver() = default;

template <class T>
void Solver<T>::set(const State<T>& state) {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  p.team.for_each([&](int j, int k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& from = state.velocity[static_cast<std::size_t>(p.choice.order[c])];
      T* to = p.u[c].at(p.layout, j, k);
      const T* wall_drag = p.wall_drag_at(c, j, k);
      const int open = p.open(static_cast<int>(c), j, k);
      for (int i = 0; i < p.extents.nx; ++i)
        to[i] = i >= open || (wall_drag && wall_drag[i] < 0) ? T(0) : from[order.at(i, j, k)];
    }
    for (int i = 0; i < p.extents.nx; ++i) p.pressure.at(p.layout, j, k)[i] = state.pressure[order.at(i, j, k)];
  });
  p.pressure_in_direct = false;
  for (int c = 0; c < 3; ++c) fill_edges(p.problem, p.layout, p.team, c, p.u[static_cast<std::size_t>(c)]);
  fill_edges_of_cells(p.problem, p.layout, p.team, p.pressure);
  p.time = state.time;
  p.steps = state.step;
  if (p.original.strain) p.move_mesh(p.time);
}

template <class T>
void Solver<T>::get(State<T>& state) const {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  if (p.pressure_in_direct) p.direct->settle();
  const double mean = p.pressure_in_direct ? p.mean_pressure() : 0;
  p.team.for_each([&](int j, int k) {
    for (std::size_t c = 0; c < 3; ++c) {
      auto& to = state.velocity[static_cast<std::size_t>(p.choice.order[c])];
      const T* from = p.u[c].at(p.layout, j, k);
      for (int i = 0; i < p.extents.nx; ++i) to[order.at(i, j, k)] = from[i];
    }
    const T* pressure = p.pressure_at(j, k);
    for (int i = 0; i < p.extents.nx; ++i) {
      const bool solid = !p.problem.solid.empty() && p.problem.solid[p.extents.at(i, j, k)];
      state.pressure[order.at(i, j, k)] = solid ? T(0) : static_cast<T>(pressure[i] - mean);
    }
  });
  state.time = p.time;
  state.step = p.steps;
}

template <class T>
void Solver<T>::step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + fmt::format("{:g}", dt) + ": it is above 0 and finite");
  parts_->step(dt);
}

template <class T>
void Solver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  for (std::size_t d = 0; d < 3; ++d)
    parts_->acceleration[d] = acceleration[static_cast<std::size_t>(parts_->choice.order[d])];
}

template <class T>
double Solver<T>::convection_rate() const {
  Parts& p = *parts_;
  const MeshMetrics<T> mesh = p.metrics.mesh();
  std::vector<double> of_rows(static_cast<std::size_t>(p.extents.ny) * static_cast<std::size_t>(p.extents.nz));
  p.team.for_each([&](int j, int k) {
    const T *u = p.u[0].at(p.layout, j, k), *v = p.u[1].at(p.layout, j, k), *w = p.u[2].at(p.layout, j, k);
    T largest = 0, all = 0;
    for (int i = 0; i < p.extents.nx; ++i) {
      const auto faster = [](T a, T b) { return std::max(std::abs(a), std::abs(b)); };
      const T rate = faster(u[i], u[i - 1]) * mesh.axis[0].inverse_width[i] +
                     faster(v[i], v[i - p.layout.row]) * mesh.axis[1].inverse_width[j] +
                     faster(w[i], w[i - p.layout.plane]) * mesh.axis[2].inverse_width[k];
      largest = std::max(largest, rate);
      all += u[i] + v[i] + w[i];
    }
    of_rows[static_cast<std::size_t>(k) * static_cast<std::size_t>(p.extents.ny) + static_cast<std::size_t>(j)] =
        std::isfinite(all) ? static_cast<double>(largest) : std::numeric_limits<double>::quiet_NaN();
  });
  double largest = 0;
  for (const double r : of_rows) {
    if (std::isnan(r)) return r;
    largest = std::max(largest, r);
  }
  return largest;
}

template <class T>
double Solver<T>::time() const {
  return parts_->time;
}
template <class T>
std::int64_t Solver<T>::steps() const {
  return parts_->steps;
}
template <class T>
const Choice& Solver<T>::choice() const {
  return parts_->choice;
}
template <class T>
void Solver<T>::set_time(double time) {
  parts_->time = time;
  if (parts_->original.strain) parts_->move_mesh(time);
}
template <class T>
std::array<double, 3> Solver<T>::force() const {
  std::array<double, 3> mean;
  for (std::size_t d = 0; d < 3; ++d) mean[static_cast<std::size_t>(parts_->choice.order[d])] = parts_->force[d];
  return mean;
}
template <class T>
int Solver<T>::pressure_iterations() const {
  return parts_->pressure_iterations;
}
template <class T>
int Solver<T>::diffusion_iterations() const {
  return parts_->diffusion_iterations;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace speedwell::incompressible_flow
