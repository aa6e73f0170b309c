// Every row of the GPU table against the oracle, on the shapes at which indexing goes wrong, with guards around what it
// writes and NaN in what it must not read.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "tests/apps/matvec/support.hpp"
#include "tests/support/precisions.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::matvec {
namespace {

using test::same_bits;

constexpr std::int64_t guard = 64;  // elements on either side of an array
constexpr double guard_value = -77;

/// Operands in device memory made here, by the definition of the layouts and not by GpuSolver: every element that is
/// not A's, B's or C's is NaN or the guard.
template <class T>
class Laid {
 public:
  Laid(const Data<T>& d, Layout layout, std::int64_t leading, std::int64_t offset = 0)
      : c_host_(d.problem.rows + 2 * guard, static_cast<T>(guard_value)) {
    const std::int64_t rows = d.problem.rows, columns = d.problem.columns;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const bool transposed = layout == Layout::transposed;
    std::vector<T> a((transposed ? columns : rows) * leading + 2 * guard, nan), b(columns + 2 * guard, nan);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        a[guard + offset + (transposed ? j * leading + i : i * leading + j)] = d.a[i * columns + j];
    std::copy(d.b.begin(), d.b.end(), b.begin() + guard + offset);
    int multiprocessors = 0;
    core::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    a_ = core::DeviceBuffer<T>(a.size());
    b_ = core::DeviceBuffer<T>(b.size());
    c_ = core::DeviceBuffer<T>(c_host_.size());
    partial_ = core::DeviceBuffer<T>(partial_elements<T>(rows, columns, multiprocessors));
    core::copy_async(a_.data(), a.data(), a.size(), stream_);
    core::copy_async(b_.data(), b.data(), b.size(), stream_);
    stream_.synchronize();
    operands_ = {.a = a_.data() + guard + offset,
                 .leading = leading,
                 .b = b_.data() + guard + offset,
                 .c = c_.data() + guard,
                 .rows = rows,
                 .columns = columns,
                 .partial = partial_.data(),
                 .multiprocessors = multiprocessors};
  }

  const Operands<T>& operands() const { return operands_; }

  /// C after `function`; fails the test if a guard has changed.
  std::vector<T> run(Multiply<T>* function) {
    std::fill(c_host_.begin() + guard, c_host_.end() - guard, std::numeric_limits<T>::quiet_NaN());
    core::copy_async(c_.data(), c_host_.data(), c_host_.size(), stream_);
    function(operands_, stream_);
    std::vector<T> got(c_host_.size());
    core::copy_async(got.data(), c_.data(), got.size(), stream_);
    stream_.synchronize();
    for (std::int64_t k = 0; k < guard; ++k) {
      EXPECT_EQ(got[k], guard_value) << "before C";
      EXPECT_EQ(got[got.size() - 1 - k], guard_value) << "behind C";
    }
    return {got.begin() + guard, got.end() - guard};
  }

 private:
  core::Stream stream_;
  std::vector<T> c_host_;
  core::DeviceBuffer<T> a_, b_, c_, partial_;
  Operands<T> operands_;
};

template <class T>
bool holds_b(const Step& step, std::int64_t columns) {
  return step.staged.empty() || columns * static_cast<std::int64_t>(sizeof(T)) <= shared_bytes;
}

template <class T>
Laid<T> laid_for(const Data<T>& d, const Step& step) {
  return {d, step.layout, leading_dimension<T>(step.layout, d.problem.rows, d.problem.columns)};
}

std::string at(const Step& step, std::int64_t rows, std::int64_t columns) {
  return std::string(step.name) + ", " + std::to_string(rows) + " x " + std::to_string(columns);
}

template <class T>
class MatvecGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(MatvecGpu, test::Precisions);

// Rows that are cut into pieces are for the best variant alone: a thread for each takes its time over them.
constexpr std::int64_t ladders_longest = 100000;

TYPED_TEST(MatvecGpu, EveryRowAgreesWithTheOracleOnAwkwardShapes) {
  auto shapes = awkward_shapes;
  for (const auto& shape : {std::pair{70001, 5}, {20011, 40}, {5003, 130}, {3001, 1030}, {5, 300001}, {1, 1000003}})
    shapes.push_back(shape);
  for (const auto& [rows, columns] : shapes)
    for (const Values values : {Values::integers, Values::random}) {
      if (values == Values::integers && columns > exact_columns<TypeParam>()) continue;
      const Data<TypeParam> d({.rows = rows, .columns = columns, .values = values});
      const Expected expected = d.expected();
      for (const Step& step : steps) {
        if (columns > ladders_longest && step.name != "cuda") continue;
        Laid<TypeParam> laid = laid_for(d, step);
        Multiply<TypeParam>* const function = function_of<TypeParam>(step.name);
        if (!holds_b<TypeParam>(step, columns)) {
          EXPECT_THROW(laid.run(function), std::invalid_argument) << at(step, rows, columns);
          continue;
        }
        const core::Verdict verdict = verify<TypeParam>(d.problem, expected, laid.run(function));
        EXPECT_TRUE(verdict.passed) << at(step, rows, columns) << ": " << verdict.error;
      }
    }
}

// The best variant reads 16 bytes at a time where it can: A, B and the leading dimension at every distance from that.
TYPED_TEST(MatvecGpu, AnyAlignmentAndLeadingDimensionWillDo) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {300, 37}, {3001, 30}, {64, 4096}, {2500, 1029}, {5, 300001}}) {
    const Data<TypeParam> d({.rows = rows, .columns = columns});
    const Expected expected = d.expected();
    for (const int offset : {0, 1, 2, 3})
      for (const int beyond : {0, 1, 3, 4}) {
        Laid<TypeParam> laid(d, Layout::dense, columns + beyond, offset);
        const core::Verdict verdict = verify<TypeParam>(d.problem, expected, laid.run(multiply<TypeParam>));
        EXPECT_TRUE(verdict.passed) << rows << " x " << columns << ", offset " << offset << ", leading dimension "
                                    << columns + beyond << ", " << describe(laid.operands());
      }
  }
}

TYPED_TEST(MatvecGpu, ANaNSpoilsItsRowAloneAndAnInfinityStays) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  for (const auto& [rows, columns] : {std::pair{33, 37}, {40, 1030}, {9, 40001}})
    for (const std::int64_t j : {0, columns / 2, columns - 1}) {
      Data<TypeParam> d({.rows = rows, .columns = columns});
      for (auto& x : d.b) x = std::abs(x) + TypeParam{1};
      d.a[4 * columns + j] = std::numeric_limits<TypeParam>::quiet_NaN();
      d.a[6 * columns + j] = -infinity;
      for (const Step& step : steps) {
        if (!holds_b<TypeParam>(step, columns)) continue;
        const auto c = laid_for(d, step).run(function_of<TypeParam>(step.name));
        for (std::int64_t i = 0; i < rows; ++i) {
          EXPECT_EQ(std::isnan(c[i]), i == 4) << at(step, rows, columns) << ", row " << i;
          EXPECT_EQ(c[i] == -infinity, i == 6) << at(step, rows, columns) << ", row " << i;
        }
      }
    }
}

TYPED_TEST(MatvecGpu, EveryRowGivesTheSameBitsEachTime) {
  for (const auto& [rows, columns] : {std::pair{1000, 37}, {64, 4096}, {3001, 1030}, {5, 300001}}) {
    const Data<TypeParam> d({.rows = rows, .columns = columns});
    for (const Step& step : steps) {
      if (!holds_b<TypeParam>(step, columns) || (columns > ladders_longest && step.name != "cuda")) continue;
      Laid<TypeParam> laid = laid_for(d, step);
      const auto first = laid.run(function_of<TypeParam>(step.name));
      for (int repeat = 0; repeat < 3; ++repeat)
        EXPECT_TRUE(same_bits(first, laid.run(function_of<TypeParam>(step.name)))) << at(step, rows, columns);
    }
  }
}

TYPED_TEST(MatvecGpu, TheSolverLaysOutAnyMatrix) {
  const core::Stream stream;
  // The last two are more than a slab of the transposition: more rows, and longer ones.
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {1, 5000}, {5000, 1}, {33, 4097}, {1000, 37}, {17000, 1030}, {40, 530000}}) {
    const std::int64_t leading = columns + 3;
    Data<TypeParam> d({.rows = rows, .columns = columns});
    const Expected expected = d.expected();
    std::vector<TypeParam> spread(rows * leading, std::numeric_limits<TypeParam>::quiet_NaN());
    for (std::int64_t i = 0; i < rows; ++i)
      std::copy_n(d.a.begin() + i * columns, columns, spread.begin() + i * leading);
    for (const auto& matrix : {d.matrix(), Matrix<TypeParam>(spread.data(), rows, columns, leading)})
      for (const char* name : {"cuda", "cuda-row-register", "cuda-column-register"}) {
        const Step& step = *std::find_if(std::begin(steps), std::end(steps), [&](auto& s) { return s.name == name; });
        GpuSolver<TypeParam> solver(rows, columns, step.layout);
        solver.upload(matrix, d.vector(), stream);
        core::check(
            cudaMemsetAsync(solver.device_result().data(), 0xff, solver.device_result().size_bytes(), stream.get()));
        solver.run_variant(function_of<TypeParam>(name), stream);
        solver.download(d.c, stream);
        EXPECT_TRUE(verify<TypeParam>(d.problem, expected, d.c).passed) << at(step, rows, columns);
        EXPECT_EQ(solver.transpose_seconds() > 0, step.layout == Layout::transposed);
      }
  }
}

TYPED_TEST(MatvecGpu, AnotherBNeedsNoOtherUpload) {
  const core::Stream stream;
  Data<TypeParam> d({.rows = 100, .columns = 300});
  GpuSolver<TypeParam> solver(100, 300, Layout::dense);
  solver.upload(d.matrix(), d.vector(), stream);
  for (int k = 0; k < 3; ++k) {
    std::rotate(d.b.begin(), d.b.begin() + 1, d.b.end());
    solver.upload_vector(d.vector(), stream);
    solver.run(stream);
    solver.download(d.c, stream);
    EXPECT_TRUE(d.verify_result().passed);
  }
}

// These need no device.

TEST(MatvecGpuTable, EveryStepHasItsFunction) {
  for (const Step& step : steps) {
    EXPECT_NE(function_of<float>(step.name), nullptr);
    EXPECT_NE(function_of<double>(step.name), nullptr);
  }
  EXPECT_THROW(function_of<float>("cuda-nothing"), std::logic_error);
}

TEST(MatvecGpuTable, TheBestVariantChoosesByShape) {
  const auto chosen = [](std::int64_t rows, std::int64_t columns) {
    return describe(Operands<double>{.leading = columns, .rows = rows, .columns = columns, .multiprocessors = 132});
  };
  EXPECT_EQ(chosen(4096, 4096), "16-byte loads, 32 lanes for a row");
  EXPECT_EQ(chosen(32768, 16384), "16-byte loads, a block for a row");
  EXPECT_EQ(chosen(32768, 16382), "16-byte loads, 32 lanes for a row");
  EXPECT_EQ(chosen(4096, 4095), "8-byte loads, 32 lanes for a row");
  EXPECT_EQ(chosen(10'000'000, 64), "16-byte loads, 8 lanes for a row");
  EXPECT_EQ(chosen(10'000'000, 1), "8-byte loads, 1 lane for a row");
  EXPECT_EQ(chosen(64, 4096), "16-byte loads, a block for a row");
  EXPECT_EQ(chosen(1, 1), "8-byte loads, 1 lane for a row");
  EXPECT_EQ(chosen(64, 10'000'000).substr(0, 23), "16-byte loads, rows in ");
  EXPECT_EQ(partial_elements<double>(4096, 4096, 132), 0);
  EXPECT_GE(partial_elements<double>(64, 10'000'000, 132), 64 * 2);
  EXPECT_LE(partial_elements<double>(64, 10'000'000, 132) * 8, 1 << 20);
}

TEST(MatvecGpuTable, BlocksOfTheLadderGiveEveryMultiprocessorWork) {
  EXPECT_EQ(ladder_block(1, 132), 32);
  EXPECT_EQ(ladder_block(4096, 132), 32);
  EXPECT_EQ(ladder_block(64 * 264, 132), 64);
  EXPECT_EQ(ladder_block(10'000'000, 132), 256);
}

TEST(MatvecGpuTable, BlocksHaveAsManyThreadsAsIsAskedFor) {
  EXPECT_EQ(block_of(Operands<float>{.rows = 4096, .multiprocessors = 132}), 32);
  EXPECT_EQ(block_of(Operands<float>{.rows = 4096, .multiprocessors = 132, .block_threads = 33}), 33);
  EXPECT_EQ(block_of(Operands<float>{.rows = 1, .multiprocessors = 132, .block_threads = 1024}), 1024);
  EXPECT_EQ(capped_block_of(Operands<float>{.rows = 1, .multiprocessors = 132, .block_threads = 1024}), capped_threads);
  EXPECT_EQ(capped_block_of(Operands<float>{.rows = 1, .multiprocessors = 132, .block_threads = 1}), 1);
}

TEST(MatvecGpu, EveryStepIsRightInBlocksOfAnySize) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Problem problem{.rows = 1003, .columns = 517, .values = Values::integers};
  std::vector<float> a(problem.rows * problem.columns), b(problem.columns), c(problem.rows);
  fill<float>(problem, a, b);
  const Expected expected = expect<float>(problem, a, b);
  for (const Step& step : steps)
    for (const int threads : {1, 8, 33, 100, 256, 511, 1024}) {
      GpuSolver<float> solver(problem.rows, problem.columns, step.layout);
      solver.set_block_threads(threads);
      solver.upload({a.data(), problem.rows, problem.columns, problem.columns}, b, stream);
      solver.run_variant(function_of<float>(step.name), stream);
      solver.download(c, stream);
      EXPECT_TRUE(verify<float>(problem, expected, c).passed) << step.name << ", blocks of " << threads;
    }
  GpuSolver<float> solver(1, 1);
  EXPECT_THROW(solver.set_block_threads(1025), std::invalid_argument);
  EXPECT_THROW(solver.set_block_threads(-1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::matvec
