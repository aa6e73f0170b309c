// Applications, their variants, sizes and parameters, and devices, as text; what is missing is listed with the reason,
// which is told once.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

/// A line for each application: name and summary.
std::string list_applications(const std::vector<Application>& applications);
/// Variants, sizes and parameters of one application.
std::string list_application(const Application& application, const machine::Machine& machine);
/// The variants of each application.
std::string list_variants(const std::vector<Application>& applications, const machine::Machine& machine);
/// The sizes and parameters of each application.
std::string list_sizes(const std::vector<Application>& applications);
/// The host and the GPUs.
std::string list_devices(const machine::Machine& machine);

}  // namespace speedwell::harness
