// Sampled transforms that are divided among GPUs, which ranks may share, against those of one GPU: uneven slabs, long
// and short axes, no samples on some ranks, many transforms in a call and several calls, by every transport.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/ranks/gpu_samples.hpp"
#include "tests/numerics/fft/divided_arrays.hpp"
#include "tests/numerics/fft/gpu_support.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::fft {
namespace {

using comm::Transport;
using test::ranks;

class GpuDistributedSamplesTest : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
};

std::vector<std::int64_t> some_positions(std::int64_t points, int count) {
  std::mt19937 random(5);
  std::vector<std::int64_t> all{0, points - 1, points - 1};
  while (static_cast<int>(all.size()) < count)
    all.push_back(std::uniform_int_distribution<std::int64_t>(0, points - 1)(random));
  return all;
}

template <class T>
std::vector<T> some_weights(std::int64_t count) {
  std::mt19937 random(13);
  std::uniform_real_distribution<T> weight(T(0.25), T(2));
  std::vector<T> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(weight(random));
  return all;
}

/// Whether this rank has the plane of each sample.
std::vector<bool> owned(const std::vector<std::int64_t>& positions, std::int64_t plane, const comm::Tile& tile) {
  std::vector<bool> all;
  for (const std::int64_t position : positions) {
    const std::int64_t z = position / plane;
    all.push_back(z >= tile.ranges[0].begin && z < tile.ranges[0].end);
  }
  return all;
}

template <class T>
void expect_samples(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& positions, int count,
                    const GpuSamplesOptions& options) {
  using Complex = std::complex<T>;
  SCOPED_TRACE(name(Shape{extents}) + ", " + std::to_string(count) + " transforms");
  const core::Stream stream;
  const std::vector<Complex> x = random_complex<T>(product(extents), 23);
  GpuSampledPlan<T> plan({extents}, positions);
  const std::vector<T> weights = some_weights<T>(count * plan.weights());
  const auto set = static_cast<std::size_t>(plan.samples());
  const auto on_device = upload(x, stream);
  const auto w = upload(weights, stream);
  core::DeviceBuffer<Complex> work(x.size()), all(set * static_cast<std::size_t>(count));

  GpuDistributedSamples<T> distributed(ranks(), {extents}, positions, options);
  ASSERT_EQ(distributed.weights(), plan.weights());
  ASSERT_EQ(distributed.samples(), plan.samples());
  const std::vector<bool> mine = owned(positions, extents[1] * extents[2], own(distributed.array_tiles()));
  const std::vector<Complex> part = own_part(x, distributed.spectrum_tiles());
  const auto spectrum = upload(part, stream);
  ASSERT_EQ(static_cast<std::int64_t>(part.size()), distributed.spectrum_points());
  auto samples = poisoned<Complex>(static_cast<std::int64_t>(all.size()), stream);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t)
      plan.transform(direction, on_device.span(), w.span().subspan(t * distributed.weights(), distributed.weights()),
                     work.span(), all.span().subspan(t * set, set), stream);
    Complex untouched;
    std::memset(static_cast<void*>(&untouched), 0x11, sizeof untouched);
    std::vector<Complex> expected = download(all, stream), first;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!mine[i % set]) expected[i] = untouched;
    // Again without the host in between, and after the work space was used.
    for (int again = 0; again < 3; ++again) {
      core::fill_bytes_async(samples, 0x11, stream);
      for (int twice = 0; twice < 2; ++twice) {
        const std::span<Complex> space = distributed.work();
        core::check(cudaMemsetAsync(space.data(), 0xff, space.size_bytes(), stream.get()));
        distributed.transform(direction, spectrum.span(), w.span(), samples.span(), stream);
      }
      distributed.check(stream);
      const std::vector<Complex> got = download(samples, stream);
      EXPECT_LE(difference(expected, got), max_difference<T>);
      std::size_t overwritten = 0;
      for (std::size_t i = 0; i < got.size(); ++i) overwritten += !mine[i % set] && got[i] != untouched;
      EXPECT_EQ(overwritten, 0u) << "samples of other ranks";
      if (again == 0) first = got;
      EXPECT_EQ(got, first) << "every time the same";
    }
  }
  EXPECT_EQ(download(spectrum, stream), part) << "the input is preserved";
  EXPECT_EQ(distributed.sent_bytes() > 0, ranks().size() > 1);
  EXPECT_GT(distributed.bytes(), 0);
  EXPECT_GE(distributed.exchange_seconds(), 0);
}

TEST_P(GpuDistributedSamplesTest, AreThoseOfOneGpu) {
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{4, 4, 4},
                                                   {16, 64, 32},
                                                   {64, 8, 1},
                                                   {128, 64, 64},
                                                   {1024, 4, 16},
                                                   {4096, 4, 2},
                                                   {4, 2048, 4},
                                                   {8, 4, 4096}}) {
    const GpuSamplesOptions options{.transport = GetParam()};
    const auto positions = some_positions(product(extents), 500);
    expect_samples<double>(extents, positions, 5, options);
    // NCCL takes half a second to begin.
    if (GetParam() != Transport::nccl) expect_samples<float>(extents, positions, 2, options);
  }
}

// One, two and many transforms in a call; all samples on the last rank; one thread block that stores.
TEST_P(GpuDistributedSamplesTest, DependOnNeitherTheNumberOfTransformsNorThatOfBlocks) {
  const std::vector<std::int64_t> extents = {64, 32, 64};
  for (const int count : {1, 2, 20}) {
    const GpuSamplesOptions options{.transport = GetParam(), .store_blocks = count == 20 ? 0 : count};
    expect_samples<double>(extents, some_positions(product(extents), 64), count, options);
    expect_samples<double>(extents, {product(extents) - 1, product(extents) - 5}, count, options);
  }
}

TEST_P(GpuDistributedSamplesTest, RefuseWhatTheyCannotDo) {
  using Plan = GpuDistributedSamples<double>;
  const std::vector<std::int64_t> position = {0};
  const std::int64_t n = ranks().size();
  const GpuSamplesOptions options{.transport = GetParam()};
  EXPECT_THROW(Plan(ranks(), {{8, 8}}, position, options), std::invalid_argument);
  EXPECT_THROW(Plan(ranks(), {{8, 12, 8}}, position, options), std::invalid_argument);
  EXPECT_THROW(Plan(ranks(), {{8, 8, 8}, 2}, position, options), std::invalid_argument);
  EXPECT_THROW(Plan(ranks(), {{8, 8, 8}}, std::vector<std::int64_t>{512}, options), std::invalid_argument);
  EXPECT_THROW(Plan(ranks(), {{8, 8, 8}}, position, {.transport = GetParam(), .store_blocks = -1}),
               std::invalid_argument);
  if (n > 1) {
    EXPECT_THROW(Plan(ranks(), {{1, 8, 8}}, position, options), std::invalid_argument);
    EXPECT_THROW(Plan(ranks(), {{8, 1, 8}}, position, options), std::invalid_argument);
  }
  const core::Stream stream;
  Plan plan(ranks(), {{8, 8, 8}}, position, options);
  core::DeviceBuffer<std::complex<double>> x(static_cast<std::size_t>(plan.spectrum_points())), samples(2);
  core::DeviceBuffer<double> w(48);
  const auto transform = [&](std::size_t of_x, std::size_t weights, std::size_t of_samples) {
    plan.transform(Direction::forward, x.span().first(of_x), w.span().first(weights), samples.span().first(of_samples),
                   stream);
  };
  EXPECT_THROW(transform(x.size() - 1, 48, 2), std::invalid_argument);
  EXPECT_THROW(transform(x.size(), 47, 2), std::invalid_argument);
  EXPECT_THROW(transform(x.size(), 48, 1), std::invalid_argument);
  EXPECT_NO_THROW(transform(x.size(), 0, 0));
  plan.check(stream);
}

INSTANTIATE_TEST_SUITE_P(Transports, GpuDistributedSamplesTest, testing::ValuesIn(comm::transports()),
                         [](const auto& test) {
                           const std::string name(to_string(test.param));
                           return name == "gpu-aware" ? "gpu_aware" : name;
                         });

}  // namespace
}  // namespace speedwell::fft
