#include "speedwell/simulation/flow_ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/apps/incompressible_flow/statistics.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/simulation/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

enum class Operation { set, get, set_acceleration, set_time, step, convection_rate, save, restore };

template <class Values>
void broadcast_values(const comm::Communicator& ranks, Values& values) {
  values.resize(static_cast<std::size_t>(ranks.broadcast(static_cast<std::int64_t>(values.size()))));
  ranks.broadcast(std::span<typename Values::value_type>(values));
}

// What the first rank has; that of the others is overwritten.
void broadcast_problem(const comm::Communicator& ranks, flow::Problem& p, flow::Options& options) {
  for (auto& faces : p.faces) broadcast_values(ranks, faces);
  p.sides = ranks.broadcast(p.sides);
  p.viscosity = ranks.broadcast(p.viscosity);
  p.acceleration = ranks.broadcast(p.acceleration);
  broadcast_values(ranks, p.solid);
  p.solid_link = ranks.broadcast(p.solid_link);
  p.strain = ranks.broadcast(p.strain);
  p.bulk_velocity = ranks.broadcast(p.bulk_velocity);
  options = ranks.broadcast(options);
}

flow::Options on_one_core(flow::Options options) {
  options.threads = 1;
  return options;
}

template <class T>
class OnRanks final : public flow::Stepper<T> {
 public:
  OnRanks(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : ranks_(ranks), problem_(problem), solver_(begin(ranks, problem, options), problem, on_one_core(options)) {}
  ~OnRanks() override {
    if (std::uncaught_exceptions() == 0) tell_end(ranks_);
  }

  void set(const flow::State<T>& state) override {
    tell(Operation::set);
    solver_.scatter(&state);
  }
  void get(flow::State<T>& state) override {
    tell(Operation::get);
    solver_.gather(&state);
  }
  void set_acceleration(const std::array<double, 3>& acceleration) override {
    tell(Operation::set_acceleration);
    solver_.set_acceleration(ranks_.broadcast(acceleration));
  }
  void set_time(double time) override {
    tell(Operation::set_time);
    solver_.set_time(ranks_.broadcast(time));
  }
  std::array<double, 3> force() const override { return solver_.force(); }
  void step(double dt) override {
    tell(Operation::step);
    solver_.step(ranks_.broadcast(dt));
  }
  double convection_rate() override {
    tell(Operation::convection_rate);
    return solver_.convection_rate();
  }
  flow::Statistics statistics() override {
    if (!state_) state_.emplace(problem_.extents());
    get(*state_);
    return problem_.strain ? flow::statistics_of(flow::at_time(problem_, solver_.time()), *state_)
                           : flow::statistics_of(problem_, *state_);
  }
  void save() override {
    tell(Operation::save);
    solver_.save();
  }
  void restore() override {
    tell(Operation::restore);
    solver_.restore();
  }
  int pressure_iterations() const override { return solver_.pressure_iterations(); }
  const flow::Choice& choice() const override { return solver_.choice(); }

 private:
  static const comm::Communicator& begin(const comm::Communicator& ranks, const flow::Problem& problem,
                                         const flow::Options& options) {
    tell_begin(ranks, std::is_same_v<T, float> ? RankSolver::flow_f32 : RankSolver::flow_f64);
    flow::Problem all = problem;
    flow::Options chosen = options;
    broadcast_problem(ranks, all, chosen);
    return ranks;
  }
  void tell(Operation operation) { simulation::tell(ranks_, static_cast<int>(operation)); }

  const comm::Communicator& ranks_;
  flow::Problem problem_;
  flow::DistributedSolver<T> solver_;
  std::optional<flow::State<T>> state_;  // for statistics
};

template <class T>
class FlowFollower final : public Follower {
 public:
  FlowFollower(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : ranks_(ranks), solver_(ranks, problem, on_one_core(options)) {}
  void act(int operation) override {
    switch (static_cast<Operation>(operation)) {
      case Operation::set:
        return solver_.scatter(nullptr);
      case Operation::get:
        return solver_.gather(nullptr);
      case Operation::set_acceleration:
        return solver_.set_acceleration(ranks_.broadcast(std::array<double, 3>{}));
      case Operation::set_time:
        return solver_.set_time(ranks_.broadcast(0.0));
      case Operation::step:
        return step(ranks_.broadcast(0.0));
      case Operation::convection_rate:
        solver_.convection_rate();
        return;
      case Operation::save:
        return solver_.save();
      case Operation::restore:
        return solver_.restore();
    }
  }

 private:
  // The first rank decides what follows when conjugate gradients do not converge, as they then do on no rank.
  void step(double dt) {
    try {
      solver_.step(dt);
    } catch (const core::DeviceError&) {
      return;
    }
  }

  const comm::Communicator& ranks_;
  flow::DistributedSolver<T> solver_;
};

}  // namespace

template <class T>
std::unique_ptr<flow::Stepper<T>> flow_on_ranks(const comm::Communicator& ranks, const flow::Problem& problem,
                                                const flow::Options& options) {
  return std::make_unique<OnRanks<T>>(ranks, problem, options);
}

template std::unique_ptr<flow::Stepper<float>> flow_on_ranks(const comm::Communicator&, const flow::Problem&,
                                                             const flow::Options&);
template std::unique_ptr<flow::Stepper<double>> flow_on_ranks(const comm::Communicator&, const flow::Problem&,
                                                              const flow::Options&);

std::unique_ptr<Follower> follow_flow(const comm::Communicator& ranks, bool f32) {
  flow::Problem problem;
  flow::Options options;
  broadcast_problem(ranks, problem, options);
  if (f32) return std::make_unique<FlowFollower<float>>(ranks, problem, options);
  return std::make_unique<FlowFollower<double>>(ranks, problem, options);
}

std::string ranks_text(const flow::Problem& problem, const flow::Options& options, int ranks) {
  const int planes = flow::planes_to_divide(problem, options);
  if (ranks > planes)
    throw std::invalid_argument(
        fmt::format("{} ranks, and the box has {} planes to divide: each rank needs one", ranks, planes));
  return fmt::format("{} ranks (slabs along {})", ranks, "xyz"[flow::choose(problem, options.pressure).order[2]]);
}

}  // namespace speedwell::simulation
