#include "speedwell/harness/tables/progress_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace speedwell::harness {
namespace {

TEST(ProgressLine, HasCountNameElapsedAndLeft) {
  EXPECT_EQ(progress_line("23/31", "fft n=128: openmp", 62, 40.0, false, 100),
            "[23/31] fft n=128: openmp, 0:01:02 so far, 0:00:40 left");
  EXPECT_EQ(progress_line("1/2", "fft: fftw", 4, 120.0, true, 100),
            "[1/2] fft: fftw, 0:00:04 so far, at most 0:02:00 left");
  EXPECT_EQ(progress_line("1/1", "fft: fftw", 4, {}, false, 100), "[1/1] fft: fftw, 0:00:04 so far");
}

TEST(ProgressLine, CutsTheMiddleToTheTerminal) {
  const std::string line = progress_line("23/31", std::string(200, 'x'), 62, 40.0, false, 60);
  EXPECT_EQ(line.size(), 60u);
  EXPECT_NE(line.find("xxx..., 0:01:02 so far, 0:00:40 left"), std::string::npos) << line;
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefgh", 7), "abcd...");
  EXPECT_EQ(shortened("abcdefgh", 0), "a...");
  EXPECT_EQ(shortened("stream kernel=triad n=1000: serial", 20), "stream ke...: serial") << "the variant stays";
  EXPECT_EQ(shortened("stream kernel=triad n=1000: serial", 11), "stream k...") << "there is no room for it";
}

TEST(ProgressLine, WhatIsLeftIsInProportion) {
  EXPECT_FALSE(time_left(0, 10, 5));
  EXPECT_DOUBLE_EQ(*time_left(2, 10, 5), 20);
  EXPECT_DOUBLE_EQ(*time_left(12, 10, 5), 0) << "more than was foreseen";
}

}  // namespace
}  // namespace speedwell::harness
