#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class OnGpu final : public Stepper<T> {
 public:
  OnGpu(const Problem& problem, const Options& options) : solver_(problem, options) {}
  void set(const State<T>& state) override { solver_.upload(state, stream_); }
  void get(State<T>& state) override { solver_.download(state, stream_); }
  void set_time(double time) override { solver_.set_time(time, stream_); }
  void set_acceleration(const std::array<double, 3>& acceleration) override { solver_.set_acceleration(acceleration); }
  std::array<double, 3> force() const override { return force_; }
  void step(double dt) override {
    solver_.run(dt, 1, stream_);
    iterations_ = solver_.pressure_iterations(stream_);
    solver_.diffusion_iterations(stream_);
    force_ = solver_.force(stream_);
  }
  double convection_rate() override { return solver_.convection_rate(stream_); }
  Statistics statistics() override { return solver_.statistics(stream_); }
  std::vector<T> values(std::span<const CellValue> cells) override { return solver_.values(cells, stream_); }
  void keep_velocity() override { solver_.keep_velocity(stream_); }
  VelocityChange velocity_change() override { return solver_.velocity_change(stream_); }
  void save() override { solver_.save(stream_); }
  void restore() override { solver_.restore(stream_); }
  int pressure_iterations() const override { return iterations_; }
  const Choice& choice() const override { return solver_.choice(); }

 private:
  core::Stream stream_;
  GpuSolver<T> solver_;
  std::array<double, 3> force_{};
  int iterations_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> stepper_on_gpu(const Problem& problem, const Options& options) {
  if (const auto lacks = lacks_gpu()) throw core::Unavailable(*lacks);
  return std::make_unique<OnGpu<T>>(problem, options);
}

std::optional<std::string> lacks_gpu() {
  if (core::have_device()) return std::nullopt;
  return "there is no GPU";
}

template std::unique_ptr<Stepper<float>> stepper_on_gpu(const Problem&, const Options&);
template std::unique_ptr<Stepper<double>> stepper_on_gpu(const Problem&, const Options&);

}  // namespace speedwell::incompressible_flow
