#include "speedwell/apps/blast_wave/stepper.hpp"

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::blast_wave {
namespace {

/// The solver on all cores of the host.
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

#ifdef SPEEDWELL_WITHOUT_CUDA  // otherwise gpu/stepper.cu defines these two

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

std::unique_ptr<Stepper> stepper_on_gpu(const Problem&, int) {
  throw core::Unavailable("a blast on a GPU: " + *lacks_gpu());
}

#endif

}  // namespace speedwell::blast_wave
