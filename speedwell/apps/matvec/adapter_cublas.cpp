// The peers of matvec on a GPU: gemv of cuBLAS. It stores matrices by columns, so that a row-major matrix is the
// transpose of one.
#include <optional>
#include <type_traits>

#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/matvec/adapter_device_solver.hpp"
#include "speedwell/core/cuda/cublas.hpp"

namespace speedwell::matvec {
namespace {

using core::check;
using core::cublas;

template <class T>
class CublasSolver : public DeviceSolver<T> {
 public:
  CublasSolver(const Inputs<T>& inputs, const harness::Context&, Layout layout)
      : DeviceSolver<T>(inputs, layout), transposed_(layout == Layout::transposed) {}

  void allocate(const core::Stream& stream) {
    DeviceSolver<T>::allocate();
    handle_.emplace(stream, CUBLAS_POINTER_MODE_HOST);
  }
  void execute(const core::Stream&) {
    const Operands<T>& p = this->operands();
    const T one = 1, zero = 0;
    // As cuBLAS defines it: an m x n matrix by columns, and whether it is to be transposed.
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

harness::Binding cublas_run(const char* name, Layout layout) {
  return {name, harness::device_solver<Inputs, CublasSolver>(layout), core::cublas_missing};
}

}  // namespace

std::vector<harness::Binding> cublas_runs() {
  return {cublas_run("cublas", Layout::dense), cublas_run("cublas-column", Layout::transposed)};
}

}  // namespace speedwell::matvec
