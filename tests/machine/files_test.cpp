#include "speedwell/machine/files.hpp"

#include <gtest/gtest.h>

#include "tree.hpp"

namespace speedwell::machine {
namespace {

TEST(Files, CpuListsAreExpandedAndOrdered) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5\n"), (std::vector<int>{5}));
  EXPECT_EQ(parse_cpu_list("8-9,1,9"), (std::vector<int>{1, 8, 9}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
}

TEST(Files, AnythingElseIsNoCpuList) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1 2", "0-99999999999", "1-2-3"})
    EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(Files, CacheSizesHaveBinarySuffixes) {
  EXPECT_EQ(parse_cache_size("48K"), 49152);
  EXPECT_EQ(parse_cache_size("2M"), 2 << 20);
  EXPECT_EQ(parse_cache_size("512"), 512);
  for (const char* text : {"", "K", "48k", "-1K", "9999999999999G"}) EXPECT_FALSE(parse_cache_size(text)) << text;
}

TEST(Files, ValuesAreFoundByTheirKeyAtTheStartOfALine) {
  const char* text = "MemTotal:       24684084 kB\nMemFree: 1 kB\nempty:\ninactive_file 77\n";
  EXPECT_EQ(value_of(text, "MemTotal"), "24684084 kB");
  EXPECT_EQ(value_of(text, "inactive_file"), "77");
  EXPECT_EQ(value_of(text, "empty"), "");
  EXPECT_FALSE(value_of(text, "Free"));
}

TEST(Files, NumberedEntriesComeInTheOrderOfTheirNumbers) {
  Tree tree;
  tree.file("cpu10/x", "").file("cpu2/x", "").file("cpufreq/x", "").file("cpu/x", "");
  const auto found = numbered_entries(tree.root(), "cpu");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].filename(), "cpu2");
  EXPECT_EQ(found[1].filename(), "cpu10");
  EXPECT_TRUE(numbered_entries(tree.root() / "nowhere", "cpu").empty());
}

TEST(Files, WhatCannotBeReadIsNothing) {
  Tree tree;
  tree.file("number", "42\n").file("word", "max\n");
  EXPECT_EQ(read_whole(tree.root() / "number"), 42);
  EXPECT_FALSE(read_whole(tree.root() / "word"));
  EXPECT_FALSE(read_text(tree.root() / "nowhere"));
  EXPECT_FALSE(read_text(tree.root()));  // a folder
}

}  // namespace
}  // namespace speedwell::machine
