// The slab of a flow that one rank has on its GPU.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/simulation/flow/flow_part.hpp"
#include "speedwell/simulation/ranks.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

// DistributedGpuSolver on a stream of its own.
template <class T>
class FlowOnGpu final : public FlowPart<T> {
 public:
  FlowOnGpu(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : ranks_(ranks), solver_(ranks, problem, options, comm::fastest_transport(ranks)) {}
  void set(const flow::State<T>* whole) override { solver_.scatter(whole, stream_); }
  void get(flow::State<T>* whole) override { solver_.gather(whole, stream_); }
  void set_acceleration(const std::array<double, 3>& acceleration) override { solver_.set_acceleration(acceleration); }
  void set_time(double time) override { solver_.set_time(time, stream_); }
  // What a GPU reports by itself, such as a neighbour that did not come, may be known to one rank only.
  void step(double dt) override {
    throw_together(ranks_, [&] {
      solver_.run(dt, 1, stream_);
      solver_.check(stream_);
      solver_.diffusion_iterations(stream_);
      force_ = solver_.force(stream_);
    });
  }
  double convection_rate() override { return solver_.convection_rate(stream_); }
  flow::Statistics statistics() override { return solver_.statistics(stream_); }
  std::vector<T> values(std::span<const flow::CellValue> cells) override { return solver_.values(cells, stream_); }
  void keep_velocity() override { solver_.keep_velocity(stream_); }
  flow::VelocityChange velocity_change() override { return solver_.velocity_change(stream_); }
  void save() override { solver_.save(stream_); }
  void restore() override { solver_.restore(stream_); }
  double time() const override { return solver_.time(); }
  std::array<double, 3> force() const override { return force_; }
  int pressure_iterations() const override { return 0; }
  const flow::Choice& choice() const override { return solver_.choice(); }

 private:
  const comm::Communicator& ranks_;
  core::Stream stream_;
  flow::DistributedGpuSolver<T> solver_;
  std::array<double, 3> force_{};
};

}  // namespace

template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_gpu(const comm::Communicator& ranks, const flow::Problem& problem,
                                              const flow::Options& options) {
  return std::make_unique<FlowOnGpu<T>>(ranks, problem, options);
}

template std::unique_ptr<FlowPart<float>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                           const flow::Options&);
template std::unique_ptr<FlowPart<double>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                            const flow::Options&);

}  // namespace speedwell::simulation
