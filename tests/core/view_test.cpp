#include "speedwell/core/view.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::core {
namespace {

TEST(View, TheLastIndexIsContiguous) {
  std::vector<int> data(2 * 3 * 5);
  std::iota(data.begin(), data.end(), 0);
  const View<const int, 3> v(data.data(), {2, 3, 5});
  EXPECT_EQ(v(0, 0, 1), 1);
  EXPECT_EQ(v(0, 1, 0), 5);
  EXPECT_EQ(v(1, 0, 0), 15);
  EXPECT_EQ(v(1, 2, 4), 29);
  EXPECT_EQ(v.size(), 30);
}

TEST(View, OffsetsBeyondThirtyTwoBits) {
  const View<char, 2> v(nullptr, {1 << 20, 1 << 20});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&v((1 << 20) - 1, 0)), ((1ull << 20) - 1) << 20);
}

TEST(HostBuffer, IsAlignedAndMoves) {
  HostBuffer<double> a(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % HostBuffer<double>::alignment, 0u);
  a[999] = 7;
  HostBuffer<double> b = std::move(a);
  EXPECT_EQ(b[999], 7);
  EXPECT_EQ(b.size(), 1000u);
  EXPECT_EQ(a.size(), 0u);
}

// Large pages are at most a wish; the memory must be there, whole, aligned to them and writable.
TEST(HostBuffer, LargePagesAreAlignedFromTwoOfThemOn) {
  constexpr std::size_t page = std::size_t{2} << 20;
  HostBuffer<unsigned char> large(3 * page + 1, Pages::large), small(page, Pages::large);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % page, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % HostBuffer<unsigned char>::alignment, 0u);
  large[0] = 1;
  large[large.size() - 1] = 2;
  EXPECT_EQ(large[0] + large[large.size() - 1], 3);
  EXPECT_THROW(HostBuffer<double>(std::size_t{1} << 59, Pages::large), std::bad_alloc);
}

TEST(HostBuffer, ASizeWhoseBytesOverflowIsRefused) {
  EXPECT_THROW(HostBuffer<double>(static_cast<std::size_t>(-1) / 4), std::bad_alloc);
}

}  // namespace
}  // namespace speedwell::core
