// The samples of a part of an array, row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "speedwell/numerics/fft/gpu/samples.hpp"

namespace speedwell::fft::gpu {
namespace {

TEST(SamplesByRow, AreThoseOfThePartInTheirRows) {
  // Rows of four: 8 to 11 and 12 to 15 are in the part that begins at 8 and has three rows.
  const std::vector<std::int64_t> positions = {13, 2, 8, 20, 13, 11, 7};
  const SampleList list = samples_by_row(positions, 8, 12, 4);
  EXPECT_EQ(list.first, (std::vector<std::int32_t>{0, 2, 4, 4}));
  EXPECT_EQ(list.wanted, (std::vector<Sample>{{0, 2}, {3, 5}, {1, 0}, {1, 4}}));
}

// Every sample is in exactly one of the parts of an array, at its own position.
TEST(SamplesByRow, OfAllPartsAreAllSamples) {
  constexpr std::int64_t n = 8, rows = 40;
  std::mt19937 random(3);
  std::vector<std::int64_t> positions;
  for (int s = 0; s < 500; ++s)
    positions.push_back(std::uniform_int_distribution<std::int64_t>(0, n * rows - 1)(random));
  std::vector<int> found(positions.size(), 0);
  const std::int64_t bounds[] = {0, 13, 13, 27, 40};
  for (int part = 0; part < 4; ++part) {
    const std::int64_t begin = bounds[part], count = bounds[part + 1] - begin;
    const SampleList list = samples_by_row(positions, begin * n, count * n, n);
    ASSERT_EQ(static_cast<std::int64_t>(list.first.size()), count + 1);
    EXPECT_EQ(list.first.back(), static_cast<std::int32_t>(list.wanted.size()));
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int32_t i = list.first[static_cast<std::size_t>(row)];
           i < list.first[static_cast<std::size_t>(row + 1)]; ++i) {
        const auto [element, number] = list.wanted[static_cast<std::size_t>(i)];
        EXPECT_EQ(positions[static_cast<std::size_t>(number)], (begin + row) * n + element);
        ++found[static_cast<std::size_t>(number)];
      }
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), static_cast<std::ptrdiff_t>(positions.size()));
}

TEST(SamplesByRow, PositionsMustBeInTheArray) {
  const std::vector<std::int64_t> good = {0, 511}, negative = {-1}, beyond = {512};
  EXPECT_NO_THROW(require_positions(good, 512));
  EXPECT_THROW(require_positions(negative, 512), std::invalid_argument);
  EXPECT_THROW(require_positions(beyond, 512), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::fft::gpu
