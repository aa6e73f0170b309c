#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::binary_fluid {
namespace {

class OnGpu final : public Stepper {
 public:
  OnGpu(const Problem& problem, Precision precision) : solver_(problem, choose(problem), precision) {}
  void set(const State& state) override { solver_.upload(state, stream_); }
  void run(int steps) override {
    solver_.run(steps, stream_);
    stream_.synchronize();
  }
  Statistics statistics() override { return solver_.statistics(stream_); }
  Fields fields() override { return solver_.fields(stream_); }
  void get(State& state) override { solver_.finish(state, stream_); }
  void save() override { solver_.save(stream_); }
  void restore() override { solver_.restore(stream_); }

 private:
  core::Stream stream_;
  GpuSolver solver_;
};

}  // namespace

std::optional<std::string> lacks_gpu() {
  if (core::have_device()) return std::nullopt;
  return "no GPU is available";
}

std::unique_ptr<Stepper> stepper_on_gpu(const Problem& problem, Precision precision) {
  if (const auto lacks = lacks_gpu()) throw core::Unavailable("a binary fluid on a GPU: " + *lacks);
  require_valid(problem);
  std::size_t available = 0, all = 0;
  core::check(cudaMemGetInfo(&available, &all));
  const double needed = gpu_bytes(problem, choose(problem), precision);
  if (needed > static_cast<double>(available))
    throw core::Unavailable("a binary fluid on a GPU takes " + core::format_bytes(needed) + "; there are " +
                            core::format_bytes(static_cast<double>(available)) +
                            " (--variant openmp uses the host's memory)");
  return std::make_unique<OnGpu>(problem, precision);
}

}  // namespace speedwell::binary_fluid
