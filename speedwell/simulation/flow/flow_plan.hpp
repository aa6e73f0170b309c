// Estimates of the resources of an incompressible flow.
#pragma once

#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::simulation {

/// Bytes of host memory of a run, of all ranks together.
double flow_bytes(const incompressible_flow::FlowCase& flow_case, const Device& device);

/// Takes some steps of the case if that is quick. Throws as the solver does.
RunPlan plan_of_flow(const SimulationOptions& options, const incompressible_flow::FlowCase& flow_case,
                     const Device& device);

}  // namespace speedwell::simulation
