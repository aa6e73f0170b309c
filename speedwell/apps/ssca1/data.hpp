// The data of SSCA#1: two random sequences with six pairs of embedded validation strings at known positions. The
// original uses the random numbers of the C library; this is the generator of the NAS benchmarks (Bailey et al.,
// RNR-94-007, 1994), x <- 5^13 x mod 2^46, which can jump to the k-th value, so that the sequences do not depend on the
// number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/ssca1/scoring.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::ssca1 {

struct DataOptions {
  Alphabet alphabet = Alphabet::codons;
  std::int64_t main_length = 2048;                              // random symbols, without the strings
  std::int64_t match_length = 2048;                             // likewise
  std::uint64_t main_seed = 314159265, match_seed = 271828183;  // odd and below 2^46
  bool validation_strings = true;                               // only for codons
  int threads = 0;                                              // 0: the maximum number of OpenMP threads
};

/// An embedded validation string: the expected range of its alignment, counted from 1.
struct Embedded {
  int string = 0;  // 1 … 6
  std::int32_t score = 0;
  bool needs_similar = false;
  std::int64_t main_begin = 0, main_end = 0, match_begin = 0, match_end = 0;
};

struct Data {
  Alphabet alphabet = Alphabet::codons;
  core::HostBuffer<std::uint8_t> main, match;
  std::vector<Embedded> strings;
};

/// String p of 1 … 6 follows floor(p * length / 7) random symbols of each sequence; together they have 163 codons.
/// Throws std::invalid_argument for negative lengths, seeds that are even or not below 2^46, and strings with
/// nucleotides.
Data make_data(const DataOptions& options);

/// The 46-bit random number k, counted from 1.
std::uint64_t random_draw(std::uint64_t seed, std::uint64_t k);

}  // namespace speedwell::ssca1
