#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/apps/blast_wave/stepper.hpp"

namespace speedwell::blast_wave {
namespace {

class OnGpu final : public Stepper {
 public:
  OnGpu(const Problem& problem, int max_steps) : solver_(problem, BlockSource::recomputed, max_steps, stream_) {}
  void set(const State& state) override { solver_.upload(state, stream_); }
  History run(int steps, State& state) override {
    solver_.run(steps, stream_);
    History h = solver_.finish(state, stream_);
    solver_.save(stream_);
    return h;
  }

 private:
  core::Stream stream_;
  GpuSolver solver_;
};

}  // namespace

std::optional<std::string> lacks_gpu() {
  if (core::have_device()) return std::nullopt;
  return "no GPU is available";
}

std::unique_ptr<Stepper> stepper_on_gpu(const Problem& problem, int max_steps) {
  if (const auto lacks = lacks_gpu()) throw core::Unavailable("a blast on a GPU: " + *lacks);
  return std::make_unique<OnGpu>(problem, max_steps);
}

}  // namespace speedwell::blast_wave
