#include "speedwell/apps/blast_wave/stepper.hpp"

#include "speedwell/apps/blast_wave/blast_wave.hpp"

namespace speedwell::blast_wave {
namespace {

class OnCores final : public Stepper {
 public:
  OnCores(const Problem& problem, int threads) : solver_(problem, threads) {}
  void set(const State& state) override { solver_.set(state); }
  History run(int steps, State& state) override {
    History h = solver_.run(steps);
    solver_.get(state);
    return h;
  }

 private:
  CpuSolver solver_;
};

}  // namespace

std::unique_ptr<Stepper> stepper_on_cores(const Problem& problem, int threads) {
  return std::make_unique<OnCores>(problem, threads);
}

}  // namespace speedwell::blast_wave
