// The peers on the GPU: cuBLAS's gemv. cuBLAS counts by columns, so that a matrix by rows is to it the transpose of
// one.
#include <optional>
#include <type_traits>

#include "speedwell/apps/matvec/adapter_case_cuda.hpp"
#include "speedwell/core/cublas.hpp"

namespace speedwell::matvec {
namespace {

using core::check;
using core::cublas;

template <class T>
class CublasRun final : public DeviceRun<T> {
 public:
  CublasRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, Layout layout)
      : DeviceRun<T>(std::move(inputs), layout), transposed_(layout == Layout::transposed) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    handle_.emplace(this->stream(), CUBLAS_POINTER_MODE_HOST);
  }

 protected:
  void enqueue() override {
    const Operands<T>& p = this->solver().operands();
    const T one = 1, zero = 0;
    // In cuBLAS's words: an m x n matrix by columns, and whether it is to be transposed.
    const cublasOperation_t operation = transposed_ ? CUBLAS_OP_N : CUBLAS_OP_T;
    const std::int64_t m = transposed_ ? p.rows : p.columns, n = transposed_ ? p.columns : p.rows;
    if constexpr (std::is_same_v<T, float>)
      check(cublas().sgemv(handle_->get(), operation, m, n, &one, p.a, p.leading, p.b, 1, &zero, p.c, 1));
    else
      check(cublas().dgemv(handle_->get(), operation, m, n, &one, p.a, p.leading, p.b, 1, &zero, p.c, 1));
  }

 private:
  bool transposed_;
  std::optional<core::CublasHandle> handle_;
};

}  // namespace

std::vector<harness::Binding> cublas_runs() {
  return {{"cublas", make_on_device<CublasRun>(Layout::dense), core::cublas_missing},
          {"cublas-column", make_on_device<CublasRun>(Layout::transposed), core::cublas_missing}};
}

}  // namespace speedwell::matvec
