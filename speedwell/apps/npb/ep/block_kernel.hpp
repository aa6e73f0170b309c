// The kernel of the CPU, compiled once for each instruction set from block_kernel.cpp.
#pragma once

#include <cstdint>

#include "speedwell/core/isa.hpp"

namespace speedwell::npb::ep {

/// For each of sixteen parts of (11/16, 11/8], the range of a double's fraction, and a c in it: 1/c, and 2 ln(1/c).
struct Sixteenths {
  double inverse[16];
  double logarithm[16];
};

/// What a block of pairs adds to the result.
struct Tally {
  double sum_x, sum_y;
  std::int64_t counts[10];
};

/// Sums and counts `pairs` pairs of each stream. states: the generator's state before each stream's first number.
using BlockKernel = void(const std::uint64_t* states, std::int64_t pairs, const Sixteenths& table, Tally& tally);
/// sqrt(-2 ln(s) / s) of `count` values, a multiple of the streams. For tests of the mathematics.
using FactorKernel = void(const double* s, std::int64_t count, const Sixteenths& table, double* factors);

struct Kernels {
  BlockKernel* block;
  FactorKernel* factors;
  int streams;  // that a block has, a power of 2 and at most most_streams
};
constexpr int most_streams = 16;

/// Throws std::invalid_argument if the processor does not have the instruction set.
Kernels kernels_of(core::Isa isa);

const Sixteenths& sixteenths();

}  // namespace speedwell::npb::ep
