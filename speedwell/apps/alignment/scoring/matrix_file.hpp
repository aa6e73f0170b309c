// A user's substitution matrix in NCBI's text format.
//
//   # comment lines, and blank lines, anywhere
//      A  R  N …          a row of symbols: the columns
//   A  4 -1 -2 …          then for each of these symbols, in any order, a row: the symbol and its scores
//
// Symbols are those of the alphabet in either case, each at most once; at least one. U and O of proteins and U of DNA
// have no rows of their own. Scores are whole numbers from -128 to 127 with score(a, b) = score(b, a). Symbols of the
// alphabet that the matrix lacks score as its X (proteins) or N (DNA) if it has that; else it does not know them
// (SubstitutionMatrix::has) and they have its lowest score with everything. LF or CR LF, the last one optional;
// columns are separated by blanks or tabs.
#pragma once

#include <string>
#include <string_view>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::alignment {

/// Reads a matrix from the bytes of a file called `file`, which becomes the matrix's name. Throws io::InputError with
/// the line and column of the error; its id begins with "input.matrix.".
SubstitutionMatrix parse_matrix(std::string_view bytes, const std::string& file, Alphabet alphabet);
/// Opens a file ("-": standard input), plain or gzip.
SubstitutionMatrix read_matrix(const std::string& path, Alphabet alphabet);

}  // namespace speedwell::alignment
