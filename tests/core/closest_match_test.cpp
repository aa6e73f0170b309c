#include "speedwell/core/closest_match.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace speedwell::core {
namespace {

TEST(ClosestMatch, DistancesOfKnownPairs) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("tset", "test"), 1) << "two neighbours that changed places are one mistake";
  EXPECT_EQ(edit_distance("CUDA", "cuda"), 0);
}

TEST(ClosestMatch, NamesTheClosestAndTheFirstOfEquals) {
  const std::vector<std::string> names = {"stream", "transfer", "matvec"};
  EXPECT_EQ(closest_match("steam", names), "stream");
  EXPECT_EQ(unknown_name("application", "matvek", names), "unknown application 'matvek'; the nearest is 'matvec'");
  EXPECT_EQ(closest_match("x", {}), "");
  EXPECT_EQ(unknown_name("part", "x", {}), "unknown part 'x'");
}

TEST(ClosestMatch, HintsOnlyWhatIsProbablyMeant) {
  const std::vector<std::string> names = {"test", "small", "standard", "large"};
  EXPECT_EQ(similar("tset", names), "test");
  EXPECT_EQ(similar("stand", names), "standard") << "the beginning of a name";
  EXPECT_EQ(similar("cud", std::vector<std::string>{"cuda-naive", "cuda", "cuda-graph"}), "cuda") << "the shortest";
  EXPECT_EQ(similar("big", names), "");
  EXPECT_EQ(similar("te", names), "") << "of two letters an edit leaves nothing in common";
  EXPECT_EQ(similar("", names), "");
  EXPECT_EQ(unknown_name("size", "big", names), "unknown size 'big'; allowed: test, small, standard, large");
  EXPECT_EQ(unknown_name("word", "list", std::vector<std::string>{"show"}), "unknown word 'list'; allowed: show");
}

TEST(ClosestMatch, AVeryLongTextIsNotCompared) {
  const std::vector<std::string> names = {"stream"};
  EXPECT_EQ(closest_match(std::string(10'000'000, 'a'), names), "stream");
  EXPECT_EQ(similar(std::string(10'000'000, 'a'), names), "");
}

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("cuda*", "cuda-naive"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*-n?ive", "cuda-naive"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXXbYYbc"));
  EXPECT_FALSE(matches_glob("cuda", "cuda-naive"));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_FALSE(matches_glob("?", ""));
}

}  // namespace
}  // namespace speedwell::core
