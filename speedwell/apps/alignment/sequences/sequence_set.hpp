// SequenceSet: many sequences as codes, packed one after another, so that a search or a copy to a device is one span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"

namespace speedwell::alignment {

class SequenceSet {
 public:
  explicit SequenceSet(Alphabet alphabet) : alphabet_(alphabet) {}

  /// Appends a sequence of residues of either case. Throws std::invalid_argument with the residue and its position if
  /// one is not of the alphabet.
  void add(std::string name, std::string description, std::string_view residues);
  /// Appends codes that are known to be of the alphabet.
  void add_codes(std::string name, std::span<const std::uint8_t> codes);

  Alphabet alphabet() const { return alphabet_; }
  std::size_t size() const { return names_.size(); }
  std::size_t length(std::size_t i) const { return offsets_[i + 1] - offsets_[i]; }
  std::span<const std::uint8_t> codes(std::size_t i) const { return {codes_.data() + offsets_[i], length(i)}; }
  const std::string& name(std::size_t i) const { return names_[i]; }
  const std::string& description(std::size_t i) const { return descriptions_[i]; }

  /// All residues of all sequences.
  std::size_t residues() const { return codes_.size(); }
  std::size_t longest() const;
  /// The packed codes, and size() + 1 offsets into them.
  std::span<const std::uint8_t> packed() const { return codes_; }
  std::span<const std::size_t> offsets() const { return offsets_; }

 private:
  Alphabet alphabet_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::string> names_, descriptions_;
};

}  // namespace speedwell::alignment
