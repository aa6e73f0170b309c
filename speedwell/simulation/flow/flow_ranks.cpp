#include "speedwell/simulation/flow/flow_ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/flow/flow_part.hpp"
#include "speedwell/simulation/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

enum class FlowOperation {
  set,
  get,
  set_acceleration,
  set_time,
  step,
  convection_rate,
  statistics,
  values,
  keep_velocity,
  velocity_change,
  save,
  restore
};

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

template <class T>
std::unique_ptr<FlowPart<T>> make_part(const comm::Communicator& ranks, const flow::Problem& problem,
                                       const flow::Options& options, bool on_gpus) {
  return on_gpus ? flow_part_on_gpu<T>(ranks, problem, options) : flow_part_on_core<T>(ranks, problem, options);
}

template <class T>
class FlowOnRanks final : public flow::Stepper<T> {
 public:
  FlowOnRanks(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options, bool on_gpus)
      : ranks_(ranks) {
    tell_begin(ranks, std::is_same_v<T, float> ? RankSolver::flow_f32 : RankSolver::flow_f64);
    flow::Problem all = problem;
    flow::Options chosen = options;
    broadcast_problem(ranks, all, chosen);
    part_ = make_part<T>(ranks, problem, options, ranks.broadcast(on_gpus));
  }
  ~FlowOnRanks() override {
    if (std::uncaught_exceptions() == 0) tell_end(ranks_);
  }

  void set(const flow::State<T>& state) override {
    tell(FlowOperation::set);
    part_->set(&state);
  }
  void get(flow::State<T>& state) override {
    tell(FlowOperation::get);
    part_->get(&state);
  }
  void set_acceleration(const std::array<double, 3>& acceleration) override {
    tell(FlowOperation::set_acceleration);
    part_->set_acceleration(ranks_.broadcast(acceleration));
  }
  void set_time(double time) override {
    tell(FlowOperation::set_time);
    part_->set_time(ranks_.broadcast(time));
  }
  std::array<double, 3> force() const override { return part_->force(); }
  void step(double dt) override {
    tell(FlowOperation::step);
    part_->step(ranks_.broadcast(dt));
  }
  double convection_rate() override {
    tell(FlowOperation::convection_rate);
    return part_->convection_rate();
  }
  flow::Statistics statistics() override {
    tell(FlowOperation::statistics);
    return part_->statistics();
  }
  std::vector<T> values(std::span<const flow::CellValue> cells) override {
    tell(FlowOperation::values);
    std::vector<flow::CellValue> all(cells.begin(), cells.end());
    broadcast_values(ranks_, all);
    return part_->values(all);
  }
  void keep_velocity() override {
    tell(FlowOperation::keep_velocity);
    part_->keep_velocity();
  }
  flow::VelocityChange velocity_change() override {
    tell(FlowOperation::velocity_change);
    return part_->velocity_change();
  }
  void save() override {
    tell(FlowOperation::save);
    part_->save();
  }
  void restore() override {
    tell(FlowOperation::restore);
    part_->restore();
  }
  int pressure_iterations() const override { return part_->pressure_iterations(); }
  const flow::Choice& choice() const override { return part_->choice(); }

 private:
  void tell(FlowOperation operation) { simulation::tell(ranks_, static_cast<int>(operation)); }

  const comm::Communicator& ranks_;
  std::unique_ptr<FlowPart<T>> part_;
};

template <class T>
class FlowFollower final : public Follower {
 public:
  FlowFollower(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options,
               bool on_gpus)
      : ranks_(ranks), part_(make_part<T>(ranks, problem, options, on_gpus)) {}
  void act(int operation) override {
    switch (static_cast<FlowOperation>(operation)) {
      case FlowOperation::set:
        return part_->set(nullptr);
      case FlowOperation::get:
        return part_->get(nullptr);
      case FlowOperation::set_acceleration:
        return part_->set_acceleration(ranks_.broadcast(std::array<double, 3>{}));
      case FlowOperation::set_time:
        return part_->set_time(ranks_.broadcast(0.0));
      case FlowOperation::step:
        return step(ranks_.broadcast(0.0));
      case FlowOperation::convection_rate:
        part_->convection_rate();
        return;
      case FlowOperation::statistics:
        part_->statistics();
        return;
      case FlowOperation::values: {
        std::vector<flow::CellValue> cells;
        broadcast_values(ranks_, cells);
        part_->values(cells);
        return;
      }
      case FlowOperation::keep_velocity:
        return part_->keep_velocity();
      case FlowOperation::velocity_change:
        part_->velocity_change();
        return;
      case FlowOperation::save:
        return part_->save();
      case FlowOperation::restore:
        return part_->restore();
    }
  }

 private:
  // The first rank decides what follows when conjugate gradients do not converge, as they then do on no rank, and when
  // a GPU fails, which all ranks then know.
  void step(double dt) {
    try {
      part_->step(dt);
    } catch (const core::DeviceError&) {
      return;
    }
  }

  const comm::Communicator& ranks_;
  std::unique_ptr<FlowPart<T>> part_;
};

}  // namespace

template <class T>
std::unique_ptr<flow::Stepper<T>> flow_on_ranks(const comm::Communicator& ranks, const flow::Problem& problem,
                                                const flow::Options& options, bool on_gpus) {
  return std::make_unique<FlowOnRanks<T>>(ranks, problem, options, on_gpus);
}

template std::unique_ptr<flow::Stepper<float>> flow_on_ranks(const comm::Communicator&, const flow::Problem&,
                                                             const flow::Options&, bool);
template std::unique_ptr<flow::Stepper<double>> flow_on_ranks(const comm::Communicator&, const flow::Problem&,
                                                              const flow::Options&, bool);

std::unique_ptr<Follower> follow_flow(const comm::Communicator& ranks, bool f32) {
  flow::Problem problem;
  flow::Options options;
  broadcast_problem(ranks, problem, options);
  const bool on_gpus = ranks.broadcast(false);
  if (f32) return std::make_unique<FlowFollower<float>>(ranks, problem, options, on_gpus);
  return std::make_unique<FlowFollower<double>>(ranks, problem, options, on_gpus);
}

std::string ranks_text(const flow::Problem& problem, const flow::Options& options, int ranks, bool on_gpus) {
  if (const auto refusal = on_gpus ? flow::refuses_on_gpus(problem, options) : std::nullopt)
    throw std::invalid_argument(fmt::format("{} GPUs: several GPUs do not do {} together", ranks, *refusal));
  const int planes = flow::planes_to_divide(problem, options);
  if (ranks > planes)
    throw std::invalid_argument(fmt::format("{0} {1}s, and the box has {2} to divide: each {1} needs one", ranks,
                                            on_gpus ? "GPU" : "rank", core::counted(planes, "plane")));
  return fmt::format("{} (slabs along {})", core::counted(ranks, on_gpus ? "GPU" : "rank"),
                     "xyz"[flow::choose(problem, options.pressure).order[2]]);
}

}  // namespace speedwell::simulation
