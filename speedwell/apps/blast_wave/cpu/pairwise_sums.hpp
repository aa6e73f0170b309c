// PairwiseSums: sums of the tiles of a mesh that are divided among ranks, with the additions of one process: tiles are
// added in pairs, then the pairs, up to one sum. A rank adds what lies wholly in its range, which leaves at most two
// sums of each level of that tree, and all ranks add these. So a sum has the same bits for any number of ranks, and a
// rank sends a few hundred bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/comm/parts.hpp"

namespace speedwell::blast_wave {

class PairwiseSums {
 public:
  /// Numbers that are summed for each tile; a caller may need the first ones alone.
  static constexpr std::size_t numbers = 5;

  /// `ranges`: the tiles of each rank, contiguous and in the order of the ranks; the first begins at tile 0.
  explicit PairwiseSums(const std::vector<comm::Range>& ranges);

  /// The sums that rank `rank` sends; all ranks have room for slots().
  std::size_t slots() const { return slots_; }
  /// Adds what lies in the range of the rank. `tiles` has `numbers` values for each of its tiles and is overwritten;
  /// `sent` has slots() * count values, of which the first `count` numbers of each sum are written.
  void reduce(int rank, std::span<double> tiles, std::size_t count, std::span<double> sent) const;
  /// Adds the sums of all ranks, slots() * count values of each in their order. `result` has `count` values.
  void combine(std::span<const double> all, std::size_t count, std::span<double> result) const;

 private:
  /// An addition of two sums that combine() has, or of one and 0 where an odd number of them is left.
  struct Addition {
    std::size_t left, right;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<comm::Range> ranges_;
  std::size_t slots_ = 0;
  std::vector<std::size_t> first_;   // the first sums of combine(): where in `all`, in units of `count` values
  std::vector<Addition> additions_;  // operands: indices of first sums, then of earlier additions
};

}  // namespace speedwell::blast_wave
