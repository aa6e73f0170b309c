#include "speedwell/core/parts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace speedwell::core {
namespace {

TEST(Parts, CoverEveryItemOnceAndBeginOnPages) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{100003}})
    for (const int threads : {1, 2, 3, 8}) {
      std::vector<int> visits(n);
      parallel_for(n, sizeof(double), threads, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin * sizeof(double) % 4096, 0u);
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const int count : visits) ASSERT_EQ(count, 1);
    }
}

TEST(Parts, ShortWorkStaysOnOneThread) {
  int calls = 0;
  parallel_for(1000, 8, 8, [&](std::size_t begin, std::size_t end) {
    ++calls;
    EXPECT_EQ(begin, 0u);
    EXPECT_EQ(end, 1000u);
  });
  EXPECT_EQ(calls, 1);
}

TEST(Parts, ANegativeNumberOfThreadsIsRefused) {
  EXPECT_THROW(parallel_for(1, 8, -1, [](std::size_t, std::size_t) {}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::core
