#include "speedwell/apps/incompressible_flow/stepper.hpp"

#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class OnCpu final : public Stepper<T> {
 public:
  OnCpu(const Problem& problem, const Options& options) : extents_(problem.extents()), solver_(problem, options) {}
  void set(const State<T>& state) override { solver_.set(state); }
  void get(State<T>& state) override { solver_.get(state); }
  void set_acceleration(const std::array<double, 3>& acceleration) override { solver_.set_acceleration(acceleration); }
  void set_time(double time) override { solver_.set_time(time); }
  std::array<double, 3> force() const override { return solver_.force(); }
  void step(double dt) override { solver_.step(dt); }
  double convection_rate() override { return solver_.convection_rate(); }
  Statistics statistics() override { return solver_.statistics(); }
  std::vector<T> values(std::span<const CellValue> cells) override { return solver_.values(cells); }
  void keep_velocity() override { solver_.keep_velocity(); }
  VelocityChange velocity_change() override { return solver_.velocity_change(); }
  void save() override {
    if (!kept_) kept_.emplace(extents_);
    solver_.get(*kept_);
  }
  void restore() override { solver_.set(*kept_); }
  int pressure_iterations() const override { return solver_.pressure_iterations(); }
  const Choice& choice() const override { return solver_.choice(); }

 private:
  Extents extents_;
  Solver<T> solver_;
  std::optional<State<T>> kept_;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> stepper_on_cpu(const Problem& problem, const Options& options) {
  return std::make_unique<OnCpu<T>>(problem, options);
}

template std::unique_ptr<Stepper<float>> stepper_on_cpu(const Problem&, const Options&);
template std::unique_ptr<Stepper<double>> stepper_on_cpu(const Problem&, const Options&);

#ifdef SPEEDWELL_WITHOUT_CUDA

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

template <class T>
std::unique_ptr<Stepper<T>> stepper_on_gpu(const Problem&, const Options&) {
  throw core::Unavailable("a flow on a GPU: " + *lacks_gpu());
}

template std::unique_ptr<Stepper<float>> stepper_on_gpu(const Problem&, const Options&);
template std::unique_ptr<Stepper<double>> stepper_on_gpu(const Problem&, const Options&);

#endif

}  // namespace speedwell::incompressible_flow
