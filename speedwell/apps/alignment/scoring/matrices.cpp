// The published matrices by name, made once from their tables.
#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/alignment/scoring/matrix_tables.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/core/closest_match.hpp"

namespace speedwell::alignment {
namespace {

// Symbols that a table does not have (J of the older ones) score as its X.
SubstitutionMatrix from_table(const MatrixTable& table) {
  const Alphabet alphabet = table.name == "NUC.4.4" ? Alphabet::dna : Alphabet::protein;
  const std::string_view all = symbols(alphabet);
  std::array<std::int8_t, code_limit * code_limit> scores{};
  const auto index_of = [&](char symbol) {
    const std::size_t at = table.symbols.find(symbol);
    return at == std::string_view::npos ? table.symbols.find('X') : at;
  };
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      const auto [column, row] = std::minmax({index_of(all[a]), index_of(all[b])});
      scores[a * code_limit + b] = table.triangle[row * (row + 1) / 2 + column];
    }
  return {std::string(table.name), alphabet, scores};
}

const std::vector<SubstitutionMatrix>& matrices() {
  static const std::vector<SubstitutionMatrix> all = [] {
    std::vector<SubstitutionMatrix> made;
    for (const MatrixTable& table : matrix_tables) made.push_back(from_table(table));
    return made;
  }();
  return all;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return result;
}

}  // namespace

const SubstitutionMatrix& named_matrix(std::string_view name) {
  const std::string wanted = upper(name);
  for (const SubstitutionMatrix& matrix : matrices())
    if (upper(matrix.name()) == wanted) return matrix;
  throw std::invalid_argument(core::unknown_name("substitution matrix", name.substr(0, 100), matrix_names()));
}

std::vector<std::string> matrix_names() {
  std::vector<std::string> names;
  for (const MatrixTable& table : matrix_tables) names.emplace_back(table.name);
  return names;
}

}  // namespace speedwell::alignment
