// Matrix Market files (Boisvert, Pozo, Remington, NISTIR 5935, 1996): sparse matrices in coordinate format, and vectors
// in array format; plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {

/// A sparse matrix in compressed rows (CSR): the entries of row i are those from offsets[i] to offsets[i + 1], by
/// increasing column without duplicates.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets;  // rows + 1
  std::vector<std::int32_t> column;   // from 0
  std::vector<double> value;
};

enum class Symmetry { general, symmetric, skew_symmetric };
enum class EntryField { real, integer, pattern };

struct MatrixMarketFile {
  SparseMatrix matrix;  // the full matrix, also for symmetric files
  Symmetry symmetry = Symmetry::general;
  EntryField field = EntryField::real;
  std::int64_t entries = 0;     // number of lines with entries
  std::int64_t duplicates = 0;  // entries that were added to another one with the same indices
  std::int64_t zeros = 0;       // explicit zeros, which are kept
};

struct MatrixMarketRules {
  /// Maximum bytes of memory while a matrix is read; 0: this machine's memory.
  std::size_t memory = 0;
};

/// Reads real, integer and pattern matrices (a pattern's entries are 1), general, symmetric and skew-symmetric;
/// keywords in either case, comments, blank lines, LF or CR LF, entries in any order. Throws InputError input.mtx.*,
/// with the line, for everything else: see docs/errors-io.md.
MatrixMarketFile read_matrix_market(const std::string& path, const MatrixMarketRules& rules = {});
MatrixMarketFile parse_matrix_market(std::unique_ptr<Source> source, const std::string& file,
                                     const MatrixMarketRules& rules = {});
/// A vector: an array file of one column, or of one row.
std::vector<double> read_matrix_market_vector(const std::string& path, const MatrixMarketRules& rules = {});
std::vector<double> parse_matrix_market_vector(std::unique_ptr<Source> source, const std::string& file,
                                               const MatrixMarketRules& rules = {});

/// Writes a matrix through AtomicFile, with digits that are read back as the same number. Of a symmetric or
/// skew-symmetric one only the lower triangle is written, after each entry has been compared with its mirror image by a
/// binary search. Throws std::invalid_argument if that would lose entries, OutputError.
void write_matrix_market(const std::string& path, const SparseMatrix& matrix, Symmetry symmetry = Symmetry::general);
void write_matrix_market_vector(const std::string& path, const std::vector<double>& vector);

}  // namespace speedwell::io
