// Matrix Market files: what is read, what is refused and where, and round trips.
#include "speedwell/io/matrix_market.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

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
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate real general\n0 0 0\n").matrix.offsets.size(), 1u);
}

struct Refusal {
  const char* name;
  std::string text;
  const char* id;
  std::size_t line, column;
};
void PrintTo(const Refusal& r, std::ostream* out) { *out << r.name; }

class MalformedMatrix : public testing::TestWithParam<Refusal> {};

TEST_P(MalformedMatrix, IsRefusedWithItsPlace) {
  try {
    parsed(GetParam().text);
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), GetParam().id);
    EXPECT_EQ(error.line(), GetParam().line) << error.what();
    EXPECT_EQ(error.column(), GetParam().column) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

INSTANTIATE_TEST_SUITE_P(
    MatrixMarket, MalformedMatrix,
    testing::Values(
        Refusal{"empty", "", "input.mtx.banner", 1, 1}, Refusal{"no banner", "3 3 3\n", "input.mtx.banner", 1, 1},
        Refusal{"object", "%%MatrixMarket vector coordinate real general\n", "input.mtx.banner", 1, 16},
        Refusal{"format", "%%MatrixMarket matrix sparse real general\n", "input.mtx.banner", 1, 23},
        Refusal{"field", "%%MatrixMarket matrix coordinate half general\n", "input.mtx.banner", 1, 34},
        Refusal{"symmetry", "%%MatrixMarket matrix coordinate real odd\n", "input.mtx.banner", 1, 39},
        Refusal{"more banner", "%%MatrixMarket matrix coordinate real general x\n", "input.mtx.banner", 1, 47},
        Refusal{"complex", "%%MatrixMarket matrix coordinate complex general\n", "input.mtx.unsupported", 1, 34},
        Refusal{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", "input.mtx.unsupported", 1, 39},
        Refusal{"array", "%%MatrixMarket matrix array real general\n1 1\n2\n", "input.mtx.unsupported", 1, 1},
        Refusal{"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "input.mtx.banner", 1, 1},
        Refusal{"no sizes", general + "% nothing\n", "input.mtx.size", 3, 1},
        Refusal{"two sizes", general + "3 3\n", "input.mtx.size", 2, 4},
        Refusal{"four sizes", general + "3 3 1 1\n", "input.mtx.entry", 2, 7},
        Refusal{"negative size", general + "3 -3 1\n", "input.mtx.size", 2, 3},
        Refusal{"word size", general + "3 x 1\n", "input.mtx.size", 2, 3},
        Refusal{"huge size", general + "99999999999999999999 3 1\n", "input.mtx.too_large", 2, 1},
        Refusal{"too many rows", general + "2147483648 3 1\n", "input.mtx.too_large", 2, 1},
        Refusal{"more than memory", general + "3 3 900000000000000000\n", "input.mtx.too_large", 2, 1},
        Refusal{"symmetric, not square", symmetric + "3 4 1\n1 1 1\n", "input.mtx.size", 2, 1},
        Refusal{"index 0", general + "3 3 1\n0 1 1\n", "input.mtx.index", 3, 1},
        Refusal{"index beyond", general + "3 3 1\n1 4 1\n", "input.mtx.index", 3, 3},
        Refusal{"index too long", general + "3 3 1\n1 99999999999999999999 1\n", "input.mtx.index", 3, 3},
        Refusal{"index word", general + "3 3 1\na 1 1\n", "input.mtx.entry", 3, 1},
        Refusal{"real index", general + "3 3 1\n1.0 1 1\n", "input.mtx.entry", 3, 1},
        Refusal{"no value", general + "3 3 1\n1 1\n", "input.mtx.entry", 3, 4},
        Refusal{"no column", general + "3 3 1\n1\n", "input.mtx.entry", 3, 2},
        Refusal{"two values", general + "3 3 1\n1 1 1 1\n", "input.mtx.entry", 3, 7},
        Refusal{"value word", general + "3 3 1\n1 1 one\n", "input.mtx.value", 3, 5},
        Refusal{"nan", general + "3 3 1\n1 1 nan\n", "input.mtx.value", 3, 5},
        Refusal{"infinite", general + "3 3 1\n1 1 inf\n", "input.mtx.value", 3, 5},
        Refusal{"overflow", general + "3 3 1\n1 1 1e999\n", "input.mtx.value", 3, 5},
        Refusal{"sum overflows", general + "1 1 2\n1 1 1e308\n1 1 1e308\n", "input.mtx.value", 5, 1},
        Refusal{"Fortran", general + "3 3 1\n1 1 1D0\n", "input.mtx.value", 3, 5},
        Refusal{"real integer", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "input.mtx.value",
                3, 5},
        Refusal{"short", general + "3 3 2\n1 1 1\n", "input.mtx.count", 4, 1},
        Refusal{"long", general + "3 3 1\n1 1 1\n2 2 1\n", "input.mtx.count", 4, 1},
        Refusal{"upper", symmetric + "3 3 1\n1 2 1\n", "input.mtx.triangle", 3, 1},
        Refusal{"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
                "input.mtx.diagonal", 3, 1},
        Refusal{"long line", general + std::string(2 << 20, '%') + "\n", "input.mtx.line_too_long", 2, 1}));

TEST(MatrixMarket, ComesBackFromAFileAsItWas) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "matrix-market";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "m.mtx").string();
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
  std::filesystem::remove_all(folder);
}

TEST(MatrixMarket, ReadsCompressedFilesAndVectors) {
  const auto path = (std::filesystem::path(testing::TempDir()) / "tiny.mtx.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, tiny.data(), static_cast<unsigned>(tiny.size()));
  gzclose(file);
  EXPECT_EQ(read_matrix_market(path).matrix.value.size(), 7u);
  std::filesystem::remove(path);
  EXPECT_THROW(read_matrix_market(path), InputError);
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

}  // namespace
}  // namespace speedwell::io
