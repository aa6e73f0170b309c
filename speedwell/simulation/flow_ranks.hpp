// A flow on ranks of MPI, whose first rank runs the time loop.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(). The flow and the statistics have the bits of
/// stepper_on_cpu() on any number of ranks; the first rank alone computes statistics, from the whole flow. `ranks` must
/// outlive the stepper. Throws as DistributedSolver, on all ranks.
template <class T>
std::unique_ptr<incompressible_flow::Stepper<T>> flow_on_ranks(const comm::Communicator& ranks,
                                                               const incompressible_flow::Problem& problem,
                                                               const incompressible_flow::Options& options);

extern template std::unique_ptr<incompressible_flow::Stepper<float>> flow_on_ranks(const comm::Communicator&,
                                                                                   const incompressible_flow::Problem&,
                                                                                   const incompressible_flow::Options&);
extern template std::unique_ptr<incompressible_flow::Stepper<double>> flow_on_ranks(
    const comm::Communicator&, const incompressible_flow::Problem&, const incompressible_flow::Options&);

/// A simulation with such steppers.
template <class T>
incompressible_flow::Simulation<T> simulation_on_ranks(const incompressible_flow::FlowCase& flow_case,
                                                       const comm::Communicator& ranks) {
  return {flow_case, 1,
          [&ranks](const auto& problem, const auto& options) { return flow_on_ranks<T>(ranks, problem, options); }};
}

/// "2 ranks (slabs along z)". Throws std::invalid_argument if the box cannot be divided.
std::string ranks_text(const incompressible_flow::Problem& problem, const incompressible_flow::Options& options,
                       int ranks);

}  // namespace speedwell::simulation
