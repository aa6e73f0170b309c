// The peers on the GPU: cuBLAS's gemv. cuBLAS counts by columns, so that a matrix by rows is to it the transpose of
// one.
#include <cublas_v2.h>

#include <optional>
#include <type_traits>

#include "speedwell/apps/matvec/adapter_case_cuda.hpp"

namespace speedwell::matvec {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw core::DeviceError(std::string("cublas: ") + cublasGetStatusString(status));
}

class Handle {
 public:
  explicit Handle(const core::Stream& stream) {
    check(cublasCreate(&handle_));
    const cublasStatus_t status = cublasSetStream(handle_, stream.get());
    if (status != CUBLAS_STATUS_SUCCESS) cublasDestroy(handle_);
    check(status);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cublasDestroy(handle_); }
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

template <class T>
class CublasRun final : public DeviceRun<T> {
 public:
  CublasRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, Layout layout)
      : DeviceRun<T>(std::move(inputs), layout), transposed_(layout == Layout::transposed) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    handle_.emplace(this->stream());
  }

 protected:
  void enqueue() override {
    const Operands<T>& p = this->solver().operands();
    const T one = 1, zero = 0;
    // In cuBLAS's words: an m x n matrix by columns, and whether it is to be transposed.
    const cublasOperation_t operation = transposed_ ? CUBLAS_OP_N : CUBLAS_OP_T;
    const std::int64_t m = transposed_ ? p.rows : p.columns, n = transposed_ ? p.columns : p.rows;
    if constexpr (std::is_same_v<T, float>)
      check(cublasSgemv_64(handle_->get(), operation, m, n, &one, p.a, p.leading, p.b, 1, &zero, p.c, 1));
    else
      check(cublasDgemv_64(handle_->get(), operation, m, n, &one, p.a, p.leading, p.b, 1, &zero, p.c, 1));
  }

 private:
  bool transposed_;
  std::optional<Handle> handle_;
};

}  // namespace

std::vector<harness::Binding> cublas_runs() {
  return {{"cublas", make_on_device<CublasRun>(Layout::dense)},
          {"cublas-column", make_on_device<CublasRun>(Layout::transposed)}};
}

}  // namespace speedwell::matvec
