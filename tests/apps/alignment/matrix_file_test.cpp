#include "speedwell/apps/alignment/scoring/matrix_file.hpp"

#include <gtest/gtest.h>

#include "speedwell/core/random.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::alignment {
namespace {

/// A published matrix in the format, with the given line ends and last line end.
std::string text_of(const SubstitutionMatrix& matrix, const std::string& line_end = "\n") {
  const std::string_view all = symbols(matrix.alphabet());
  std::string text = "# " + matrix.name() + line_end + line_end + "  ";
  for (const char symbol : all) (text += "  ") += symbol;
  for (std::size_t a = 0; a < all.size(); ++a) {
    (text += line_end) += all[a];
    for (std::size_t b = 0; b < all.size(); ++b)
      text += "\t " + std::to_string(matrix.score(static_cast<int>(a), static_cast<int>(b)));
  }
  return text;
}

void expect_same(const SubstitutionMatrix& a, const SubstitutionMatrix& b) {
  for (int i = 0; i < code_limit; ++i)
    for (int j = 0; j < code_limit; ++j) ASSERT_EQ(a.score(i, j), b.score(i, j)) << a.name() << " " << i << " " << j;
}

TEST(MatrixFiles, EveryPublishedMatrixComesBack) {
  for (const std::string& name : matrix_names()) {
    const SubstitutionMatrix& matrix = named_matrix(name);
    expect_same(parse_matrix(text_of(matrix), "m", matrix.alphabet()), matrix);
    expect_same(parse_matrix(text_of(matrix, "\r\n"), "m", matrix.alphabet()), matrix);
    expect_same(parse_matrix(text_of(matrix) + "\n\n# end", "m", matrix.alphabet()), matrix);
  }
  EXPECT_EQ(parse_matrix(text_of(named_matrix("PAM30")), "mine.txt", Alphabet::protein).name(), "mine.txt");
}

TEST(MatrixFiles, RowsMayStandInAnyOrderAndSymbolsInEitherCase) {
  const SubstitutionMatrix m = parse_matrix("  c A\nA -2 +5\nC 7 -2\n", "m", Alphabet::dna);
  EXPECT_EQ(m.score(0, 0), 5);
  EXPECT_EQ(m.score(1, 1), 7);
  EXPECT_EQ(m.score(0, 1), -2);
}

TEST(MatrixFiles, MissingSymbolsScoreAsTheUnknownOneOrTheLowest) {
  const SubstitutionMatrix with = parse_matrix("  A N\nA 5 -1\nN -1 2\n", "m", Alphabet::dna);
  EXPECT_EQ(with.score(0, 3), -1);  // A with T, as A with N
  EXPECT_EQ(with.score(3, 3), 2);
  const SubstitutionMatrix without = parse_matrix("  A C\nA 5 -1\nC -1 2\n", "m", Alphabet::dna);
  EXPECT_EQ(without.score(0, 3), -1);
  EXPECT_EQ(without.score(3, 3), -1);
}

struct Wrong {
  const char* text;
  std::size_t line, column;
  const char* id;
  const char* message;
};

TEST(MatrixFiles, EveryMistakeHasItsPlace) {
  const Wrong wrong[] = {
      {"", 0, 0, "input.matrix.empty", "m: no row of symbols"},
      {"# only\n\n", 2, 0, "input.matrix.empty", "m:2: no row of symbols"},
      {"  A C\nA 1 2\n", 2, 0, "input.matrix.missing_row", "m:2: no row for the symbol C"},
      {"  A A\n", 1, 5, "input.matrix.duplicate", "m:1:5: 'A' heads two columns"},
      {"  A a\n", 1, 5, "input.matrix.duplicate", "m:1:5: 'a' heads two columns"},
      {"  A C\nA 1 2\nA 1 2\n", 3, 1, "input.matrix.duplicate", "m:3:1: a second row 'A'"},
      {"  A !\n", 1, 5, "input.matrix.letter", "m:1:5: '!' is not one of the symbols ACGTRYSWKMBDHVN"},
      {"  A U\n", 1, 5, "input.matrix.letter", "m:1:5: 'U' is not one of the symbols ACGTRYSWKMBDHVN"},
      {"  A CG\n", 1, 5, "input.matrix.letter", "m:1:5: 'CG' is not one of the symbols ACGTRYSWKMBDHVN"},
      {"  A\x01\n", 1, 3, "input.matrix.letter", "m:1:3: 'A\\x01' is not one of the symbols ACGTRYSWKMBDHVN"},
      {"  A C\nG 1 2\n", 2, 1, "input.matrix.letter", "m:2:1: the row 'G' has no column"},
      {"  A C\nA 1\n", 2, 3, "input.matrix.count", "m:2:3: the row 'A' has 1 scores for 2 symbols"},
      {"  A C\nA\n", 2, 1, "input.matrix.count", "m:2:1: the row 'A' has 0 scores for 2 symbols"},
      {"  A C\nA 1 2 3\n", 2, 7, "input.matrix.count", "m:2:7: more scores than the 2 symbols of the first row"},
      {"  A\nA 128\n", 2, 3, "input.matrix.score", "m:2:3: '128' is not a whole number from -128 to 127"},
      {"  A\nA -129\n", 2, 3, "input.matrix.score", "m:2:3: '-129' is not a whole number from -128 to 127"},
      {"  A\nA 1.5\n", 2, 3, "input.matrix.score", "m:2:3: '1.5' is not a whole number from -128 to 127"},
      {"  A\nA +-1\n", 2, 3, "input.matrix.score", "m:2:3: '+-1' is not a whole number from -128 to 127"},
      {"  A\nA +\n", 2, 3, "input.matrix.score", "m:2:3: '+' is not a whole number from -128 to 127"},
      {"  A\nA 99999999999999999999\n", 2, 3, "input.matrix.score",
       "m:2:3: '99999999999999999999' is not a whole number from -128 to 127"},
      {"  A\nA 1\r \n", 2, 3, "input.matrix.score", "m:2:3: '1\\x0d' is not a whole number from -128 to 127"},
      {"  A C\nA 1 2\nC  3 4\n", 3, 4, "input.matrix.asymmetric",
       "m:3:4: row C, column A is 3, but row A, column C is 2"},
  };
  for (const Wrong& w : wrong) {
    try {
      parse_matrix(w.text, "m", Alphabet::dna);
      ADD_FAILURE() << w.message;
    } catch (const io::InputError& e) {
      EXPECT_EQ(e.line(), w.line) << w.message;
      EXPECT_EQ(e.column(), w.column) << w.message;
      EXPECT_EQ(e.id(), w.id) << w.message;
      EXPECT_STREQ(e.what(), w.message);
    }
  }
}

TEST(MatrixFiles, SizeIsBoundedAndLongLinesAreRefusedAtOnce) {
  const std::string wide = "  A\nA" + std::string(900000, ' ') + "1";
  EXPECT_EQ(parse_matrix(wide, "m", Alphabet::dna).score(0, 0), 1);
  std::string many = "  A\nA";
  for (int i = 0; i < 100000; ++i) many += " 1";
  EXPECT_THROW(parse_matrix(many, "m", Alphabet::dna), io::InputError);
  EXPECT_THROW(parse_matrix(std::string(io::limits::matrix_bytes + 1, '\n'), "m", Alphabet::dna), io::InputError);
}

// Every text gives a matrix or an InputError: damaged copies of a good one.
TEST(MatrixFiles, DamagedTextIsAnErrorOrAMatrix) {
  const std::string good = "# small\n   A  C  G\nA  5 -4 -4\nC -4  5 -4\nG -4 -4  5\n";
  int parsed = 0, refused = 0;
  constexpr std::string_view bytes = "0123456789-+ \t\r\nACGTNacgtn#!\xff";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::string text = good.substr(0, seed % 3 == 0 ? core::random_bits(seed, 0) % good.size() : good.size());
    for (std::uint64_t k = 1; k < 2 + seed % 3 && !text.empty(); ++k)
      text[core::random_bits(seed, 2 * k) % text.size()] = bytes[core::random_bits(seed, 2 * k + 1) % bytes.size()];
    try {
      parse_matrix(text, "m", Alphabet::dna);
      ++parsed;
    } catch (const io::InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(parsed, 30);
  EXPECT_GT(refused, 1000);
}

TEST(MatrixFiles, AFileThatIsNotThereIsAnInputError) {
  EXPECT_THROW(read_matrix("/nonexistent/matrix", Alphabet::dna), io::InputError);
}

}  // namespace
}  // namespace speedwell::alignment
