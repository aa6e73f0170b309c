// The entries of a Matrix Market file: the parser of lines that are plainly right, which threads share, and their
// order in compressed rows. Lines that it does not understand are left to the reader, which knows why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "speedwell/io/matrix_market.hpp"

namespace speedwell::io {

/// Indices count from 0.
struct MatrixEntry {
  std::int32_t row, column;
  double value;
};

/// What a file says of its entries before the first one.
struct EntryRules {
  EntryField field = EntryField::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0, columns = 0;
};

/// Entries in the order of the file; of a symmetric one each is followed by its mirror image.
struct EntryList {
  std::vector<MatrixEntry> all;
  std::int64_t lines = 0;  // with an entry
  std::int64_t zeros = 0;

  /// Adds the entry of a line, and its mirror image.
  void add(const EntryRules& rules, std::int64_t row, std::int64_t column, double value);
};

/// Parses whole lines on all threads. Returns one list for each part of the text, or nothing if a line is not plainly
/// right, or memory is short.
std::vector<EntryList> parse_plain_entries(std::string_view text, const EntryRules& rules);

/// Sorts entries by row and then by column, on all threads, and adds those with the same indices in the order of the
/// file; `duplicates` is how many were added to another one. The lists are empty afterwards.
SparseMatrix compressed_rows(std::vector<EntryList>& lists, const EntryRules& rules, std::int64_t& duplicates);

}  // namespace speedwell::io
