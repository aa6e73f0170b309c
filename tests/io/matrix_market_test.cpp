// Matrix Market files: what is read, what is refused and where, and round trips.
#include "speedwell/io/matrix_market.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

MatrixMarketFile parsed(const std::string& text, const MatrixMarketRules& rules = {}) {
  return parse_matrix_market(memory_source(text, "m.mtx"), "m.mtx", rules);
}

const std::string tiny =
    "%%MatrixMarket matrix coordinate real symmetric\n% the study's tiny file\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 "
    "3 "
    "2\n";

TEST(MatrixMarket, MirrorsASymmetricFile) {
  const MatrixMarketFile file = parsed(tiny);
  EXPECT_EQ(file.entries, 5);
  EXPECT_EQ(file.symmetry, Symmetry::symmetric);
  EXPECT_EQ(file.matrix.offsets, (std::vector<std::int64_t>{0, 2, 5, 7}));
  EXPECT_EQ(file.matrix.column, (std::vector<std::int32_t>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(file.matrix.value, (std::vector<double>{2, -1, -1, 2, -1, -1, 2}));
}

TEST(MatrixMarket, ReadsWhatTheFormatAllows) {
  const MatrixMarketFile pattern = parsed(
      "%%matrixmarket MATRIX Coordinate PATTERN General\r\n%\r\n\r\n  2   3  3  \r\n2 3\r\n% within\r\n1 1\r\n\r\n2 1");
  EXPECT_EQ(pattern.matrix.offsets, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(pattern.matrix.column, (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_EQ(pattern.matrix.value, (std::vector<double>{1, 1, 1}));
  const MatrixMarketFile skew = parsed("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2\t1\t+7\n");
  EXPECT_EQ(skew.matrix.value, (std::vector<double>{-7, 7}));
  const MatrixMarketFile twice =
      parsed("%%MatrixMarket matrix coordinate real general\n1 1 3\n1 1 1.5e0\n1 1 .25\n1 1 0\n");
  EXPECT_EQ(twice.matrix.value, (std::vector<double>{1.75}));
  EXPECT_EQ(twice.duplicates, 2);
  EXPECT_EQ(twice.zeros, 1);
  // Duplicates are added in the order of the file: in another one the 1 would be left.
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate real general\n1 1 3\n1 1 1\n1 1 1e300\n1 1 -1e300\n").matrix.value,
            (std::vector<double>{0}));
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate real general\n0 0 0\n").matrix.offsets.size(), 1u);
}

struct Refusal {
  const char* name;
  std::string text;
  const char* id;
  std::size_t line, column;
  const char* message;
};
void PrintTo(const Refusal& r, std::ostream* out) { *out << r.name; }

class MalformedMatrix : public testing::TestWithParam<Refusal> {};

TEST_P(MalformedMatrix, IsRefusedWithItsPlaceInOneLineThatSaysWhatIsWrong) {
  try {
    parsed(GetParam().text);
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), GetParam().id);
    EXPECT_EQ(error.line(), GetParam().line) << error.what();
    EXPECT_EQ(error.column(), GetParam().column) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(std::string(": ") + GetParam().message), std::string::npos)
        << error.what();
  }
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

INSTANTIATE_TEST_SUITE_P(
    MatrixMarket, MalformedMatrix,
    testing::Values(
        Refusal{"empty", "", "input.mtx.banner", 1, 1, "the file is empty; it begins with '%%MatrixMarket'"},
        Refusal{"no banner", "3 3 3\n", "input.mtx.banner", 1, 1, "the first line is not a banner"},
        Refusal{"object", "%%MatrixMarket vector coordinate real general\n", "input.mtx.banner", 1, 16,
                "'vector' is not an object that is read; 'matrix' is"},
        Refusal{"format", "%%MatrixMarket matrix sparse real general\n", "input.mtx.banner", 1, 23,
                "'sparse' is not a format; 'coordinate' and 'array' are"},
        Refusal{"field", "%%MatrixMarket matrix coordinate half general\n", "input.mtx.banner", 1, 34,
                "'half' is not a field; 'real', 'integer' and 'pattern' are"},
        Refusal{"symmetry", "%%MatrixMarket matrix coordinate real odd\n", "input.mtx.banner", 1, 39,
                "'odd' is not a symmetry; 'general', 'symmetric' and 'skew-symmetric' are"},
        Refusal{"more banner", "%%MatrixMarket matrix coordinate real general x\n", "input.mtx.banner", 1, 47,
                "'x' follows the banner"},
        Refusal{"complex", "%%MatrixMarket matrix coordinate complex general\n", "input.mtx.unsupported", 1, 34,
                "complex matrices are not read"},
        Refusal{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", "input.mtx.unsupported", 1, 39,
                "hermitian matrices are not read"},
        Refusal{"array", "%%MatrixMarket matrix array real general\n1 1\n2\n", "input.mtx.unsupported", 1, 1,
                "an array is a dense matrix, which is not read; arrays are read as vectors"},
        Refusal{"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "input.mtx.banner", 1, 1,
                "a pattern cannot be skew-symmetric: its entries have no sign"},
        Refusal{"no sizes", general + "% nothing\n", "input.mtx.size", 3, 1, "the file ends before the line of sizes"},
        Refusal{"two sizes", general + "3 3\n", "input.mtx.size", 2, 4, "the line of sizes has no entries"},
        Refusal{"four sizes", general + "3 3 1 1\n", "input.mtx.entry", 2, 7, "'1' is more than the line should hold"},
        Refusal{"negative size", general + "3 -3 1\n", "input.mtx.size", 2, 3, "'-3' is not a number of columns"},
        Refusal{"word size", general + "3 x 1\n", "input.mtx.size", 2, 3, "'x' is not a number of columns"},
        Refusal{"huge size", general + "99999999999999999999 3 1\n", "input.mtx.too_large", 2, 1,
                "'99999999999999999999' rows do not fit 64 bits"},
        Refusal{"too many rows", general + "2147483648 3 1\n", "input.mtx.too_large", 2, 1,
                "2147483648 x 3: at most 2147483647 rows and columns"},
        Refusal{"more than memory", general + "3 3 900000000000000000\n", "input.mtx.too_large", 2, 1,
                "a matrix of this size takes 2.88e+10 GB; there are "},
        Refusal{"symmetric, not square", symmetric + "3 4 1\n1 1 1\n", "input.mtx.size", 2, 1,
                "a symmetric matrix of 3 x 4; it must be square"},
        Refusal{"index 0", general + "3 3 1\n0 1 1\n", "input.mtx.index", 3, 1, "row '0' is not from 1 to 3"},
        Refusal{"index beyond", general + "3 3 1\n1 4 1\n", "input.mtx.index", 3, 3, "column '4' is not from 1 to 3"},
        Refusal{"index too long", general + "3 3 1\n1 99999999999999999999 1\n", "input.mtx.index", 3, 3,
                "column '99999999999999999999' is not from 1 to 3"},
        Refusal{"index word", general + "3 3 1\na 1 1\n", "input.mtx.entry", 3, 1, "'a' is not a row"},
        Refusal{"real index", general + "3 3 1\n1.0 1 1\n", "input.mtx.entry", 3, 1, "'1.0' is not a row"},
        Refusal{"no value", general + "3 3 1\n1 1\n", "input.mtx.entry", 3, 4, "an entry without its value"},
        Refusal{"no column", general + "3 3 1\n1\n", "input.mtx.entry", 3, 2, "an entry without its column"},
        Refusal{"two values", general + "3 3 1\n1 1 1 1\n", "input.mtx.entry", 3, 7,
                "'1' is more than the line should hold"},
        Refusal{"value word", general + "3 3 1\n1 1 one\n", "input.mtx.value", 3, 5, "'one' is not a number"},
        Refusal{"nan", general + "3 3 1\n1 1 nan\n", "input.mtx.value", 3, 5,
                "'nan' is not a finite number that a double can hold"},
        Refusal{"infinite", general + "3 3 1\n1 1 inf\n", "input.mtx.value", 3, 5,
                "'inf' is not a finite number that a double can hold"},
        Refusal{"overflow", general + "3 3 1\n1 1 1e999\n", "input.mtx.value", 3, 5,
                "'1e999' is not a finite number that a double can hold"},
        Refusal{"sum overflows", general + "1 1 2\n1 1 1e308\n1 1 1e308\n", "input.mtx.value", 5, 1,
                "the entries at (1, 1) add up to more than a double can hold"},
        Refusal{"Fortran", general + "3 3 1\n1 1 1D0\n", "input.mtx.value", 3, 5, "'1D0' is not a number"},
        Refusal{"real integer", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "input.mtx.value",
                3, 5, "'1.5' is not an integer"},
        Refusal{"short", general + "3 3 2\n1 1 1\n", "input.mtx.count", 4, 1, "the file ends after 1 of 2 entries"},
        Refusal{"long", general + "3 3 1\n1 1 1\n2 2 1\n", "input.mtx.count", 4, 1,
                "more entries than the 1 that the header promises"},
        Refusal{"upper", symmetric + "3 3 1\n1 2 1\n", "input.mtx.triangle", 3, 1,
                "(1, 2) is above the diagonal, of which a symmetric file has the other side"},
        Refusal{"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
                "input.mtx.diagonal", 3, 1, "(2, 2): the diagonal of a skew-symmetric matrix is 0 and not written"},
        Refusal{"long line", general + std::string(2 << 20, '%') + "\n", "input.mtx.line_too_long", 2, 1,
                "a line is longer than 1048576 bytes"}));

using MatrixMarketFiles = test::FolderFixture;

TEST_F(MatrixMarketFiles, ComeBackAsTheyWere) {
  const std::string path = root_ + "/m.mtx";
  SparseMatrix odd = parsed(general + "4 3 5\n1 1 0.1\n1 3 -1e-300\n3 2 3.0000000000000004\n4 1 7\n4 3 -0\n").matrix;
  write_matrix_market(path, odd);
  const SparseMatrix back = read_matrix_market(path).matrix;
  EXPECT_EQ(back.offsets, odd.offsets);
  EXPECT_EQ(back.column, odd.column);
  EXPECT_EQ(back.value, odd.value);
  EXPECT_THROW(write_matrix_market(path, odd, Symmetry::symmetric), std::invalid_argument);
  const SparseMatrix mirrored = parsed(tiny).matrix;
  write_matrix_market(path, mirrored, Symmetry::symmetric);
  const MatrixMarketFile again = read_matrix_market(path);
  EXPECT_EQ(again.entries, 5);
  EXPECT_EQ(again.matrix.value, mirrored.value);
  write_matrix_market_vector(path, {1.5, -0.1, 1e-310});
  EXPECT_EQ(read_matrix_market_vector(path), (std::vector<double>{1.5, -0.1, 1e-310}));
}

// An arrow: the mirror images of all its rows are in the first one, in which each has to be found.
TEST_F(MatrixMarketFiles, MayBeSymmetricWithADenseRow) {
  constexpr std::int32_t n = 300000;
  SparseMatrix arrow{.rows = n, .columns = n, .offsets = {0}, .column = {}, .value = {}};
  const auto end_row = [&] { arrow.offsets.push_back(static_cast<std::int64_t>(arrow.column.size())); };
  for (std::int32_t j = 0; j < n; ++j) {
    arrow.column.push_back(j);
    arrow.value.push_back(1.0 + j);
  }
  end_row();
  for (std::int32_t i = 1; i < n; ++i) {
    arrow.column.insert(arrow.column.end(), {0, i});
    arrow.value.insert(arrow.value.end(), {1.0 + i, 2.0});
    end_row();
  }
  const std::string path = root_ + "/arrow.mtx";
  write_matrix_market(path, arrow, Symmetry::symmetric);
  const MatrixMarketFile back = read_matrix_market(path);
  EXPECT_EQ(back.entries, 2 * n - 1);
  EXPECT_EQ(back.matrix.column, arrow.column);
  EXPECT_EQ(back.matrix.value, arrow.value);
  arrow.value[n / 2] += 1;
  EXPECT_THROW(write_matrix_market(path, arrow, Symmetry::symmetric), std::invalid_argument);
}

TEST_F(MatrixMarketFiles, MayBeCompressed) {
  const std::string path = root_ + "/tiny.mtx.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, tiny.data(), static_cast<unsigned>(tiny.size()));
  gzclose(file);
  EXPECT_EQ(read_matrix_market(path).matrix.value.size(), 7u);
  std::filesystem::remove(path);
  EXPECT_THROW(read_matrix_market(path), InputError);
}

TEST(MatrixMarket, ReadsVectors) {
  const auto vector = [](const std::string& text) {
    return parse_matrix_market_vector(memory_source(text, "v.mtx"), "v.mtx");
  };
  EXPECT_EQ(vector("%%MatrixMarket matrix array integer general\n1 2\n3\n4\n"), (std::vector<double>{3, 4}));
  const std::string head = "%%MatrixMarket matrix array real general\n";
  for (const std::string& text : {head + "2 2\n1\n2\n3\n4\n", head + "2 1\n1\n", head + "2 1\n1\n2\n3\n",
                                  head + "2 1\n1 2\n", tiny, head + "900000000000000000 1\n"})
    EXPECT_THROW(vector(text), InputError) << text;
}

TEST(MatrixMarket, HoldsAHeadersPromiseAgainstTheMemoryAllowed) {
  EXPECT_THROW(parsed(general + "1000000 1000000 0\n", {.memory = 1 << 20}), InputError);
  EXPECT_EQ(parsed(general + "1000 1000 0\n", {.memory = 1 << 20}).matrix.rows, 1000);
}

// A file of several blocks, which threads parse in parts: entries in any order and again, comments, blank lines, blanks
// and carriage returns, against their sums in the order of the file.
struct LargeFile {
  static constexpr std::int64_t rows = 3000, columns = 2000, lines = 400000;

  LargeFile() {
    text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", rows, columns, lines);
    std::uint64_t state = 1;
    const auto random = [&](std::int64_t below) {
      state = state * 6364136223846793005 + 1442695040888963407;
      return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
    };
    begin_of_line.push_back(0);
    begin_of_line.push_back(text.find('\n') + 1);
    for (std::int64_t l = 0; l < lines; ++l) {
      if (l % 1000 == 7) add_line(l % 3000 == 7 ? "% a comment" : l % 2000 == 7 ? "" : " \t");
      const std::int64_t i = random(rows), j = random(columns);
      const double value = static_cast<double>(random(2001) - 1000) / 7;
      const auto [at, is_new] = sums.insert({{i, j}, value});
      if (!is_new) at->second += value;
      duplicates += is_new ? 0 : 1;
      zeros += value == 0;
      add_line(fmt::format("{}{}{}{} {}{}{}", l % 5 == 0 ? "  " : "", i + 1, l % 7 == 0 ? "\t " : " ", j + 1,
                           l % 11 == 0 && value >= 0 ? "+" : "", value, l % 13 == 0 ? " \r" : ""));
    }
  }
  void add_line(const std::string& line) {
    begin_of_line.push_back(text.size());
    text += line + "\n";
  }

  std::string text;
  std::vector<std::size_t> begin_of_line;  // from line 1 on
  std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
  std::int64_t duplicates = 0, zeros = 0;
};

TEST(MatrixMarket, FilesOfSeveralBlocksAreReadByAllThreadsAsLineByLine) {
  LargeFile file;
  ASSERT_GT(file.text.size(), std::size_t{5} << 20) << "blocks are of 2 MiB for each thread";
  for (const bool ends_without_newline : {false, true}) {
    if (ends_without_newline) file.text.pop_back();
    const MatrixMarketFile got = parsed(file.text);
    EXPECT_EQ(got.entries, LargeFile::lines);
    EXPECT_EQ(got.duplicates, file.duplicates);
    EXPECT_EQ(got.zeros, file.zeros);
    ASSERT_EQ(got.matrix.value.size(), file.sums.size());
    std::size_t e = 0, wrong = 0;
    for (const auto& [at, value] : file.sums) {
      const auto i = static_cast<std::size_t>(at.first);
      const auto number = static_cast<std::int64_t>(e);
      if (got.matrix.offsets[i] > number || got.matrix.offsets[i + 1] <= number || got.matrix.column[e] != at.second ||
          got.matrix.value[e] != value)
        ++wrong;
      ++e;
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(MatrixMarket, ErrorsInLargeFilesNameTheFirstLineThatIsWrong) {
  const LargeFile file;
  const std::size_t last = file.begin_of_line.size();
  for (const std::size_t line : {std::size_t{3}, std::size_t{150000}, last - 100000, last})
    for (const std::string& wrong : {std::string("1 1 x"), std::string("3001 1 1"), std::string("1 1 1 1"),
                                     std::string("1 1\r 1"), std::string("-1 1 1"), std::string("1 1 1e999")}) {
      std::string text = file.text;
      const std::size_t begin = file.begin_of_line[line - 1], end = text.find('\n', begin);
      text.replace(begin, end - begin, wrong);
      const std::size_t later = text.find("% a comment", begin + wrong.size());
      if (later != std::string::npos) text[later] = '!';  // wrong as well, but not the first
      try {
        parsed(text);
        ADD_FAILURE() << wrong << " is accepted in line " << line;
      } catch (const InputError& error) {
        const std::string said = error.what();
        EXPECT_EQ(said.rfind(fmt::format("m.mtx:{}:", line), 0), 0) << wrong << ": " << said;
      }
    }
}

TEST(MatrixMarket, LargeFilesWithFewerOrMoreEntriesThanPromisedAreRefused) {
  const LargeFile file;
  const std::string promised = " " + std::to_string(LargeFile::lines) + "\n";
  const auto with = [&](std::int64_t entries) {
    std::string text = file.text;
    return text.replace(text.find(promised), promised.size(), " " + std::to_string(entries) + "\n");
  };
  const auto refused_at = [&](const std::string& text, std::size_t line) {
    try {
      parsed(text);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(fmt::format("m.mtx:{}:", line), 0), 0) << error.what();
    }
  };
  const std::size_t lines = file.begin_of_line.size();
  refused_at(with(LargeFile::lines - 1), lines);
  refused_at(with(LargeFile::lines + 1), lines + 1);
}

}  // namespace
}  // namespace speedwell::io
