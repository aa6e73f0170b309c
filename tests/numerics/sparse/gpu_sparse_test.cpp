// Sparse products of irregular matrices on a GPU, in every format.
#include "speedwell/numerics/sparse/gpu_sparse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/spmv/verify.hpp"
#include "tests/numerics/sparse/irregular.hpp"

namespace speedwell::sparse {

using spmv::verify_sparse;

namespace {

template <class T>
void sparse_products_hold() {
  for (const auto& [rows, columns] :
       {std::pair{700, 500}, std::pair{3000, 9000}, std::pair{1, 1}, std::pair{33, 5000}}) {
    const Csr<T> matrix = irregular_matrix<T>(rows, columns);
    const std::vector<T> x = wavy<T>(columns);
    const core::Stream stream;
    core::DeviceBuffer<T> on_device_x(x.size()), on_device_y(static_cast<std::size_t>(rows));
    core::copy_async(on_device_x.data(), x.data(), x.size(), stream);
    const DeviceCsr<T> csr(matrix, stream);
    const DeviceEll<T> ell(sliced(matrix), stream);
    const DeviceDia<T> dia(diagonals(matrix, 1e6), stream);
    for (int method = 0; method < 9; ++method) {
      core::fill_bytes_async(on_device_y, 0xff, stream);
      if (method < 3)
        gpu_multiply(csr, static_cast<CsrMethod>(method), on_device_x.data(), on_device_y.data(), stream);
      else if (method == 3)
        gpu_multiply(ell, on_device_x.data(), on_device_y.data(), stream);
      else if (method == 4)
        gpu_multiply(dia, on_device_x.data(), on_device_y.data(), stream);
      else  // blocks of side 2 to 5
        gpu_multiply(DeviceBsr<T>(blocked(matrix, method - 3), stream), on_device_x.data(), on_device_y.data(), stream);
      std::vector<T> y(static_cast<std::size_t>(rows));
      core::copy_async(y.data(), on_device_y.data(), y.size(), stream);
      stream.synchronize();
      const core::Verdict verdict = verify_sparse<T>(matrix, x, false, y);
      EXPECT_TRUE(verdict.passed) << "method " << method << " " << rows << "x" << columns << ": " << verdict.error;
    }
  }
}

TEST(SparseProductOnGpu, RowsOfAnyLengthAreSummed) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  sparse_products_hold<double>();
  sparse_products_hold<float>();
}

}  // namespace
}  // namespace speedwell::sparse
