#include "speedwell/core/cuda/cublas.hpp"

#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/shared_library.hpp"

namespace speedwell::core {

#define SPEEDWELL_FUNCTION(name) library.function<decltype(&name)>(#name)
const Cublas& cublas() {
  static const Cublas functions = [] {
    const SharedLibrary library("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR), SPEEDWELL_CUDA_LIBRARIES);
    return Cublas{
        .create = SPEEDWELL_FUNCTION(cublasCreate_v2),
        .destroy = SPEEDWELL_FUNCTION(cublasDestroy_v2),
        .set_stream = SPEEDWELL_FUNCTION(cublasSetStream_v2),
        .set_pointer_mode = SPEEDWELL_FUNCTION(cublasSetPointerMode_v2),
        .status_string = SPEEDWELL_FUNCTION(cublasGetStatusString),
        .set_workspace = SPEEDWELL_FUNCTION(cublasSetWorkspace_v2),
        .sgemv = SPEEDWELL_FUNCTION(cublasSgemv_v2_64),
        .dgemv = SPEEDWELL_FUNCTION(cublasDgemv_v2_64),
        .sgemm = SPEEDWELL_FUNCTION(cublasSgemm_v2_64),
        .dgemm = SPEEDWELL_FUNCTION(cublasDgemm_v2_64),
        .sgemm_strided_batched = SPEEDWELL_FUNCTION(cublasSgemmStridedBatched_64),
        .dgemm_strided_batched = SPEEDWELL_FUNCTION(cublasDgemmStridedBatched_64),
        .sdot = SPEEDWELL_FUNCTION(cublasSdot_v2),
        .ddot = SPEEDWELL_FUNCTION(cublasDdot_v2),
        .daxpy = SPEEDWELL_FUNCTION(cublasDaxpy_v2),
        .sscal = SPEEDWELL_FUNCTION(cublasSscal_v2_64),
        .dscal = SPEEDWELL_FUNCTION(cublasDscal_v2_64),
    };
  }();
  return functions;
}
#undef SPEEDWELL_FUNCTION

std::optional<std::string> cublas_missing() { return unavailable_reason(cublas); }

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(std::string("cublas: ") + cublas().status_string(status));
}

CublasHandle::CublasHandle(const Stream& stream, cublasPointerMode_t pointer_mode) {
  check(cublas().create(&handle_));
  cublasStatus_t status = cublas().set_stream(handle_, stream.get());
  if (status == CUBLAS_STATUS_SUCCESS) status = cublas().set_pointer_mode(handle_, pointer_mode);
  if (status != CUBLAS_STATUS_SUCCESS) cublas().destroy(handle_);
  check(status);
}

}  // namespace speedwell::core
