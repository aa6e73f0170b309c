// The alternative tunings are right, and, when asked for with --gtest_also_run_disabled_tests, timed: 64 products in a
// row between two events, the middle one of nine such times, alternatives in turn.
#include "tests/apps/matvec/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "tests/apps/matvec/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::matvec {
namespace {

SPEEDWELL_EACH_PRECISION(MatvecTuning);

TYPED_TEST(MatvecTuning, EveryAlternativeAgreesWithTheOracle) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const auto& [rows, columns] : {std::pair{1, 512}, std::pair{515, 4096}, std::pair{2049, 1028}}) {
    Data<TypeParam> d({.rows = rows, .columns = columns});
    const Expected expected = d.expected();
    GpuSolver<TypeParam> solver(rows, columns, Layout::dense);
    solver.upload(d.matrix(), d.vector(), stream);
    for (const Alternative<TypeParam>& alternative : alternatives<TypeParam>()) {
      core::check(
          cudaMemsetAsync(solver.device_result().data(), 0xff, solver.device_result().size_bytes(), stream.get()));
      solver.run_variant(alternative.function, stream);
      solver.download(d.c, stream);
      EXPECT_TRUE(verify<TypeParam>(d.problem, expected, d.c).passed)
          << alternative.name << ", " << rows << " x " << columns;
    }
  }
}

// A on the device is left as the byte pattern 0x3c: ordinary numbers, and 4 GiB need not cross the link.
template <class T>
void print_times(std::int64_t rows, std::int64_t columns, const core::Stream& stream) {
  GpuSolver<T> solver(rows, columns, Layout::dense);
  const Operands<T>& p = solver.operands();
  core::check(cudaMemsetAsync(const_cast<T*>(p.a), 0x3c, rows * columns * sizeof(T), stream.get()));
  core::check(cudaMemsetAsync(solver.device_vector().data(), 0x3c, columns * sizeof(T), stream.get()));
  std::vector<Alternative<T>> all(alternatives<T>().begin(), alternatives<T>().end());
  all.push_back({"the library's choice", multiply<T>});
  constexpr int samples = 9;
  const double bytes = static_cast<double>(rows * columns + rows + columns) * sizeof(T);
  const int products = bytes > 1e9 ? 4 : 64;
  std::vector<std::vector<double>> seconds(all.size());
  core::Event begin, end;
  for (int sample = -1; sample < samples; ++sample)
    for (std::size_t k = 0; k < all.size(); ++k) {
      begin.record(stream);
      for (int product = 0; product < products; ++product) solver.run_variant(all[k].function, stream);
      end.record(stream);
      end.synchronize();
      if (sample >= 0) seconds[k].push_back(end.seconds_since(begin) / products);
    }
  std::printf("%s, %lld x %lld\n", sizeof(T) == 4 ? "f32" : "f64", static_cast<long long>(rows),
              static_cast<long long>(columns));
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::sort(seconds[k].begin(), seconds[k].end());
    const double median = seconds[k][samples / 2];
    std::printf("  %-52s %9.2f us  %7.1f GB/s\n", std::string(all[k].name).c_str(), median * 1e6,
                bytes / median * 1e-9);
  }
}

TEST(DISABLED_MatvecTuningTimes, EveryAlternative) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  print_times<float>(1024, 4096, stream);
  print_times<float>(4096, 4096, stream);
  print_times<double>(1024, 4096, stream);
  print_times<double>(4096, 4096, stream);
  print_times<double>(32768, 16384, stream);
}

}  // namespace
}  // namespace speedwell::matvec
