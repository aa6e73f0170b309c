// Substitution matrix files. The first byte of the input picks the alphabet, the rest is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "speedwell/apps/alignment/scoring/matrix_file.hpp"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "property broken: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace speedwell;
  if (size == 0) return 0;
  const auto alphabet = data[0] & 1 ? alignment::Alphabet::dna : alignment::Alphabet::protein;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const alignment::SubstitutionMatrix matrix = alignment::parse_matrix(file, "fuzz", alphabet);
    require(matrix.alphabet() == alphabet, "the alphabet is the one asked for");
    require(matrix.lowest() <= matrix.highest(), "lowest <= highest");
    const int symbol_count = static_cast<int>(alignment::symbols(alphabet).size());
    for (int a = 0; a < symbol_count; ++a)
      for (int b = 0; b < symbol_count; ++b) {
        require(matrix.score(a, b) == matrix.score(b, a), "symmetric");
        require(matrix.score(a, b) >= matrix.lowest() && matrix.score(a, b) <= matrix.highest(), "within the bounds");
      }
  } catch (const io::InputError& error) {
    const std::string_view text = error.what();
    require(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
            "an error is one safe line");
    require(error.id().starts_with("input.matrix."), "the id is a matrix's");
    require(text.size() < 1000, "an error is short");
  }
  return 0;
}
