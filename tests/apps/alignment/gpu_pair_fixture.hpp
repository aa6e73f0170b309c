// The fixture of the tests of GpuPair's scores and of its tracebacks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment::test {

using Residues = std::vector<std::uint8_t>;

class GpuPairTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  Residues random_residues(std::size_t length, std::size_t symbol_count = 4) {
    Residues made(length);
    for (auto& code : made) code = static_cast<std::uint8_t>(random_.below(symbol_count));
    return made;
  }
  Random random_{20261121};
};

inline Scoring dna(int match, int mismatch, int open, int extend) {
  return {match_mismatch(match, mismatch), open, extend};
}
inline Scoring blosum62(int open = 11, int extend = 1) { return {named_matrix("BLOSUM62"), open, extend}; }

/// All kernels of the kind that the residues need.
inline std::vector<GpuPairTuning> tunings(bool pair_table) {
  std::vector<GpuPairTuning> all;
  for (const BandVariant& variant : band_variants())
    if (variant.pair_table == pair_table) all.push_back({variant.strip_rows, 0});
  return all;
}

inline std::size_t given_length() {
  const char* given = std::getenv("SPEEDWELL_TEST_LENGTH");
  return given ? std::strtoull(given, nullptr, 10) : 1000000;
}

}  // namespace speedwell::alignment::test
