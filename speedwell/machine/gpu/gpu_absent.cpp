#include "speedwell/core/error.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/gpu/gpu_detect.hpp"

namespace speedwell::machine {
namespace {
constexpr const char* not_built = "this build has no CUDA";
}

Gpus detect_gpus() { return {.gpus = {}, .reason = not_built, .driver = {}, .cuda_runtime = {}}; }
void require_gpu(int) { throw core::Unavailable(not_built); }
std::int64_t available_device_bytes(int) { throw core::Unavailable(not_built); }
std::unique_ptr<Sensors> gpu_sensors(int) { throw core::Unavailable(not_built); }
Ceilings measure_gpu(int, Effort) { throw core::Unavailable(not_built); }
std::optional<std::string> link_missing(const std::vector<int>&) { return not_built; }
std::string describe_link(const std::vector<int>&) { throw core::Unavailable(not_built); }
Ceilings measure_link(const std::vector<int>&, Effort) { throw core::Unavailable(not_built); }

}  // namespace speedwell::machine
