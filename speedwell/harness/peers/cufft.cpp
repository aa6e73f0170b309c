#include "speedwell/harness/peers/cufft.hpp"

#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/shared_library.hpp"

namespace speedwell::harness {

#define SPEEDWELL_FUNCTION(name) library.function<decltype(&name)>(#name)
const Cufft& cufft() {
  static const Cufft functions = [] {
    const core::SharedLibrary library("libcufft.so." + std::to_string(CUFFT_VER_MAJOR), SPEEDWELL_CUDA_LIBRARIES);
    return Cufft{
        .create = SPEEDWELL_FUNCTION(cufftCreate),
        .destroy = SPEEDWELL_FUNCTION(cufftDestroy),
        .set_stream = SPEEDWELL_FUNCTION(cufftSetStream),
        .make_plan_many = SPEEDWELL_FUNCTION(cufftMakePlanMany64),
        .get_version = SPEEDWELL_FUNCTION(cufftGetVersion),
        .c2c = SPEEDWELL_FUNCTION(cufftExecC2C),
        .c2r = SPEEDWELL_FUNCTION(cufftExecC2R),
        .r2c = SPEEDWELL_FUNCTION(cufftExecR2C),
        .z2z = SPEEDWELL_FUNCTION(cufftExecZ2Z),
        .z2d = SPEEDWELL_FUNCTION(cufftExecZ2D),
        .d2z = SPEEDWELL_FUNCTION(cufftExecD2Z),
    };
  }();
  return functions;
}
#undef SPEEDWELL_FUNCTION

std::optional<std::string> cufft_missing() { return core::unavailable_reason(cufft); }

void check(cufftResult status) {
  if (status != CUFFT_SUCCESS) throw core::DeviceError("cufft: status " + std::to_string(status));
}

std::string cufft_version() {
  int number = 0;
  check(cufft().get_version(&number));
  return std::to_string(number / 1000) + "." + std::to_string(number / 100 % 10) + "." + std::to_string(number % 100);
}

}  // namespace speedwell::harness
