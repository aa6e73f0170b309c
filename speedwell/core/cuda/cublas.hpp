// cuBLAS, loaded at the first use: if it were linked, it and the libraries that it needs would add a third of a second
// and 250 MB to every start of the program, also on machines without a GPU.
#pragma once

#include <cublas_v2.h>

#include <optional>
#include <string>

#include "speedwell/core/cuda.hpp"

namespace speedwell::core {

/// The functions of cuBLAS that are used, with the library's types.
struct Cublas {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetPointerMode_v2) set_pointer_mode;
  decltype(&cublasGetStatusString) status_string;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(&cublasSgemv_v2_64) sgemv;
  decltype(&cublasDgemv_v2_64) dgemv;
  decltype(&cublasSgemm_v2_64) sgemm;
  decltype(&cublasDgemm_v2_64) dgemm;
  decltype(&cublasSgemmStridedBatched_64) sgemm_strided_batched;
  decltype(&cublasDgemmStridedBatched_64) dgemm_strided_batched;
  decltype(&cublasSdot_v2) sdot;
  decltype(&cublasDdot_v2) ddot;
  decltype(&cublasDaxpy_v2) daxpy;
  decltype(&cublasSscal_v2_64) sscal;
  decltype(&cublasDscal_v2_64) dscal;
};

/// Loads cuBLAS at the first call. Throws Unavailable if it is not installed.
const Cublas& cublas();
/// Why cublas() cannot load it; nothing when it can.
std::optional<std::string> cublas_missing();

/// Throws DeviceError, with cuBLAS's message, unless the status is success.
void check(cublasStatus_t status);

/// A cuBLAS handle for `stream`.
class CublasHandle {
 public:
  /// `pointer_mode`: the memory of scalars and of results of dot products. With host memory, each dot product waits for
  /// its result.
  CublasHandle(const Stream& stream, cublasPointerMode_t pointer_mode);
  ~CublasHandle() { cublas().destroy(handle_); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace speedwell::core
