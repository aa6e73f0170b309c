// SHA-1 digests of many children at once on a CPU: in SIMD lanes, or by the SHA instructions with several hashes
// interleaved.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace speedwell::uts {

/// Pairs of a parent and the number of one of its children, and the digests of these children: word k of pair i is at
/// [k][i].
struct Batch {
  static constexpr int max_size = 64;
  alignas(64) std::uint32_t parent[5][max_size];
  std::uint32_t number[max_size];
  std::uint32_t child[5][max_size];
};

/// Message blocks with their chaining values, which compress() updates: word k of block i is at [k][i].
struct Blocks {
  alignas(64) std::uint32_t chain[5][Batch::max_size];
  std::uint32_t block[16][Batch::max_size];
};

/// An implementation of SHA-1 that this processor can execute.
struct Hasher {
  std::string_view name;
  int at_once = 1;
  /// Computes batch.child of the first `count` pairs, at most Batch::max_size; may write up to the next multiple of
  /// at_once.
  void (*children)(Batch& batch, int count) = nullptr;
  /// The compression function of SHA-1, for any message.
  void (*compress)(Blocks& blocks, int count) = nullptr;
};

/// All implementations that this processor supports, the fastest first. The order is measured: 16 lanes are faster than
/// the SHA instructions, which are faster than 8 lanes.
std::span<const Hasher> hashers();

}  // namespace speedwell::uts
