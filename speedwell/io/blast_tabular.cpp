#include "speedwell/io/blast_tabular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::io {
namespace {

// BLAST rounds a coverage, but not up to a hundred.
std::string coverage(const BlastHit& h) {
  const double covered = percent(h.length == 0 ? 0 : h.query_end - h.query_begin + 1, h.query_length);
  return std::to_string(static_cast<int>(covered < 99 ? covered + 0.5 : covered));
}

std::string title(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::string strand(const BlastHit& h) {
  if (h.strand == BlastStrand::none) return "N/A";
  return h.strand == BlastStrand::minus ? "minus" : "plus";
}

struct Column {
  BlastColumn column;
  std::string_view name;
  std::string_view field;  // as "# Fields:" calls it
  bool of_alignment;       // and not of the score alone
  std::string (*text)(const BlastHit&);
};
using enum BlastColumn;
using Hit = BlastHit;
constexpr std::size_t usual_columns = 12;
// In the order of BlastColumn.
constexpr Column table[] = {
    {qseqid, "qseqid", "query id", false, [](const Hit& h) { return h.query_id; }},
    {sseqid, "sseqid", "subject id", false, [](const Hit& h) { return h.subject_id; }},
    {pident, "pident", "% identity", true,
     [](const Hit& h) { return fmt::format("{:.3f}", percent(h.identities, h.length)); }},
    {length, "length", "alignment length", true, [](const Hit& h) { return std::to_string(h.length); }},
    {mismatch, "mismatch", "mismatches", true, [](const Hit& h) { return std::to_string(h.mismatches); }},
    {gapopen, "gapopen", "gap opens", true, [](const Hit& h) { return std::to_string(h.gap_opens); }},
    {qstart, "qstart", "q. start", true, [](const Hit& h) { return std::to_string(h.query_begin); }},
    {qend, "qend", "q. end", true, [](const Hit& h) { return std::to_string(h.query_end); }},
    {sstart, "sstart", "s. start", true,
     [](const Hit& h) { return std::to_string(h.strand == BlastStrand::minus ? h.subject_end : h.subject_begin); }},
    {send, "send", "s. end", true,
     [](const Hit& h) { return std::to_string(h.strand == BlastStrand::minus ? h.subject_begin : h.subject_end); }},
    {evalue, "evalue", "evalue", false, [](const Hit& h) { return h.evalue; }},
    {bitscore, "bitscore", "bit score", false, [](const Hit& h) { return h.bit_score; }},
    {score, "score", "score", false, [](const Hit& h) { return std::to_string(h.score); }},
    {qlen, "qlen", "query length", false, [](const Hit& h) { return std::to_string(h.query_length); }},
    {slen, "slen", "subject length", false, [](const Hit& h) { return std::to_string(h.subject_length); }},
    {nident, "nident", "identical", true, [](const Hit& h) { return std::to_string(h.identities); }},
    {positive, "positive", "positives", true, [](const Hit& h) { return std::to_string(h.positives); }},
    {ppos, "ppos", "% positives", true,
     [](const Hit& h) { return fmt::format("{:.2f}", percent(h.positives, h.length)); }},
    {gaps, "gaps", "gaps", true, [](const Hit& h) { return std::to_string(h.length - h.identities - h.mismatches); }},
    {qcovs, "qcovs", "% query coverage per subject", true, coverage},
    {qcovhsp, "qcovhsp", "% query coverage per hsp", true, coverage},
    {sstrand, "sstrand", "subject strand", false, strand},
    {qseq, "qseq", "query seq", true, [](const Hit& h) { return h.query_row; }},
    {sseq, "sseq", "subject seq", true, [](const Hit& h) { return h.subject_row; }},
    {cigar, "cigar", "cigar", true, [](const Hit& h) { return h.cigar; }},
    {qtitle, "qtitle", "query title", false, [](const Hit& h) { return title(h.query_title); }},
    {stitle, "stitle", "subject title", false, [](const Hit& h) { return title(h.subject_title); }},
};
static_assert([] {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (static_cast<std::size_t>(table[i].column) != i) return false;
  return std::size(table) == static_cast<std::size_t>(stitle) + 1;
}());

const Column& row_of(BlastColumn column) { return table[static_cast<std::size_t>(column)]; }

// Columns of BLAST that files of sequences do not have, and why.
constexpr std::pair<std::string_view, std::string_view> refused_columns[] = {
    {"staxid staxids ssciname sscinames scomname scomnames sblastname sblastnames sskingdom sskingdoms",
     "needs a taxonomy, which files of sequences do not have"},
    {"qgi qacc qaccver sgi sallgi sacc saccver sallacc sallseqid",
     "needs the identifiers of a BLAST database: qseqid and sseqid are the first words of the headers"},
    {"salltitles", "needs a BLAST database: stitle is the header of the one sequence"},
    {"qframe sframe frames", "is of translated searches, and nothing is translated here"},
    {"btop", "is not written here: cigar says where residues are equal and where gaps are"},
    {"qcovus", "is not written here: one alignment is reported for each pair, and qcovs says how much it covers"},
};

void refuse_column(std::string_view name) {
  for (const auto& [names, why] : refused_columns) {
    const std::string all = fmt::format(" {} ", names);
    if (!name.empty() && all.find(fmt::format(" {} ", name)) != std::string::npos)
      throw std::invalid_argument(fmt::format("the column '{}' {}", name, why));
  }
}

void append_columns(const std::string& name, const std::vector<std::string>& names, std::vector<BlastColumn>& columns) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    refuse_column(name);
    throw std::invalid_argument(core::unknown_name("column", name, names));
  }
  if (found == names.begin())
    for (std::size_t i = 0; i < usual_columns; ++i) columns.push_back(table[i].column);
  else
    columns.push_back(table[found - names.begin() - 1].column);
}

}  // namespace

std::vector<std::string> blast_column_names() {
  std::vector<std::string> names = {"std"};
  for (const Column& column : table) names.emplace_back(column.name);
  return names;
}

std::vector<BlastColumn> blast_columns(std::string_view list) {
  constexpr std::string_view blanks = " \t";
  const std::vector<std::string> names = blast_column_names();
  std::vector<BlastColumn> columns;
  for (;;) {  // items between commas, each of one name or of several with blanks between
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    if (item.find_first_not_of(blanks) == std::string_view::npos)
      throw std::invalid_argument("the name of a column is missing");
    while (item.find_first_not_of(blanks) != std::string_view::npos) {
      item.remove_prefix(item.find_first_not_of(blanks));
      const std::size_t end = std::min(item.find_first_of(blanks), item.size());
      append_columns(std::string(item.substr(0, end)), names, columns);
      item.remove_prefix(end);
    }
    if (comma == std::string_view::npos) return columns;
    list.remove_prefix(comma + 1);
  }
}

bool needs_alignment(BlastColumn column) { return row_of(column).of_alignment; }
bool needs_alignment(std::span<const BlastColumn> columns) {
  return std::any_of(columns.begin(), columns.end(), [](BlastColumn column) { return needs_alignment(column); });
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string blast_line(const BlastHit& hit, std::span<const BlastColumn> columns) {
  std::string line;
  for (const BlastColumn& column : columns) {
    if (&column != columns.data()) line += '\t';
    line += row_of(column).text(hit);
  }
  return line + '\n';
}

std::string blast_comment_lines(const BlastComment& comment, std::span<const BlastColumn> columns, std::size_t hits) {
  std::string text = fmt::format("# {}\n# Query: {}\n# Database: {}\n", comment.program, escape(title(comment.query)),
                                 escape(comment.database));
  if (hits > 0) {
    text += "# Fields: ";
    for (const BlastColumn& column : columns)
      fmt::format_to(std::back_inserter(text), "{}{}", &column == columns.data() ? "" : ", ", row_of(column).field);
    text += '\n';
  }
  return text + fmt::format("# {} hits found\n", hits);
}

std::string blast_last_comment_line(std::string_view program, std::size_t queries) {
  return fmt::format("# {} processed {} queries\n", program, queries);
}

std::string format_evalue(std::optional<double> evalue) {
  if (!evalue) return "*";
  const double e = *evalue;
  if (e < 1e-180) return "0.0";
  if (e < 9e-4) return fmt::format("{:.2e}", e);
  if (e < 0.1) return fmt::format("{:.3f}", e);
  if (e < 1) return fmt::format("{:.2f}", e);
  if (e < 10) return fmt::format("{:.1f}", e);
  return fmt::format("{:.0f}", e);
}

std::string format_bit_score(std::optional<double> bits) {
  if (!bits) return "*";
  if (*bits > 99999) return fmt::format("{:.3e}", *bits);
  if (*bits > 99.9) return fmt::format("{:.0f}", std::trunc(*bits));
  return fmt::format("{:.1f}", *bits);
}

}  // namespace speedwell::io
