// A vector in large pages.
#include "speedwell/core/large_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace speedwell::core {
namespace {

TEST(LargeVector, BehavesAsAVector) {
  LargeVector<double> a(3'000'000);
  for (const double x : a) ASSERT_EQ(x, 0);
  a.back() = 7;
  const LargeVector<double> b = a;
  EXPECT_EQ(a, b);
  LargeVector<double> c(2, 1);
  c = std::move(a);
  EXPECT_EQ(c, b);
  c.push_back(8);
  EXPECT_EQ(c[2'999'999], 7);
  EXPECT_EQ(c.back(), 8);
}

TEST(LargeVector, IsAlignedToAPage) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{3'000'000}}) {
    const LargeVector<double> a(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % HostBuffer<double>::alignment, 0U) << count;
  }
  const LargeVector<double> large(3'000'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % (std::size_t{2} << 20), 0U);
}

TEST(LargeVector, RefusesSizesThatNoMemoryHas) {
  LargePageAllocator<double> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max() / 2)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double))),
               std::bad_alloc);
}

}  // namespace
}  // namespace speedwell::core
