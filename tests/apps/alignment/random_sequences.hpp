// Small random searches: residues of a small part of the alphabet or of all, and relatives of what was made before.
#pragma once

#include <algorithm>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::alignment::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  /// 0 … limit - 1.
  std::size_t below(std::size_t limit) { return core::random_bits(seed_, next_++) % limit; }
  int between(int minimum, int maximum) {
    return minimum + static_cast<int>(below(static_cast<std::size_t>(maximum - minimum) + 1));
  }

  std::vector<std::uint8_t> codes(Alphabet alphabet, std::size_t length) {
    const std::size_t symbol_count = below(2) ? alignment::symbols(alphabet).size() : 4;
    std::vector<std::uint8_t> made(length);
    for (std::uint8_t& code : made) code = static_cast<std::uint8_t>(below(symbol_count));
    return made;
  }
  /// A copy with residues at about every tenth position replaced, removed or doubled.
  std::vector<std::uint8_t> relative(const std::vector<std::uint8_t>& of) {
    std::vector<std::uint8_t> made;
    for (const std::uint8_t code : of) {
      const std::size_t change = below(30);
      if (change == 0) continue;
      made.push_back(change == 1 ? of[below(of.size())] : code);
      if (change == 2) made.push_back(code);
    }
    return made;
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

}  // namespace speedwell::alignment::test
