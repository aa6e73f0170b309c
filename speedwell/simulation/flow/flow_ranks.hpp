// A flow on ranks of MPI, on a core or a GPU each, whose first rank runs the time loop.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(). With `on_gpus` each rank drives its current GPU, and
/// the flow differs from that of stepper_on_gpu() by rounding; otherwise the flow and the statistics have the bits of
/// stepper_on_cpu() on any number of ranks. Each rank computes the contribution of its slab to statistics; only get()
/// collects the flow. `ranks` must outlive the stepper. Throws as flow_part_on_core() and flow_part_on_gpu(), on all
/// ranks.
template <class T>
std::unique_ptr<incompressible_flow::Stepper<T>> flow_on_ranks(const comm::Communicator& ranks,
                                                               const incompressible_flow::Problem& problem,
                                                               const incompressible_flow::Options& options,
                                                               bool on_gpus);

// Both precisions are compiled once.
extern template std::unique_ptr<incompressible_flow::Stepper<float>> flow_on_ranks(const comm::Communicator&,
                                                                                   const incompressible_flow::Problem&,
                                                                                   const incompressible_flow::Options&,
                                                                                   bool);
extern template std::unique_ptr<incompressible_flow::Stepper<double>> flow_on_ranks(const comm::Communicator&,
                                                                                    const incompressible_flow::Problem&,
                                                                                    const incompressible_flow::Options&,
                                                                                    bool);

/// A simulation on a device: with such steppers on several ranks, of which the first computes with device.threads.
template <class T>
incompressible_flow::Simulation<T> simulation_on(const incompressible_flow::FlowCase& flow_case, const Device& device) {
  if (!device.ranks) return {flow_case, device.threads, device.on_gpu};
  return {flow_case, device.threads,
          [&ranks = *device.ranks, on_gpus = device.on_gpu](const auto& problem, const auto& options) {
            return flow_on_ranks<T>(ranks, problem, options, on_gpus);
          }};
}

/// "2 ranks (slabs along z)", or "2 GPUs (slabs along z)". Throws std::invalid_argument if the box cannot be divided,
/// or if several GPUs do not do such a flow: the message says
/// what they do not do.
std::string ranks_text(const incompressible_flow::Problem& problem, const incompressible_flow::Options& options,
                       int ranks, bool on_gpus);

}  // namespace speedwell::simulation
