#pragma once

#include <filesystem>
#include <memory>

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

/// The host's sensors by the files under `root`: RAPL energy, the package temperature, thermal throttling.
std::unique_ptr<Sensors> host_sensors(const std::filesystem::path& root);

}  // namespace speedwell::machine
