#include "speedwell/apps/stream/stream.hpp"

#include <cmath>
#include <stdexcept>

#include "speedwell/apps/stream/verify.hpp"
#include "tests/apps/stream/rows.hpp"

namespace speedwell::stream {
namespace {

const std::string host_rows[] = {"serial", "openmp-plain", "openmp"};

class StreamRows : public ::testing::TestWithParam<Row> {};
TEST_P(StreamRows, AgreeWithTheInputsDefinition) {
  expect_right(application(), GetParam(), {1, 2, 3, 7, 31, 32769, 1000003});
}
TEST_P(StreamRows, HaveTheirFaultsRejected) {
  expect_faults_rejected(application(), GetParam(), "f64", 300007);
  expect_faults_rejected(application(), GetParam(), "f32", 31);
}
INSTANTIATE_TEST_SUITE_P(Host, StreamRows,
                         ::testing::Combine(::testing::ValuesIn(host_rows), ::testing::ValuesIn(all_kernels)), name_of);

// A dot product that misses one element must be noticed at every length that fits a machine: the tolerance stays below
// the smallest product, 1/4, since |x y| <= 9/4.
TEST(StreamVerify, ToleranceOfADotProductIsBelowItsSmallestTerm) {
  for (double n = 1; n <= 0x1p33; n *= 2)
    EXPECT_LT(additions(static_cast<std::int64_t>(n)) * 0x1p-53 * 2.25 * n, 0.25) << n;
}
TEST(StreamVerify, ADotProductThatMissesOneTermIsRejected) {
  for (const std::int64_t n : {1, 2, 1000, 1000003}) {
    const Problem problem{.kernel = Kernel::dot, .n = n, .seed = 5};
    const Inputs<double> inputs = make_inputs<double>(problem);
    long double all = 0;  // 64 bits of mantissa where the platform has them
    for (std::int64_t i = 0; i < n; ++i)
      all += static_cast<long double>(inputs.x[static_cast<std::size_t>(i)]) * inputs.y[static_cast<std::size_t>(i)];
    const auto last = static_cast<std::size_t>(n - 1);
    EXPECT_TRUE(verify<double>(problem, {.sum = static_cast<double>(all)}).passed);
    EXPECT_FALSE(verify<double>(problem, {.sum = static_cast<double>(all - inputs.x[last] * inputs.y[last])}).passed);
  }
}
TEST(StreamVerify, AnAnswerOfTheWrongLengthIsRejected) {
  const Problem problem{.kernel = Kernel::copy, .n = 10};
  const Inputs<double> inputs = make_inputs<double>(problem);
  EXPECT_TRUE(verify<double>(problem, {.out = inputs.x.span()}).passed);
  EXPECT_FALSE(verify<double>(problem, {.out = inputs.x.span().first(9)}).passed);
  EXPECT_FALSE(verify<double>(problem, {}).passed);
}

// McCalpin's validation, stream.c 5.10: each repetition multiplies a by 15, and a starts from 2.
TEST(StreamSequence, EndsInThePublishedNumbers) {
  std::vector<double> a(1001, sequence_a), b(1001), c(1001);
  for (int repetition = 0; repetition < sequence_repeats; ++repetition) sequence<double>(a, b, c);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i], 1153300781250.0);
    ASSERT_EQ(b[i], 230660156250.0);
    ASSERT_EQ(c[i], 307546875000.0);
  }
  const Problem problem{.kernel = Kernel::sequence, .n = 1001};
  EXPECT_EQ(verify<double>(problem, {.a = a, .b = b, .c = c}).error, 0);
  a[1000] *= 1 + 2e-13;  // a tenth of a percent of STREAM's average would hide it
  EXPECT_FALSE(verify<double>(problem, {.a = a, .b = b, .c = c}).passed);
}

TEST(StreamDot, HasTheSameBitsForAnyNumberOfThreads) {
  const Problem problem{.kernel = Kernel::dot, .n = 1000003};
  const Inputs<double> inputs = make_inputs<double>(problem);
  const auto with = [&](int threads) { return dot<double>(inputs.x.span(), inputs.y.span(), {.threads = threads}); };
  for (const int threads : {2, 3, 8}) EXPECT_EQ(with(threads), with(1));
}
TEST(StreamDot, EmptyVectorsGiveZero) {
  EXPECT_EQ(dot<double>({}, {}), 0);
  EXPECT_EQ(serial::dot<float>({}, {}), 0);
}

TEST(Stream, MisuseIsRefused) {
  std::vector<double> x(10), y(9), z(10);
  EXPECT_THROW(copy<double>(x, y), std::invalid_argument);
  EXPECT_THROW(triad<double>(3.0, x, y, z), std::invalid_argument);
  EXPECT_THROW(dot<double>(x, y), std::invalid_argument);
  EXPECT_THROW(serial::add<double>(x, y, z), std::invalid_argument);
  EXPECT_THROW(copy<double>(x, z, {.threads = -1}), std::invalid_argument);
  const std::span<double> all = x;
  EXPECT_THROW(copy<double>(all.first(9), all.last(9)), std::invalid_argument);
  EXPECT_NO_THROW(scale<double>(2.0, all, all));
  EXPECT_NO_THROW(copy<double>({}, {}));
}
TEST(Stream, ASequenceIsNotRepeated) {
  const harness::Application a = application();
  EXPECT_THROW(a.prepare(problem_with(a, {{"kernel", std::string("sequence")}, {"repeats", std::int64_t{2}}})),
               std::invalid_argument);
}

// STREAM's table: bytes per element 2w, 2w, 3w, 3w; a repetition of all four moves 10 w.
TEST(StreamWork, CountsAsStreamDoes) {
  const harness::Application a = application();
  const auto bytes = [&](const char* kernel, const char* precision) {
    const harness::Work w = a.work(problem_with(
        a, {{"kernel", std::string(kernel)}, {"precision", std::string(precision)}, {"n", std::int64_t{100}}}));
    return w.bytes_read + w.bytes_written;
  };
  EXPECT_EQ(bytes("copy", "f64"), 1600);
  EXPECT_EQ(bytes("scale", "f32"), 800);
  EXPECT_EQ(bytes("add", "f64"), 2400);
  EXPECT_EQ(bytes("triad", "f64"), 2400);
  EXPECT_EQ(bytes("dot", "f64"), 1600);
  EXPECT_EQ(bytes("sequence", "f64"), 80000);
}

}  // namespace
}  // namespace speedwell::stream
