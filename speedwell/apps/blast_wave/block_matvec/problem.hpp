// y = A x on a periodic mesh with five unknowns per point: the product that takes most of the time of blast_wave's
// iterations, by itself, with entries and operands that are functions of their indices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/blast_wave/blocks7.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::blast_wave::block_matvec {

inline constexpr int block = 5, neighbours = 7, entries_of_point = neighbours * block * block;

struct Problem {
  Extents extents;
  std::uint64_t seed = 1;
};

/// Throws std::invalid_argument for extents that Blocks7 does not support.
void require_valid(const Problem& problem);

/// Uniform in [-1, 1).
constexpr double coefficient(std::uint64_t seed, std::int64_t point, int neighbour, int row, int column) {
  const std::int64_t index = point * entries_of_point + (neighbour * block + row) * block + column;
  return 2 * core::random_uniform(2 * seed, static_cast<std::uint64_t>(index)) - 1;
}
constexpr double operand(std::uint64_t seed, std::int64_t point, int variable) {
  return 2 * core::random_uniform(2 * seed + 1, static_cast<std::uint64_t>(point * block + variable)) - 1;
}

/// The oracle's A x, and the bound of the rounding error: both for variable c of point p at 5 p + c.
struct Expected {
  std::vector<double> value, allowed;
};
/// Computes A x from the definition, with entries and operands generated again: nothing is shared with Blocks7.
Expected expect(const Problem& problem);

/// y has variable c of point p at c * stride + p, with the stride of blocks7.hpp. Throws std::invalid_argument for
/// another size.
core::Verdict verify(const Problem& problem, const Expected& expected, std::span<const double> y);

/// The matrix and the operand in the library's layout.
Blocks7 matrix(const Problem& problem);
std::vector<double> vector(const Problem& problem, const Blocks7& layout);

}  // namespace speedwell::blast_wave::block_matvec
