#include "speedwell/harness/peers/cusparse.hpp"

#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/shared_library.hpp"

namespace speedwell::harness {

#define SPEEDWELL_FUNCTION(name) library.function<decltype(&name)>(#name)
const Cusparse& cusparse() {
  static const Cusparse functions = [] {
    const core::SharedLibrary library("libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR), SPEEDWELL_CUDA_LIBRARIES);
    return Cusparse{
        .create = SPEEDWELL_FUNCTION(cusparseCreate),
        .destroy = SPEEDWELL_FUNCTION(cusparseDestroy),
        .set_stream = SPEEDWELL_FUNCTION(cusparseSetStream),
        .set_pointer_mode = SPEEDWELL_FUNCTION(cusparseSetPointerMode),
        .error_string = SPEEDWELL_FUNCTION(cusparseGetErrorString),
        .create_description = SPEEDWELL_FUNCTION(cusparseCreateMatDescr),
        .destroy_description = SPEEDWELL_FUNCTION(cusparseDestroyMatDescr),
        .dbsrmv = SPEEDWELL_FUNCTION(cusparseDbsrmv),
        .create_vector = SPEEDWELL_FUNCTION(cusparseCreateDnVec),
        .destroy_vector = SPEEDWELL_FUNCTION(cusparseDestroyDnVec),
        .create_csr = SPEEDWELL_FUNCTION(cusparseCreateCsr),
        .create_sliced_ell = SPEEDWELL_FUNCTION(cusparseCreateSlicedEll),
        .create_bsr = SPEEDWELL_FUNCTION(cusparseCreateBsr),
        .destroy_matrix = SPEEDWELL_FUNCTION(cusparseDestroySpMat),
        .spmv_buffer_size = SPEEDWELL_FUNCTION(cusparseSpMV_bufferSize),
        .spmv_preprocess = SPEEDWELL_FUNCTION(cusparseSpMV_preprocess),
        .spmv = SPEEDWELL_FUNCTION(cusparseSpMV),
    };
  }();
  return functions;
}
#undef SPEEDWELL_FUNCTION

std::optional<std::string> cusparse_missing() { return core::unavailable_reason(cusparse); }

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw core::DeviceError(std::string("cusparse: ") + cusparse().error_string(status));
}

CusparseHandle::CusparseHandle(const core::Stream& stream, cusparsePointerMode_t pointer_mode) {
  check(cusparse().create(&handle_));
  cusparseStatus_t status = cusparse().set_stream(handle_, stream.get());
  if (status == CUSPARSE_STATUS_SUCCESS) status = cusparse().set_pointer_mode(handle_, pointer_mode);
  if (status != CUSPARSE_STATUS_SUCCESS) cusparse().destroy(handle_);
  check(status);
}

}  // namespace speedwell::harness
