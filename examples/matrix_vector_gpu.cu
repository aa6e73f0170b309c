// Products of a matrix of small integers with two vectors on a GPU; all sums are exact, so that they are those of the
// host.
#include <cstdio>
#include <vector>

#include "speedwell/apps/matvec/gpu_solver.hpp"

int main() {
  namespace matvec = speedwell::matvec;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const std::int64_t rows = 300, columns = 500;
  std::vector<double> a(rows * columns), b(columns), c(rows), expected(rows);
  for (std::int64_t n = 0; n < rows * columns; ++n) a[n] = static_cast<double>(n * n % 17 - 8);
  for (std::int64_t j = 0; j < columns; ++j) b[j] = static_cast<double>(j % 11 - 5);
  const matvec::Matrix<double> matrix(a.data(), rows, columns, columns);
  const speedwell::core::Stream stream;
  matvec::GpuSolver<double> solver(rows, columns);
  solver.upload(matrix, b, stream);
  bool same = true;
  for (int product = 0; product < 2; ++product) {
    solver.run(stream);
    solver.download(c, stream);
    matvec::multiply(matrix, b, expected, 1);
    same = same && c == expected;
    for (double& x : b) x = 2 * x + 1;
    solver.upload_vector(b, stream);  // the matrix stays on the device
  }
  std::printf("%g %g %g ... are %s\n", c[0], c[1], c[2], same ? "those of the host" : "wrong");
  return same ? 0 : 1;
}
