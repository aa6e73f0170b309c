#include "speedwell/apps/incompressible_flow/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double max_strain_of_step = 0.1;
constexpr double min_time_to_rest = 0.05;  // minimum of the time that the restoring acceleration divides by

template <class T>
State<T> rounded(const State<double>& s) {
  State<T> other(s.extents);
  for (std::size_t c = 0; c < 3; ++c)
    std::transform(s.velocity[c].begin(), s.velocity[c].end(), other.velocity[c].begin(),
                   [](double x) { return static_cast<T>(x); });
  return other;
}

}  // namespace

template <class T>
struct Simulation<T>::Parts {
  Parts(const FlowCase& f, int threads, MakeStepper<T> make)
      : flow(f), make_stepper(std::move(make)), state(f.problem.extents()) {
    flow.options.threads = threads;
    const std::size_t count =
        flow.stirring ? static_cast<std::size_t>(std::ceil(flow.stirring->stop / flow.stirring->interval - 1e-9)) : 0;
    if (flow.stirring) ways = directions(flow.stirring->seed, static_cast<int>(count));
    begin(rounded<T>(initial_state(flow)));
  }

  void begin(const State<T>& from) {
    moment = {.time = from.time, .step = from.step};
    const bool removed = flow.stirring && from.time >= flow.stirring->remove;
    if (removed) flow.problem.solid.clear();
    if (!solver || removed) make_solver();
    set(from);
  }
  // Also saves the flow, so that later failures can be undone.
  void set(const State<T>& from) {
    solver->set(from);
    solver->save();
    kept = moment;
    latest.reset();
    update_mesh();
  }
  void make_solver() {
    if (flow.problem.solid.empty()) flow.problem.strain = flow.strain;
    solver.reset();  // its memory first
    solver = make_stepper(flow.problem, flow.options);
  }

  void update_mesh() {
    solver->set_time(moment.time);
    if (flow.problem.strain) moved = at_time(flow.problem, moment.time);
  }
  const Problem& problem() const { return moved ? *moved : flow.problem; }
  const Statistics& statistics() {
    if (!latest) latest = solver->statistics();
    return *latest;
  }

  void remove_solids();
  double imbalance(const Statistics& before, double dt);
  double rate_of_walls() const;
  double next_change(double until) const;
  std::array<double, 3> acceleration();

  FlowCase flow;
  MakeStepper<T> make_stepper;
  std::unique_ptr<Stepper<T>> solver;
  std::vector<std::array<double, 3>> ways;
  State<T> state;
  Moment moment, kept;
  double time_of_kept_velocity = 0;
  std::optional<Problem> moved;      // for a moving mesh
  std::optional<Statistics> latest;  // of the present flow
  bool watches = false, watches_all = false;
  std::string failure;
};

// The convection rate of moving walls, whose speed the cells next to them will reach.
template <class T>
double Simulation<T>::Parts::rate_of_walls() const {
  double largest = 0;
  for (const auto& sides : flow.problem.sides)
    for (const Side& side : sides) {
      double rate = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const auto& f = flow.problem.faces[d];
        double min_width = f[1] - f[0];
        for (std::size_t i = 2; i < f.size(); ++i) min_width = std::min(min_width, f[i] - f[i - 1]);
        rate += std::abs(side.velocity[d]) / min_width;
      }
      largest = std::max(largest, rate);
    }
  return largest;
}

// The decrease of the energy in the last step, of length dt, compared with the mean of losses and gains at its two
// ends.
template <class T>
double Simulation<T>::Parts::imbalance(const Statistics& before, double dt) {
  const Statistics& after = statistics();
  double lost = 0;
  for (const Statistics* s : {&before, &after}) {
    lost += s->dissipation / 2;
    for (std::size_t d = 0; d < 3; ++d) {
      lost -= moment.force[d] * s->mean[d] / 2;
      if (flow.problem.strain && moment.time > flow.strain->begin && moment.time <= flow.strain->end)
        lost += flow.strain->rates[d] * (s->stresses[d] + s->mean[d] * s->mean[d]) / 2;
    }
  }
  return std::abs((after.energy - before.energy) / dt + lost) / after.dissipation;
}

// Solids become fluid at rest, and the remaining mean flow is subtracted, which a periodic box allows.
template <class T>
void Simulation<T>::Parts::remove_solids() {
  solver->get(state);
  const std::array<double, 3> mean = statistics_of(flow.problem, state).mean;
  for (std::size_t c = 0; c < 3; ++c)
    for (T& u : state.velocity[c]) u -= static_cast<T>(mean[c]);
  flow.problem.solid.clear();
  make_solver();
  set(state);
}

template <class T>
double Simulation<T>::Parts::next_change(double until) const {
  if (flow.strain)
    for (const double change : {flow.strain->begin, flow.strain->end})
      if (change > moment.time) until = std::min(until, change);
  if (!flow.stirring) return until;
  const Stirring& s = *flow.stirring;
  const double t = moment.time;
  if (t < s.stop) {
    const double turns = std::floor(t / s.interval * (1 + 1e-12)) + 1;
    return std::min({until, s.stop, moment_of(turns, s.interval)});
  }
  return t < s.remove ? std::min(until, s.remove) : until;
}

template <class T>
std::array<double, 3> Simulation<T>::Parts::acceleration() {
  std::array<double, 3> g = flow.problem.acceleration;
  if (!flow.stirring) return g;
  const Stirring& s = *flow.stirring;
  if (moment.time < s.stop) {
    const auto way = std::min(ways.size() - 1, static_cast<std::size_t>(moment.time / s.interval * (1 + 1e-12)));
    for (std::size_t d = 0; d < 3; ++d) g[d] += s.acceleration * ways[way][d];
  } else if (moment.time < s.remove) {
    const std::array<double, 3> mean = statistics().mean;
    for (std::size_t d = 0; d < 3; ++d) g[d] -= mean[d] / std::max(s.remove - moment.time, min_time_to_rest);
  }
  return g;
}

template <class T>
Simulation<T>::Simulation(const FlowCase& flow, int threads, bool on_gpu)
    : Simulation(flow, threads, MakeStepper<T>(on_gpu ? stepper_on_gpu<T> : stepper_on_cpu<T>)) {}
template <class T>
Simulation<T>::Simulation(const FlowCase& flow, int threads, MakeStepper<T> make_stepper)
    : parts_(std::make_unique<Parts>(flow, threads, std::move(make_stepper))) {}
template <class T>
Simulation<T>::Simulation(Simulation&&) noexcept = default;
template <class T>
Simulation<T>::~Simulation() = default;

template <class T>
void Simulation<T>::resume(const State<T>& state) {
  parts_->begin(state);
}

template <class T>
bool Simulation<T>::step(double until) {
  Parts& p = *parts_;
  const std::array<double, 3> g = p.acceleration();
  const double rate = p.solver->convection_rate();
  if (!std::isfinite(rate)) {
    p.failure = fmt::format("the flow is not finite after step {}, at time {}", p.moment.step, p.moment.time);
    return false;
  }
  double dt = stable_step(p.problem(), p.flow.options.method, p.flow.cfl, std::max(rate, p.rate_of_walls()));
  if (p.flow.largest_step > 0) dt = std::min(dt, p.flow.largest_step);
  if (p.flow.strain)
    for (const double s : p.flow.strain->rates)
      if (s != 0) dt = std::min(dt, max_strain_of_step / std::abs(s));
  if (p.moment.step == 0) {
    // A flow at rest does not limit the step; the acceleration g, which causes a velocity of g dt, does.
    double pushed = 0;
    for (int d = 0; d < 3; ++d) {
      const auto& f = p.flow.problem.faces[static_cast<std::size_t>(d)];
      for (std::size_t i = 1; i < f.size(); ++i)
        pushed = std::max(pushed, std::abs(g[static_cast<std::size_t>(d)]) / (f[i] - f[i - 1]));
    }
    if (pushed > 0) dt = std::min(dt, std::sqrt(p.flow.cfl / pushed));
  }
  // A step that would leave a short remainder to the next change is extended to it.
  const double change = p.next_change(until), left = change - p.moment.time;
  const bool lands = dt >= left * (1 - 1e-9);
  if (lands) dt = left;
  const bool watched = p.watches && (lands || p.watches_all) && p.rate_of_walls() == 0;
  const Statistics before = watched ? p.statistics() : Statistics();
  p.latest.reset();
  p.solver->set_acceleration(g);
  try {
    p.solver->step(dt);
  } catch (const core::DeviceError& e) {
    p.failure = fmt::format("step {} from time {}: {}", p.moment.step + 1, p.moment.time, e.what());
    return false;
  }
  p.moment = {.time = lands ? change : p.moment.time + dt,
              .dt = dt,
              .cfl = dt * rate,
              .step = p.moment.step + 1,
              .iterations = p.solver->pressure_iterations(),
              .force = p.solver->force()};
  p.update_mesh();
  if (p.flow.stirring && !p.flow.problem.solid.empty() && p.moment.time >= p.flow.stirring->remove)
    p.remove_solids();
  else if (watched)
    p.moment.imbalance = p.imbalance(before, dt);
  return true;
}

template <class T>
const std::string& Simulation<T>::failure() const {
  return parts_->failure;
}
template <class T>
const Moment& Simulation<T>::moment() const {
  return parts_->moment;
}
template <class T>
const Problem& Simulation<T>::problem() const {
  return parts_->problem();
}
template <class T>
const Choice& Simulation<T>::choice() const {
  return parts_->solver->choice();
}
template <class T>
void Simulation<T>::get(State<T>& state) const {
  parts_->solver->get(state);
  state.time = parts_->moment.time;
  state.step = parts_->moment.step;
}
template <class T>
Statistics Simulation<T>::statistics() const {
  return parts_->statistics();
}
template <class T>
std::vector<Sample> Simulation<T>::samples(std::span<const std::array<double, 3>> points) const {
  return samples_at<T>(problem(), points,
                       [this](std::span<const CellValue> cells) { return parts_->solver->values(cells); });
}
template <class T>
void Simulation<T>::keep_velocity() {
  parts_->solver->keep_velocity();
  parts_->time_of_kept_velocity = parts_->moment.time;
}
template <class T>
double Simulation<T>::steadiness() const {
  return parts_->solver->velocity_change().steadiness(parts_->moment.time - parts_->time_of_kept_velocity);
}
template <class T>
void Simulation<T>::watch_balance(bool of_every_step) {
  parts_->watches = true;
  parts_->watches_all = of_every_step;
}
template <class T>
void Simulation<T>::save() {
  parts_->solver->save();
  parts_->kept = parts_->moment;
}
template <class T>
void Simulation<T>::restore() {
  parts_->solver->restore();
  parts_->moment = parts_->kept;
  parts_->latest.reset();
  parts_->update_mesh();
}

double moment_of(double count, double interval) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", count * interval);
  return std::strtod(text, nullptr);
}

std::string history_header() {
  return "t,step,dt,cfl,energy,k,dissipation,mean_u,mean_v,mean_w,R11,R22,R33,R12,R13,R23,Re_T,Re_lambda,eddy_length,"
         "taylor_length,kolmogorov_length,skewness,divergence,pressure_iterations,force_x,force_y,force_z,b11,b22,b33,"
         "b12,b13,b23,imbalance";
}

std::string history_line(const Moment& m, const Statistics& s, double viscosity) {
  std::string line = fmt::format("{:.17g},{},{:.17g},{:.6g},{:.17g},{:.17g},{:.17g}", m.time, m.step, m.dt, m.cfl,
                                 s.energy, s.turbulent_energy, s.dissipation);
  for (const double u : s.mean) line += fmt::format(",{:.17g}", u);
  for (const double r : s.stresses) line += fmt::format(",{:.17g}", r);
  for (const double x : {s.reynolds(viscosity), s.taylor_reynolds(viscosity), s.eddy_length(),
                         s.taylor_length(viscosity), s.kolmogorov_length(viscosity), s.skewness, s.divergence})
    line += std::isfinite(x) ? fmt::format(",{:.9g}", x) : std::string(",");
  line += fmt::format(",{}", m.iterations);
  for (const double g : m.force) line += fmt::format(",{:.9g}", g);
  for (const double b : s.anisotropy()) line += std::isfinite(b) ? fmt::format(",{:.9g}", b) : std::string(",");
  return line + (std::isfinite(m.imbalance) ? fmt::format(",{:.3g}", m.imbalance) : std::string(","));
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace speedwell::incompressible_flow
