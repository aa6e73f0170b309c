// The oracle against the standard and against states and counts that are known from elsewhere.
#include "speedwell/apps/uts/reference.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/apps/uts/support.hpp"

namespace speedwell::uts {
namespace {

std::string hex(const reference::Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}
std::string sha1(const std::string& message) {
  return hex(reference::sha1({reinterpret_cast<const std::uint8_t*>(message.data()), message.size()}));
}

// FIPS 180-2, appendix A, and the empty message of NIST's test vectors.
TEST(UtsReference, HashesTheVectorsOfTheStandard) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  // Lengths at which the padding needs a block more, against the same message in another program.
  EXPECT_EQ(sha1(std::string(55, 'a')), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(sha1(std::string(56, 'a')), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  EXPECT_EQ(sha1(std::string(64, 'a')), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
  EXPECT_EQ(sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(UtsReference, MakesTheKnownStates) {
  struct Known {
    const char* tree;
    const char* root;
    int children;
    const char* first;
    int first_children;
    const char* second;
    int second_children;
  };
  const Known all[] = {
      {"T1", "c6988ab70cc9559ae4d6cba254e29a845a85f86b", 5, "2fb3131030280c1617a81d6a49c1e29effb19645", 27,
       "4a8304c7c88f903ac06b01b07c7b2590e9397b5b", 7},
      {"T5", "dc17227f8924044a827dea5fbb982ded4d106317", 4, "1a9074570da4b683c06336899ff41a141aa7cc4c", 0,
       "86f5de9105e65524c972517f5087a05408a60734", 0},
      {"T2", "22619b342b979fa6cb89ae034b414cd6f66d0624", 16, "e486f7b38e840a37d07d19bb7ec6a035a9c921f0", 0,
       "642e234f715ef7ee7cd5ed5c4c5d5260e42647d7", 3},
      {"T3", "a11dabbcec7aab309c890ab3dbc256eaeb582782", 2000, "7407806c9e18f6e1d4d944809de9c0c94b892757", 0,
       "c77bf3c481adf653ab30ed7cd2064af420d42274", 0},
      {"T4", "9a8f128265e48cf2cb691b4cefccc0556d9cbd3a", 12, "7e08786c12ff5c6315243e413eb8b3f8895f21a5", 0,
       "698c37614474295df3703741ea340c3455a17c7f", 6},
  };
  for (const Known& known : all) {
    const Tree tree = published(std::string_view(known.tree))->tree;
    const reference::Digest root = reference::root(tree.seed);
    EXPECT_EQ(hex(root), known.root);
    EXPECT_EQ(reference::children(tree, 0, root), known.children);
    EXPECT_EQ(hex(reference::child(root, 0)), known.first);
    EXPECT_EQ(reference::children(tree, 1, reference::child(root, 0)), known.first_children);
    EXPECT_EQ(hex(reference::child(root, 1)), known.second);
    EXPECT_EQ(reference::children(tree, 1, reference::child(root, 1)), known.second_children);
  }
}

// The dissertation's trees and other seeds and depths of theirs: counts of an independent program.
TEST(UtsReference, CountsKnownTrees) {
  const Tree geometric = published("dissertation-geometric")->tree, binary = published("dissertation-binary")->tree;
  const auto seeded = [](Tree tree, std::uint32_t seed) {
    tree.seed = seed;
    return tree;
  };
  EXPECT_EQ(reference::search(geometric), (Counts{120506, 72225, 12}));
  EXPECT_EQ(reference::search(seeded(geometric, 1)), (Counts{137948, 82738, 12}));
  EXPECT_EQ(reference::search(seeded(geometric, 2)), (Counts{183393, 110112, 12}));
  EXPECT_EQ(reference::search(seeded(geometric, 42)), (Counts{176477, 105940, 12}));
  EXPECT_EQ(reference::search(binary), (Counts{1131849, 990992, 651}));
  EXPECT_EQ(reference::search(seeded(binary, 0)), (Counts{396617, 347664, 280}));
}

}  // namespace
}  // namespace speedwell::uts
