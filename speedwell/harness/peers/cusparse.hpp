// cuSPARSE for the variants that call it, loaded when the first of them is made.
#pragma once

#include <cusparse.h>

#include <optional>
#include <string>

#include "speedwell/core/cuda.hpp"

namespace speedwell::harness {

/// The functions of cuSPARSE that variants call, with the library's own types.
struct Cusparse {
  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseSetPointerMode) set_pointer_mode;
  decltype(&cusparseGetErrorString) error_string;
  decltype(&cusparseCreateMatDescr) create_description;
  decltype(&cusparseDestroyMatDescr) destroy_description;
  decltype(&cusparseDbsrmv) dbsrmv;
  decltype(&cusparseCreateDnVec) create_vector;
  decltype(&cusparseDestroyDnVec) destroy_vector;
  decltype(&cusparseCreateCsr) create_csr;
  decltype(&cusparseCreateSlicedEll) create_sliced_ell;
  decltype(&cusparseCreateBsr) create_bsr;
  decltype(&cusparseDestroySpMat) destroy_matrix;
  decltype(&cusparseSpMV_bufferSize) spmv_buffer_size;
  decltype(&cusparseSpMV_preprocess) spmv_preprocess;
  decltype(&cusparseSpMV) spmv;
};

/// Loads cuSPARSE at the first call. Throws core::Unavailable if it is not installed.
const Cusparse& cusparse();
/// Why cusparse() cannot load it; nothing when it can.
std::optional<std::string> cusparse_missing();

/// Throws core::DeviceError, with cuSPARSE's own words, unless the status is success.
void check(cusparseStatus_t status);

/// A handle of cuSPARSE that works on `stream`.
class CusparseHandle {
 public:
  /// pointer_mode: where the scalars of a product are.
  CusparseHandle(const core::Stream& stream, cusparsePointerMode_t pointer_mode);
  ~CusparseHandle() { cusparse().destroy(handle_); }
  CusparseHandle(const CusparseHandle&) = delete;
  CusparseHandle& operator=(const CusparseHandle&) = delete;
  cusparseHandle_t get() const { return handle_; }

 private:
  cusparseHandle_t handle_ = nullptr;
};

/// The description of a matrix in block rows that the products of the old interface, as bsrmv, want: general, with
/// indices from 0.
class CusparseDescription {
 public:
  CusparseDescription() { check(cusparse().create_description(&description_)); }
  ~CusparseDescription() { cusparse().destroy_description(description_); }
  CusparseDescription(const CusparseDescription&) = delete;
  CusparseDescription& operator=(const CusparseDescription&) = delete;
  cusparseMatDescr_t get() const { return description_; }

 private:
  cusparseMatDescr_t description_ = nullptr;
};

}  // namespace speedwell::harness
