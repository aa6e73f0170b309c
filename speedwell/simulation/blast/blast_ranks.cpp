#include "speedwell/simulation/blast/blast_ranks.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>

#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace bw = blast_wave;

enum class BlastOperation { set, run };

class BlastOnRanks final : public bw::Stepper {
 public:
  BlastOnRanks(const comm::Communicator& ranks, const bw::Problem& problem) : ranks_(ranks) {
    tell_begin(ranks, RankSolver::blast_wave);
    solver_.emplace(ranks, ranks.broadcast(problem));
  }
  ~BlastOnRanks() override {
    if (std::uncaught_exceptions() == 0) tell_end(ranks_);
  }

  void set(const bw::State& state) override {
    tell(ranks_, static_cast<int>(BlastOperation::set));
    solver_->scatter(&state);
  }
  bw::History run(int steps, bw::State& state) override {
    tell(ranks_, static_cast<int>(BlastOperation::run));
    bw::History history = solver_->run(ranks_.broadcast(steps));
    solver_->gather(&state);
    return history;
  }

 private:
  const comm::Communicator& ranks_;
  std::optional<bw::DistributedSolver> solver_;
};

class BlastFollower final : public Follower {
 public:
  explicit BlastFollower(const comm::Communicator& ranks)
      : ranks_(ranks), solver_(ranks, ranks.broadcast(bw::Problem{})) {}
  void act(int operation) override {
    switch (static_cast<BlastOperation>(operation)) {
      case BlastOperation::set:
        return solver_.scatter(nullptr);
      case BlastOperation::run:
        solver_.run(ranks_.broadcast(0));
        return solver_.gather(nullptr);
    }
  }

 private:
  const comm::Communicator& ranks_;
  bw::DistributedSolver solver_;
};

}  // namespace

std::unique_ptr<bw::Stepper> stepper_on_ranks(const comm::Communicator& ranks, const bw::Problem& problem) {
  return std::make_unique<BlastOnRanks>(ranks, problem);
}

std::unique_ptr<Follower> follow_blast(const comm::Communicator& ranks) {
  return std::make_unique<BlastFollower>(ranks);
}

std::string ranks_text(const bw::Problem& problem, int ranks) {
  bw::DistributedSolver::require_ranks(problem.extents, ranks);
  return fmt::format("{} (slabs along z)", core::counted(ranks, "rank"));
}

}  // namespace speedwell::simulation
