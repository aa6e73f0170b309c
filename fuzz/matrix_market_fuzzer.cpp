// Matrix Market files, plain or gzip. The first byte of the input picks matrix or vector, the rest is the file. Every
// file is read twice, in one piece and in scraps of a few bytes: both must give the same matrix or the same error.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/properties.hpp"
#include "speedwell/io/matrix_market.hpp"

namespace {

using namespace speedwell::io;
using namespace speedwell::fuzz;

struct Outcome {
  MatrixMarketFile file;
  std::vector<double> vector;
  std::string error;  // "id what()", or empty
};

void require_matrix(const MatrixMarketFile& file) {
  const SparseMatrix& m = file.matrix;
  require(m.offsets.size() == static_cast<std::size_t>(m.rows) + 1 && m.offsets.front() == 0, "one offset a row");
  require(m.column.size() == m.value.size() && m.offsets.back() == static_cast<std::int64_t>(m.value.size()),
          "the last offset counts the entries");
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const auto begin = m.offsets[static_cast<std::size_t>(i)], end = m.offsets[static_cast<std::size_t>(i) + 1];
    require(begin <= end, "offsets grow");
    for (std::int64_t e = begin; e < end; ++e) {
      const auto at = static_cast<std::size_t>(e);
      require(m.column[at] >= 0 && m.column[at] < m.columns, "columns are within the matrix");
      require(e == begin || m.column[at - 1] < m.column[at], "columns grow");
      require(std::isfinite(m.value[at]), "values are finite");
    }
  }
}

bool same(const MatrixMarketFile& a, const MatrixMarketFile& b) {
  return a.matrix.rows == b.matrix.rows && a.matrix.columns == b.matrix.columns &&
         a.matrix.offsets == b.matrix.offsets && a.matrix.column == b.matrix.column &&
         a.matrix.value == b.matrix.value && a.entries == b.entries && a.symmetry == b.symmetry &&
         a.duplicates == b.duplicates && a.zeros == b.zeros;
}

Outcome read(std::unique_ptr<Source> source, bool vector) {
  constexpr MatrixMarketRules rules{.memory = std::size_t{64} << 20};
  Outcome outcome;
  try {
    if (vector) {
      outcome.vector = parse_matrix_market_vector(std::move(source), "fuzz", rules);
    } else {
      outcome.file = parse_matrix_market(std::move(source), "fuzz", rules);
      require_matrix(outcome.file);
    }
  } catch (const InputError& error) {
    require(std::string_view(error.what()).size() < 1000, "an error is short");
    outcome.error = checked_text(error);
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool vector = (data[0] & 1) != 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(decompressed(memory_source(file, "fuzz"), "fuzz"), vector);
  const Outcome scraps = read(decompressed(std::make_unique<Scraps>(file), "fuzz"), vector);
  // Damaged gzip data may surface a little earlier or later in the decompressed bytes; all else is exact.
  if (whole.error.find("input.gzip") != std::string::npos || scraps.error.find("input.gzip") != std::string::npos)
    return 0;
  require(whole.error == scraps.error, "the same error however the bytes arrive");
  require(whole.vector == scraps.vector, "the same vector");
  require(same(whole.file, scraps.file), "the same matrix");
  return 0;
}
