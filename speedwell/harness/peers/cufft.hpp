// cuFFT for the variants that call it, loaded when the first of them is made.
#pragma once

#include <cufft.h>

#include <optional>
#include <string>

namespace speedwell::harness {

/// The functions of cuFFT that variants call, with the library's own types.
struct Cufft {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftMakePlanMany64) make_plan_many;
  decltype(&cufftGetVersion) get_version;
  decltype(&cufftExecC2C) c2c;
  decltype(&cufftExecC2R) c2r;
  decltype(&cufftExecR2C) r2c;
  decltype(&cufftExecZ2Z) z2z;
  decltype(&cufftExecZ2D) z2d;
  decltype(&cufftExecD2Z) d2z;
};

/// Loads cuFFT at the first call. Throws core::Unavailable if it is not installed.
const Cufft& cufft();
/// Why cufft() cannot load it; nothing when it can.
std::optional<std::string> cufft_missing();

/// Throws core::DeviceError unless the status is success.
void check(cufftResult status);

/// As "11.2.1".
std::string cufft_version();

/// A handle of cuFFT, without a plan yet.
class CufftHandle {
 public:
  CufftHandle() { check(cufft().create(&handle_)); }
  ~CufftHandle() { cufft().destroy(handle_); }
  CufftHandle(const CufftHandle&) = delete;
  CufftHandle& operator=(const CufftHandle&) = delete;
  cufftHandle get() const { return handle_; }

 private:
  cufftHandle handle_ = 0;
};

}  // namespace speedwell::harness
