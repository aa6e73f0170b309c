// The CPU kernel, compiled once for each instruction set from block_kernel.cpp.
#pragma once

#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::npb::ep {

/// 1/c and 2 ln(1/c) for one c in each of the sixteen segments of (11/16, 11/8], the range of the significand.
struct LogTable {
  double inverse[16];
  double logarithm[16];
};

/// Sums and counts of a block of pairs.
struct PartialResult {
  double sum_x, sum_y;
  std::int64_t counts[10];
};

/// Sums and counts `pairs` pairs of each stream. states: the state of the generator before each stream's first number.
using BlockKernel = void(const std::uint64_t* states, std::int64_t pairs, const LogTable& table,
                         PartialResult& partial);
/// sqrt(-2 ln(s) / s) of `count` values, a multiple of the number of streams. For tests.
using FactorKernel = void(const double* s, std::int64_t count, const LogTable& table, double* factors);

struct Kernels {
  BlockKernel* block;
  FactorKernel* factors;
  int streams;  // streams of a block: a power of 2 that is at most max_streams
};
constexpr int max_streams = 16;

/// Throws std::invalid_argument if the processor does not support the instruction set.
Kernels kernels_of(core::Isa isa);

const LogTable& log_table();

}  // namespace speedwell::npb::ep
