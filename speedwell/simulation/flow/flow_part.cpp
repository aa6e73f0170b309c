#include "speedwell/simulation/flow/flow_part.hpp"

#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

flow::Options on_one_core(flow::Options options) {
  options.threads = 1;
  return options;
}

template <class T>
class FlowOnCore final : public FlowPart<T> {
 public:
  FlowOnCore(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : solver_(ranks, problem, on_one_core(options)) {}
  void set(const flow::State<T>* whole) override { solver_.scatter(whole); }
  void get(flow::State<T>* whole) override { solver_.gather(whole); }
  void set_acceleration(const std::array<double, 3>& acceleration) override { solver_.set_acceleration(acceleration); }
  void set_time(double time) override { solver_.set_time(time); }
  void step(double dt) override { solver_.step(dt); }
  double convection_rate() override { return solver_.convection_rate(); }
  flow::Statistics statistics() override { return solver_.statistics(); }
  std::vector<T> values(std::span<const flow::CellValue> cells) override { return solver_.values(cells); }
  void keep_velocity() override { solver_.keep_velocity(); }
  flow::VelocityChange velocity_change() override { return solver_.velocity_change(); }
  void save() override { solver_.save(); }
  void restore() override { solver_.restore(); }
  double time() const override { return solver_.time(); }
  std::array<double, 3> force() const override { return solver_.force(); }
  int pressure_iterations() const override { return solver_.pressure_iterations(); }
  const flow::Choice& choice() const override { return solver_.choice(); }

 private:
  flow::DistributedSolver<T> solver_;
};

}  // namespace

template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_core(const comm::Communicator& ranks, const flow::Problem& problem,
                                               const flow::Options& options) {
  return std::make_unique<FlowOnCore<T>>(ranks, problem, options);
}

#ifdef SPEEDWELL_WITHOUT_CUDA

template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&, const flow::Options&) {
  throw core::Unavailable("a flow on several GPUs: this build has no CUDA");
}

template std::unique_ptr<FlowPart<float>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                           const flow::Options&);
template std::unique_ptr<FlowPart<double>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                            const flow::Options&);

#endif

template std::unique_ptr<FlowPart<float>> flow_part_on_core(const comm::Communicator&, const flow::Problem&,
                                                            const flow::Options&);
template std::unique_ptr<FlowPart<double>> flow_part_on_core(const comm::Communicator&, const flow::Problem&,
                                                             const flow::Options&);

}  // namespace speedwell::simulation
