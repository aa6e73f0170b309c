// BLAST's tabular output: hits as lines of columns, plain (outfmt 6) or with comment lines (outfmt 7).
//   BLAST Command Line Applications User Manual, NCBI, appendix C: options for the command-line applications, "outfmt".
// Columns are separated by tabs. Positions count from 1, both ends included. Hits on the minus strand of the query show
// the query's own positions and a subject range that descends: sstart > send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::io {

/// The columns, under BLAST's names (and `cigar`, which is DIAMOND's). The first twelve are the usual ones, "std".
enum class BlastColumn : unsigned char {
  qseqid,
  sseqid,
  pident,  // 100 identities / alignment length, three decimals
  length,  // of the alignment, gaps included
  mismatch,
  gapopen,  // gaps, however long
  qstart,
  qend,
  sstart,
  send,
  evalue,
  bitscore,
  score,
  qlen,
  slen,
  nident,
  positive,  // pairs of a positive score
  ppos,      // 100 positives / alignment length, two decimals
  gaps,      // residues in gaps
  qcovs,     // percent of the query within the alignment, rounded, but not up to 100
  qcovhsp,   // the same: a hit has one alignment here
  sstrand,   // "plus", "minus", "N/A" of proteins
  qseq,      // aligned residues, '-' for gaps
  sseq,
  cigar,
  qtitle,  // identifier and description; a tab in it is written as a blank
  stitle
};

/// "std" and the name of every column.
std::vector<std::string> blast_column_names();
/// The columns that a list names, with commas or blanks between; "std" stands for twelve. Throws std::invalid_argument:
/// naming the nearest, or why a column of BLAST's is not here.
std::vector<BlastColumn> blast_columns(std::string_view list);
/// Whether a column says more than which pair has which score: then BlastHit's members from `length` on are used.
bool needs_alignment(BlastColumn column);
bool needs_alignment(std::span<const BlastColumn> columns);

enum class BlastStrand : unsigned char { none, plus, minus };  // none: proteins

/// The values of a line. Members that no column needs may stay empty.
struct BlastHit {
  std::string query_id{}, subject_id{};
  std::string query_title{}, subject_title{};  // the whole header lines
  std::int64_t query_length = 0, subject_length = 0;
  BlastStrand strand = BlastStrand::none;
  std::int64_t score = 0;
  std::string evalue = "*", bit_score = "*";  // as they are to be printed; "*" where there are none

  std::int64_t length = 0;  // columns of the alignment
  std::int64_t identities = 0, mismatches = 0, positives = 0, gap_opens = 0;
  std::int64_t query_begin = 0, query_end = 0;      // on the strand that the query is given on
  std::int64_t subject_begin = 0, subject_end = 0;  // exchanged in a line on the minus strand
  std::string query_row{}, subject_row{};           // with '-' for gaps
  std::string cigar{};
};

/// One line with its line feed.
std::string blast_line(const BlastHit& hit, std::span<const BlastColumn> columns);

/// 100 part / whole, and 0 if `whole` is 0.
double percent(std::int64_t part, std::int64_t whole);

/// The lines before those of a query in outfmt 7: program with its version, query, database, the fields if there are
/// hits, and how many hits.
struct BlastComment {
  std::string program;   // "speedwell align 1.0"
  std::string query;     // title
  std::string database;  // file
};
std::string blast_comment_lines(const BlastComment& comment, std::span<const BlastColumn> columns, std::size_t hits);
/// The last line of all: "# PROGRAM processed N queries".
std::string blast_last_comment_line(std::string_view program, std::size_t queries);

/// As blastp 2.12 prints E-values: "0.0" below 1e-180, "2.54e-38" below 9e-4, then 3, 2, 1 and 0 decimals from 0, 0.1,
/// 1 and 10 on. "*" if there is none.
std::string format_evalue(std::optional<double> evalue);
/// As blastp 2.12 prints bit scores: one decimal up to 99.9, then cut (not rounded) to an integer, and "1.065e+05"
/// above 99999. "*" if there is none.
std::string format_bit_score(std::optional<double> bits);

}  // namespace speedwell::io
