// Every hash implementation that this processor supports: the standard's vectors, and many children, against the
// oracle.
#include "speedwell/apps/uts/hashing.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "speedwell/apps/uts/reference.hpp"
#include "speedwell/apps/uts/sha1.hpp"
#include "tests/apps/uts/fips_vectors.hpp"

namespace speedwell::uts {
namespace {

TEST(UtsHashing, HasTheWidestImplementationFirstAndOneForAnyProcessor) {
  ASSERT_FALSE(hashers().empty());
  EXPECT_EQ(hashers().back().name, "4 lanes");
  for (const Hasher& hasher : hashers()) EXPECT_EQ(Batch::max_size % hasher.at_once, 0) << hasher.name;
}

TEST(UtsHashing, HashesTheVectorsOfTheStandard) {
  for (const Hasher& hasher : hashers()) {
    for (const FipsVector& vector : fips_vectors()) {
      // The message in one lane after another, beside blocks of other data, which must not matter.
      for (const int lane : {0, 1, hasher.at_once - 1, Batch::max_size - 1}) {
        auto blocks = std::make_unique<Blocks>();
        std::mt19937 random(1);
        for (auto& row : blocks->chain)
          for (auto& word : row) word = static_cast<std::uint32_t>(random());
        for (int k = 0; k < 5; ++k) blocks->chain[k][lane] = initial_digest<std::uint32_t>().h[k];
        for (const auto& block : vector.blocks) {
          for (auto& row : blocks->block)
            for (auto& word : row) word = static_cast<std::uint32_t>(random());
          for (int k = 0; k < 16; ++k) blocks->block[k][lane] = block[static_cast<std::size_t>(k)];
          hasher.compress(*blocks, Batch::max_size);
        }
        for (int k = 0; k < 5; ++k)
          EXPECT_EQ(blocks->chain[k][lane], vector.digest[static_cast<std::size_t>(k)])
              << hasher.name << ", \"" << vector.name << "\", word " << k << " of lane " << lane;
      }
    }
  }
}

TEST(UtsHashing, MakesTheOraclesChildren) {
  std::mt19937 random(2);
  for (const Hasher& hasher : hashers())
    for (const int count : {1, 2, 3, 31, 32, 33, 63, 64}) {
      auto batch = std::make_unique<Batch>();
      std::memset(batch.get(), 0xee, sizeof(Batch));
      for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 5; ++k) batch->parent[k][i] = static_cast<std::uint32_t>(random());
        batch->number[i] = static_cast<std::uint32_t>(random());
      }
      hasher.children(*batch, count);
      for (int i = 0; i < count; ++i) {
        reference::Digest parent;
        for (int b = 0; b < 20; ++b)
          parent[static_cast<std::size_t>(b)] = static_cast<std::uint8_t>(batch->parent[b / 4][i] >> (24 - b % 4 * 8));
        const reference::Digest child = reference::child(parent, batch->number[i]);
        for (int b = 0; b < 20; ++b)
          ASSERT_EQ(static_cast<std::uint8_t>(batch->child[b / 4][i] >> (24 - b % 4 * 8)),
                    child[static_cast<std::size_t>(b)])
              << hasher.name << ", " << i << " of " << count;
      }
      const int end = (count + hasher.at_once - 1) / hasher.at_once * hasher.at_once;
      for (int i = end; i < Batch::max_size; ++i) EXPECT_EQ(batch->child[4][i], 0xeeeeeeeeu) << hasher.name;
    }
}

TEST(UtsHashing, MakesTheOraclesRoots) {
  for (const std::uint32_t seed : {0u, 1u, 19u, 0x80000000u, 0xffffffffu}) {
    const reference::Digest root = reference::root(seed);
    const Digest<std::uint32_t> digest = root_digest(seed);
    for (int b = 0; b < 20; ++b)
      EXPECT_EQ(static_cast<std::uint8_t>(digest.h[b / 4] >> (24 - b % 4 * 8)), root[static_cast<std::size_t>(b)]);
  }
}

}  // namespace
}  // namespace speedwell::uts
