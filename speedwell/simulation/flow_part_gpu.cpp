// The slab of a flow that one rank has on its GPU.
#include <array>
#include <memory>

#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/simulation/collecting_part.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

// DistributedGpuSolver on a stream of its own.
template <class T>
class OnStream {
 public:
  OnStream(const comm::Communicator& ranks, const flow::Problem& problem, const flow::Options& options)
      : solver_(ranks, problem, options, comm::fastest_transport(ranks)) {}
  void scatter(const flow::State<T>* whole) { solver_.scatter(whole, stream_); }
  void gather(flow::State<T>* whole) { solver_.gather(whole, stream_); }
  void step(double dt) {
    solver_.run(dt, 1, stream_);
    solver_.check(stream_);
  }
  void set_acceleration(const std::array<double, 3>& acceleration) { solver_.set_acceleration(acceleration); }
  const flow::Choice& choice() const { return solver_.choice(); }

 private:
  core::Stream stream_;
  flow::DistributedGpuSolver<T> solver_;
};

}  // namespace

template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_gpu(const comm::Communicator& ranks, const flow::Problem& problem,
                                              const flow::Options& options) {
  return std::make_unique<CollectingPart<T, OnStream<T>>>(ranks, problem, options.threads,
                                                          std::make_unique<OnStream<T>>(ranks, problem, options));
}

template std::unique_ptr<FlowPart<float>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                           const flow::Options&);
template std::unique_ptr<FlowPart<double>> flow_part_on_gpu(const comm::Communicator&, const flow::Problem&,
                                                            const flow::Options&);

}  // namespace speedwell::simulation
