// The incompressible flow solver for the driver.
#pragma once

#include <memory>

#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::simulation {

/// Creates a solver in the precision of the case; case and folder must outlive it. Throws as
/// incompressible_flow::Simulation does.
std::unique_ptr<TimeDependentSolver> make_flow_solver(const incompressible_flow::FlowCase& flow_case,
                                                      const Device& device, const RunFolder& folder);

}  // namespace speedwell::simulation
