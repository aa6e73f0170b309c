#include "speedwell/apps/incompressible_flow/distributed.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/incompressible_flow/cpu/cpu_parts.hpp"
#include "speedwell/apps/incompressible_flow/ranks/state_slabs.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

int planes_to_divide(const Problem& problem, const Options& options) {
  return problem.extents().extent(choose(problem, options.pressure).order[2]);
}

template <class T>
struct DistributedSolver<T>::Parts {
  Parts(const comm::Communicator& all, const Problem& problem, const Options& options)
      : ranks(all),
        solver(problem, with_threads(options), &all),
        slabs(all, {solver.choice.order, solver.extents}, with_threads(options).threads) {}

  static Options with_threads(Options options) {
    if (options.threads == 0) options.threads = 1;
    return options;
  }
  const comm::Communicator& ranks;
  typename Solver<T>::Parts solver;
  StateSlabs<T> slabs;
  std::optional<StateSlab<T>> saved;
  double saved_time = 0;
  std::int64_t saved_steps = 0;

  void set(StateSlab<T>& slab, double time, std::int64_t steps) {
    solver.set({slab.velocity(0), slab.velocity(1), slab.velocity(2)}, slab.pressure(),
               [&](int i, int j, int k) { return slab.extents.at(i, j, k); });
    solver.begin(time, steps);
  }
  void get(StateSlab<T>& slab) {
    solver.get({slab.velocity(0), slab.velocity(1), slab.velocity(2)}, slab.pressure(),
               [&](int i, int j, int k) { return slab.extents.at(i, j, k); });
  }
};

template <class T>
DistributedSolver<T>::DistributedSolver(const comm::Communicator& ranks, const Problem& problem, const Options& options)
    : parts_(std::make_unique<Parts>(ranks, problem, options)) {}
template <class T>
DistributedSolver<T>::DistributedSolver(DistributedSolver&&) noexcept = default;
template <class T>
DistributedSolver<T>::~DistributedSolver() = default;

template <class T>
void DistributedSolver<T>::scatter(const State<T>* whole) {
  StateSlab<T> slab = parts_->slabs.scatter(whole);
  const double time = parts_->slabs.time_of(whole);
  parts_->set(slab, time, parts_->slabs.step_of(whole));
}

template <class T>
void DistributedSolver<T>::save() {
  Parts& p = *parts_;
  if (!p.saved) p.saved.emplace(p.slabs.make_slab());
  p.get(*p.saved);
  p.saved_time = p.solver.time;
  p.saved_steps = p.solver.steps;
}

template <class T>
void DistributedSolver<T>::restore() {
  if (!parts_->saved) throw std::logic_error("no flow was saved");
  parts_->set(*parts_->saved, parts_->saved_time, parts_->saved_steps);
}

template <class T>
void DistributedSolver<T>::gather(State<T>* whole) {
  StateSlab<T> slab = parts_->slabs.make_slab();
  parts_->get(slab);
  parts_->slabs.gather(slab, whole);
  if (parts_->ranks.rank() > 0) return;
  whole->time = parts_->solver.time;
  whole->step = parts_->solver.steps;
}

template <class T>
std::vector<T> DistributedSolver<T>::values(std::span<const CellValue> cells) {
  const std::vector<T> mine = parts_->solver.values(parts_->slabs.own_cells(cells));
  return parts_->slabs.gather_values(cells, mine);
}

template <class T>
void DistributedSolver<T>::step(double dt) {
  require_time_step(dt);
  parts_->solver.step(dt);
}

template <class T>
void DistributedSolver<T>::set_acceleration(const std::array<double, 3>& acceleration) {
  parts_->solver.set_acceleration(acceleration);
}
template <class T>
double DistributedSolver<T>::convection_rate() {
  return parts_->solver.convection_rate();
}
template <class T>
Statistics DistributedSolver<T>::statistics() {
  return parts_->solver.statistics();
}
template <class T>
void DistributedSolver<T>::keep_velocity() {
  parts_->solver.keep_velocity();
}
template <class T>
VelocityChange DistributedSolver<T>::velocity_change() {
  return parts_->solver.velocity_change();
}
template <class T>
void DistributedSolver<T>::set_time(double time) {
  parts_->solver.set_time(time);
}
template <class T>
std::array<double, 3> DistributedSolver<T>::force() const {
  return parts_->solver.mean_force();
}
template <class T>
double DistributedSolver<T>::time() const {
  return parts_->solver.time;
}
template <class T>
std::int64_t DistributedSolver<T>::steps() const {
  return parts_->solver.steps;
}
template <class T>
const Choice& DistributedSolver<T>::choice() const {
  return parts_->solver.choice;
}
template <class T>
int DistributedSolver<T>::pressure_iterations() const {
  return parts_->solver.pressure_iterations;
}
template <class T>
int DistributedSolver<T>::diffusion_iterations() const {
  return parts_->solver.diffusion_iterations;
}
template <class T>
std::string DistributedSolver<T>::division_text() const {
  const int n = parts_->ranks.size();
  return core::counted(n, "slab") + " along " + std::string(1, "xyz"[parts_->solver.choice.order[2]]);
}
template <class T>
double DistributedSolver<T>::exchange_seconds() const {
  return parts_->solver.slab.seconds();
}

template class DistributedSolver<float>;
template class DistributedSolver<double>;

}  // namespace speedwell::incompressible_flow
