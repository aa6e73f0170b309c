// EP of the NAS Parallel Benchmarks: pairs of independent Gaussian deviates by the polar method (Box, Muller,
// Marsaglia), their sums, and how many lie in each of ten square annuli. D. Bailey et al., RNR-94-007, section 2.2.1.
//   For t = 0 .. 2^m - 1, with r_1, r_2 ... the numbers of seed 271828183 (random.hpp):
//   x = 2 r_{2t+1} - 1, y = 2 r_{2t+2} - 1, s = x^2 + y^2; where s <= 1: (X, Y) = (x, y) sqrt(-2 ln(s) / s) is counted
//   in the annulus l <= max(|X|, |Y|) < l + 1 and added to the sums.
#pragma once

#include <array>
#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::npb::ep {

constexpr std::uint64_t seed = 271828183;
constexpr int annuli = 10;

/// The base-2 logarithm of the number of pairs and its range: 2^44 pairs need twice the period of the generator.
struct Problem {
  int m = 24;
};
constexpr int min_m = 10, max_m = 44;
/// Throws std::invalid_argument if m is out of range.
void require_valid(const Problem& problem);
inline std::int64_t pairs(const Problem& problem) { return std::int64_t{1} << problem.m; }

struct Result {
  double sum_x = 0;
  double sum_y = 0;
  std::array<std::int64_t, annuli> counts{};

  std::int64_t accepted() const;
  friend bool operator==(const Result&, const Result&) = default;
};

struct Options {
  int threads = 0;                   // 0: the maximum number of OpenMP threads
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not support it
};

/// Computes EP with OpenMP and SIMD. The bits of the sums depend on the instruction set, not on the number of threads.
/// The absolute error of a deviate X is below 2e-15 + 4e-16 |X| (vector_math.hpp). Throws as require_valid().
Result tally(const Problem& problem, const Options& options = {});

/// Computes EP on one core, one pair after the other, with the logarithm and square root of the library. Throws as
/// require_valid().
Result tally_serially(const Problem& problem);

}  // namespace speedwell::npb::ep
