#include "speedwell/apps/binary_fluid/stepper.hpp"

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::binary_fluid {
namespace {

// Uses Method::in_place: checkpoints contain populations, and a resumed run must have the same bits as an uninterrupted
// one. Populations that are computed from stored moments are rounded differently.
class OnCores final : public Stepper {
 public:
  OnCores(const Problem& problem, Precision precision, int threads)
      : problem_(problem), solver_(problem, precision, threads, core::best_isa(), Method::in_place) {}
  void set(const State& state) override {
    kept_ = state;
    solver_.set(state);
    present_ = false;
  }
  void run(int steps) override {
    solver_.run(steps);
    present_ = false;
  }
  Statistics statistics() override { return binary_fluid::statistics(problem_, now()); }
  Fields fields() override { return binary_fluid::fields(problem_, now()); }
  void get(State& state) override { state = now(); }
  void save() override { kept_ = now(); }
  void restore() override {
    solver_.set(kept_);
    present_ = false;
  }

 private:
  const State& now() {
    if (!present_) solver_.get(now_);
    present_ = true;
    return now_;
  }

  Problem problem_;
  CpuSolver solver_;
  State now_, kept_;
  bool present_ = false;  // whether now_ is the state of the solver
};

}  // namespace

std::unique_ptr<Stepper> stepper_on_cores(const Problem& problem, Precision precision, int threads) {
  return std::make_unique<OnCores>(problem, precision, threads);
}

Failure find_failure(Stepper& stepper, int max_steps) {
  stepper.restore();
  Failure failure;
  for (int step = 1; step <= max_steps && failure.site < 0; ++step) {
    stepper.run(1);
    failure = {step, stepper.statistics().bad_site};
  }
  stepper.restore();
  return failure;
}

#ifdef SPEEDWELL_WITHOUT_CUDA

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

std::unique_ptr<Stepper> stepper_on_gpu(const Problem&, Precision) {
  throw core::Unavailable("a binary fluid on a GPU: " + *lacks_gpu());
}

#endif

}  // namespace speedwell::binary_fluid
