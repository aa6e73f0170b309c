// The public solver: setting and getting states, steps, and properties of a flow.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/cpu/cpu_parts.hpp"

namespace speedwell::incompressible_flow {

void require_time_step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("a time step of " + fmt::format("{:g}", dt) + ": it is above 0 and finite");
}

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
  std::array<const T*, 3> velocity;
  for (std::size_t c = 0; c < 3; ++c) velocity[c] = state.velocity[static_cast<std::size_t>(p.choice.order[c])].data();
  p.set(velocity, state.pressure.data(), [&](int i, int j, int k) { return order.at(i, j, k); });
  p.begin(state.time, state.step);
}

template <class T>
void Solver<T>::get(State<T>& state) const {
  Parts& p = *parts_;
  const AxisOrder order = {p.choice.order, p.extents};
  if (!(state.extents == order.given())) throw std::invalid_argument("a state of another mesh");
  std::array<T*, 3> velocity;
  for (std::size_t c = 0; c < 3; ++c) velocity[c] = state.velocity[static_cast<std::size_t>(p.choice.order[c])].data();
  p.get(velocity, state.pressure.data(), [&](int i, int j, int k) { return order.at(i, j, k); });
  state.time = p.time;
  state.step = p.steps;
}

template <class T>
void Solver<T>::step(double dt) {
  require_time_step(dt);
  parts_->step(dt);
}

template <class T>
void Solver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  parts_->set_acceleration(acceleration);
}

template <class T>
double Solver<T>::convection_rate() const {
  return parts_->convection_rate();
}

template <class T>
Statistics Solver<T>::statistics() const {
  return parts_->statistics();
}

template <class T>
std::vector<T> Solver<T>::values(std::span<const CellValue> cells) const {
  const AxisOrder order = {parts_->choice.order, parts_->extents};
  std::vector<CellValue> own(cells.begin(), cells.end());
  for (CellValue& cell : own) cell = order.of_solver(cell);
  return parts_->values(own);
}

template <class T>
void Solver<T>::keep_velocity() {
  parts_->keep_velocity();
}

template <class T>
VelocityChange Solver<T>::velocity_change() const {
  return parts_->velocity_change();
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
  parts_->set_time(time);
}
template <class T>
std::array<double, 3> Solver<T>::force() const {
  return parts_->mean_force();
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
