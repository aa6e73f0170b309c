#include "speedwell/simulation/fluid_ranks.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "speedwell/simulation/fluid_part.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;

// What the first rank tells the others.
struct Command {
  enum class What { begin, set, run, get, save, restore, statistics, fields, release, abandon } what = What::abandon;
  int value = 0;  // of run: the number of steps; of release: the reason
};
using What = Command::What;

struct Begin {
  bf::Problem problem;
  bf::Precision precision = bf::Precision::f64;
};

class OnRanks final : public bf::Stepper {
 public:
  OnRanks(const comm::Communicator& ranks, const bf::Problem& problem, bf::Precision precision)
      : ranks_(ranks), part_(begin(ranks, problem, precision), problem, precision) {}

  void set(const bf::State& state) override {
    tell(What::set);
    part_.set(&state);
  }
  void run(int steps) override {
    tell(What::run, steps);
    part_.run(steps);
  }
  bf::Statistics statistics() override {
    tell(What::statistics);
    return part_.statistics();
  }
  bf::Fields fields() override {
    tell(What::fields);
    return part_.fields();
  }
  void get(bf::State& state) override {
    tell(What::get);
    part_.get(&state);
  }
  void save() override {
    tell(What::save);
    part_.save();
  }
  void restore() override {
    tell(What::restore);
    part_.restore();
  }

 private:
  static const comm::Communicator& begin(const comm::Communicator& ranks, const bf::Problem& problem,
                                         bf::Precision precision) {
    ranks.broadcast(Command{What::begin, 0});
    ranks.broadcast(Begin{problem, precision});
    return ranks;
  }
  void tell(What what, int value = 0) { ranks_.broadcast(Command{what, value}); }

  const comm::Communicator& ranks_;
  FluidPart part_;
};

// Carries out a command on a rank other than the first.
void follow(const Command& command, FluidPart& part) {
  switch (command.what) {
    case What::set:
      return part.set(nullptr);
    case What::run:
      return part.run(command.value);
    case What::get:
      return part.get(nullptr);
    case What::save:
      return part.save();
    case What::restore:
      return part.restore();
    case What::statistics:
      part.statistics();
      return;
    case What::fields:
      part.fields();
      return;
    case What::begin:
    case What::release:
    case What::abandon:
      break;
  }
}

}  // namespace

std::unique_ptr<bf::Stepper> stepper_on_ranks(const comm::Communicator& ranks, const bf::Problem& problem,
                                              bf::Precision precision) {
  return std::make_unique<OnRanks>(ranks, problem, precision);
}

StopReason follow_first_rank(const comm::Communicator& ranks) {
  std::optional<FluidPart> part;
  for (;;) {
    const Command command = ranks.broadcast(Command{});
    if (command.what == What::release) return static_cast<StopReason>(command.value);
    if (command.what == What::abandon) throw std::runtime_error("the first rank failed");
    if (command.what == What::begin) {
      const Begin begin = ranks.broadcast(Begin{});
      part.emplace(ranks, begin.problem, begin.precision);
    } else {
      follow(command, part.value());
    }
  }
}

void release_ranks(const comm::Communicator& ranks, StopReason reason) {
  ranks.broadcast(Command{What::release, static_cast<int>(reason)});
}

void abandon_ranks(const comm::Communicator& ranks) { ranks.broadcast(Command{What::abandon, 0}); }

std::string ranks_text(const bf::Problem& problem, int ranks) {
  const auto grid = bf::division_of(problem, ranks).grid();
  return fmt::format("{} ranks ({} x {} x {} along x, y and z)", ranks, grid[2], grid[1], grid[0]);
}

}  // namespace speedwell::simulation
