// Sums over the ranks of values in device memory: those of sum_in_order(), to the last bit, also in long sequences
// without waits between them.
#include "speedwell/comm/gpu/device_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/comm/sums.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

class DeviceSumsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = transport_missing(ranks(), Transport::peer)) GTEST_SKIP() << *reason;
  }
};

double term(int rank, int sum, int value) {
  return std::sin(rank + 0.1 * sum + 10.0 * value) * std::pow(10.0, rank % 5);
}

TEST_F(DeviceSumsTest, AreThoseInTheOrderOfTheRanks) {
  const core::Stream stream;
  const DeviceSums sums(ranks());
  for (int count = 1; count <= 4; ++count) {
    constexpr int all_sums = 50;
    std::vector<double> mine(static_cast<std::size_t>(count * all_sums));
    for (int s = 0; s < all_sums; ++s)
      for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(s * count + i)] = term(ranks().rank(), s, i);
    core::DeviceBuffer<double> device(mine.size());
    core::copy_async(device.data(), mine.data(), mine.size(), stream);
    for (int s = 0; s < all_sums; ++s) sums.sum(device.data() + s * count, count, stream);
    std::vector<double> got(mine.size());
    core::copy_async(got.data(), static_cast<const double*>(device.data()), got.size(), stream);
    sums.check(stream);
    sum_in_order(ranks(), mine);
    EXPECT_EQ(got, mine);
  }
  EXPECT_THROW(sums.sum(nullptr, 5, stream), std::invalid_argument);
}

TEST_F(DeviceSumsTest, CarryWhatIsNotFinite) {
  const core::Stream stream;
  const DeviceSums sums(ranks());
  double values[] = {ranks().rank() == ranks().size() - 1 ? HUGE_VAL : 1.0, ranks().rank() == 0 ? std::nan("") : 1.0};
  core::DeviceBuffer<double> device(2);
  core::copy_async(device.data(), static_cast<const double*>(values), 2, stream);
  sums.sum(device.data(), 2, stream);
  core::copy_async(static_cast<double*>(values), static_cast<const double*>(device.data()), 2, stream);
  sums.check(stream);
  EXPECT_EQ(values[0], HUGE_VAL);
  EXPECT_TRUE(std::isnan(values[1]));
}

}  // namespace
}  // namespace speedwell::comm
