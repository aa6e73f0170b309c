#include "speedwell/simulation/fluid/fluid_ranks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <stdexcept>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/fluid/fluid_part.hpp"
#include "speedwell/simulation/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;

enum class FluidOperation { set, run, get, save, restore, statistics, fields };

struct Begin {
  bf::Problem problem;
  bf::Precision precision = bf::Precision::f64;
  bool on_gpus = false;
};

std::unique_ptr<FluidPart> make_part(const comm::Communicator& ranks, const Begin& begin) {
  return begin.on_gpus ? fluid_part_on_gpu(ranks, begin.problem, begin.precision)
                       : fluid_part_on_core(ranks, begin.problem, begin.precision);
}

class FluidOnRanks final : public bf::Stepper {
 public:
  FluidOnRanks(const comm::Communicator& ranks, const Begin& begin) : ranks_(ranks) {
    tell_begin(ranks, RankSolver::binary_fluid);
    ranks.broadcast(begin);
    part_ = make_part(ranks, begin);
  }
  // Memory that GPUs share is freed by all ranks together.
  ~FluidOnRanks() override {
    if (std::uncaught_exceptions() == 0) tell_end(ranks_);
  }

  void set(const bf::State& state) override {
    tell(FluidOperation::set);
    part_->set(&state);
  }
  void run(int steps) override {
    tell(FluidOperation::run);
    ranks_.broadcast(steps);
    part_->run(steps);
  }
  bf::Statistics statistics() override {
    tell(FluidOperation::statistics);
    return part_->statistics();
  }
  bf::Fields fields() override {
    tell(FluidOperation::fields);
    return part_->fields();
  }
  void get(bf::State& state) override {
    tell(FluidOperation::get);
    part_->get(&state);
  }
  void save() override {
    tell(FluidOperation::save);
    part_->save();
  }
  void restore() override {
    tell(FluidOperation::restore);
    part_->restore();
  }

 private:
  void tell(FluidOperation operation) { simulation::tell(ranks_, static_cast<int>(operation)); }

  const comm::Communicator& ranks_;
  std::unique_ptr<FluidPart> part_;
};

class FluidFollower final : public Follower {
 public:
  FluidFollower(const comm::Communicator& ranks, const Begin& begin) : ranks_(ranks), part_(make_part(ranks, begin)) {}
  void act(int operation) override {
    switch (static_cast<FluidOperation>(operation)) {
      case FluidOperation::set:
        return part_->set(nullptr);
      case FluidOperation::run:
        return part_->run(ranks_.broadcast(0));
      case FluidOperation::get:
        return part_->get(nullptr);
      case FluidOperation::save:
        return part_->save();
      case FluidOperation::restore:
        return part_->restore();
      case FluidOperation::statistics:
        part_->statistics();
        return;
      case FluidOperation::fields:
        part_->fields();
        return;
    }
  }

 private:
  const comm::Communicator& ranks_;
  std::unique_ptr<FluidPart> part_;
};

}  // namespace

std::unique_ptr<bf::Stepper> stepper_on_ranks(const comm::Communicator& ranks, const bf::Problem& problem,
                                              bf::Precision precision, bool on_gpus) {
  return std::make_unique<FluidOnRanks>(ranks, Begin{problem, precision, on_gpus});
}

std::unique_ptr<Follower> follow_fluid(const comm::Communicator& ranks) {
  return std::make_unique<FluidFollower>(ranks, ranks.broadcast(Begin{}));
}

std::string ranks_text(const bf::Problem& problem, int ranks) {
  const auto grid = bf::division_of(problem, ranks).grid();
  return fmt::format("{} ({} x {} x {} along x, y and z)", core::counted(ranks, "rank"), grid[2], grid[1], grid[0]);
}

std::string gpus_text(const bf::Problem& problem, int gpus) {
  const std::int64_t planes = problem.extents.nz;
  if (gpus > planes)
    throw std::invalid_argument(fmt::format("{} GPUs, and the box has {} along z to divide: each GPU needs one", gpus,
                                            core::counted(planes, "plane")));
  return fmt::format("{} (slabs along z)", core::counted(gpus, "GPU"));
}

}  // namespace speedwell::simulation
