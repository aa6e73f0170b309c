// Many children hashed at once on a CPU: in the lanes of vectors, or by the SHA instructions with several hashes under
// way.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace speedwell::uts {

/// Parents with the number of a child each, and these children: word k of number i at [k][i].
struct Batch {
  static constexpr int most = 64;
  alignas(64) std::uint32_t parent[5][most];
  std::uint32_t number[most];
  std::uint32_t child[5][most];
};

/// Blocks of SHA-1 with the chain values before them, and then after them: word k of number i at [k][i].
struct Blocks {
  alignas(64) std::uint32_t chain[5][Batch::most];
  std::uint32_t block[16][Batch::most];
};

/// One way of this processor to hash.
struct Hasher {
  std::string_view name;
  int at_once = 1;
  /// Sets batch.child of the first `count`, at most Batch::most; may write on to the next multiple of at_once.
  void (*children)(Batch& batch, int count) = nullptr;
  /// The plain compression of a block, for any message.
  void (*compress)(Blocks& blocks, int count) = nullptr;
};

/// All that this processor can do, the fastest first. The order is measured: 16 lanes are ahead of the SHA
/// instructions, these of 8 lanes.
std::span<const Hasher> hashers();

}  // namespace speedwell::uts
