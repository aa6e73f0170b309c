#include "speedwell/core/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace speedwell::core {
namespace {

TEST(Units, CountsOfEveryForm) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("1000"), 1000);
  EXPECT_EQ(parse_count("1e8"), 100000000);
  EXPECT_EQ(parse_count("2^28"), 268435456);
  EXPECT_EQ(parse_count("64Mi"), 67108864);
  EXPECT_EQ(parse_count("64M"), 64000000);
  EXPECT_EQ(parse_count("1.5k"), 1500);
  EXPECT_EQ(parse_count("9007199254740993"), 9007199254740993);  // 2^53 + 1: a double would round it
  EXPECT_EQ(parse_count("9223372036854775807"), 9223372036854775807);
}

TEST(Units, AnythingElseIsNotACount) {
  for (const char* text : {"", " ", "-1", "+1", "1.5", "0x10", "1e", "1e400", "inf", "nan", "64MB", "64 M", "2^", "3^4",
                           "2^63", "2^1.5", "9223372036854775808", "1,000", "1e8x"})
    EXPECT_THROW(parse_count(text), std::invalid_argument) << text;
}

TEST(Units, TimesNeedAUnit) {
  EXPECT_DOUBLE_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(parse_seconds("10s"), 10);
  EXPECT_DOUBLE_EQ(parse_seconds("5m"), 300);
  EXPECT_DOUBLE_EQ(parse_seconds("2h"), 7200);
  EXPECT_DOUBLE_EQ(parse_seconds("0.5s"), 0.5);
  for (const char* text : {"", "5", "5 s", "-1s", "s", "1d", "1e400s", "nans"})
    EXPECT_THROW(parse_seconds(text), std::invalid_argument) << text;
}

TEST(Units, RealNumbersInTheCLocale) {
  EXPECT_DOUBLE_EQ(parse_real("-2.5"), -2.5);
  EXPECT_DOUBLE_EQ(parse_real("1e-3"), 1e-3);
  for (const char* text : {"", "-", "--1", "1,5", "nan", "inf", "1x"})
    EXPECT_THROW(parse_real(text), std::invalid_argument) << text;
}

TEST(Units, NounsAgreeWithTheirNumbers) {
  EXPECT_EQ(counted(0, "core"), "0 cores");
  EXPECT_EQ(counted(1, "core"), "1 core");
  EXPECT_EQ(counted(std::size_t{2}, "core"), "2 cores");
  EXPECT_EQ(counted(-1, "core"), "-1 cores");
  EXPECT_EQ(counted(1, "query", "queries"), "1 query");
  EXPECT_EQ(counted(std::numeric_limits<std::int64_t>::max(), "query", "queries"), "9223372036854775807 queries");
  EXPECT_EQ(there_are(1, "GPU"), "there is 1 GPU");
  EXPECT_EQ(there_are(0, "GPU"), "there are 0 GPUs");
  EXPECT_EQ(there_are(3, "pass", "passes"), "there are 3 passes");
}

TEST(Units, QuantitiesReadWell) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(999 * 1024), "999 KiB");
  EXPECT_EQ(format_bytes(1023 * 1024), "0.999 MiB");
  EXPECT_EQ(format_bytes(1.25 * 1024 * 1024 * 1024), "1.25 GiB");
  EXPECT_EQ(format_seconds(12.3e-6), "12.3 us");
  EXPECT_EQ(format_seconds(0.9999999), "1 s");
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_clock(20231), "5:37:11");
  EXPECT_EQ(format_clock(0), "0:00:00");
  EXPECT_EQ(format_clock(59.6), "0:01:00");
  EXPECT_EQ(format_clock(360000), "100:00:00");
  EXPECT_EQ(format_clock(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(format_clock(std::nan("")), "?");
  EXPECT_EQ(format_number(4310.4), "4310");
  EXPECT_EQ(format_number(0.0523), "0.0523");
}

}  // namespace
}  // namespace speedwell::core
