#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace speedwell::alignment {
namespace {

std::string shown(char residue) {
  if (residue >= 0x20 && residue < 0x7f) return std::string("'") + residue + "'";
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(residue);
  return std::string("the byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

}  // namespace

void SequenceSet::add(std::string name, std::string description, std::string_view text) {
  const std::size_t begin = codes_.size();
  codes_.resize(begin + text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int code = encode(alphabet_, text[i]);
    if (code < 0) {
      codes_.resize(begin);
      throw std::invalid_argument(
          "sequence " + name + ", residue " + std::to_string(i + 1) + ": " + shown(text[i]) +
          (alphabet_ == Alphabet::protein ? " is not an amino-acid symbol" : " is not a nucleotide symbol"));
    }
    codes_[begin + i] = static_cast<std::uint8_t>(code);
  }
  offsets_.push_back(codes_.size());
  names_.push_back(std::move(name));
  descriptions_.push_back(std::move(description));
}

void SequenceSet::add_codes(std::string name, std::span<const std::uint8_t> codes) {
  codes_.insert(codes_.end(), codes.begin(), codes.end());
  offsets_.push_back(codes_.size());
  names_.push_back(std::move(name));
  descriptions_.emplace_back();
}

std::size_t SequenceSet::longest() const {
  std::size_t maximum = 0;
  for (std::size_t i = 0; i < size(); ++i) maximum = std::max(maximum, length(i));
  return maximum;
}

}  // namespace speedwell::alignment
