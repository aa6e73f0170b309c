#include "speedwell/cli/align_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/statistics.hpp"
#include "speedwell/core/nearest.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

// What a line tells: the place of the subject descends on the minus strand.
struct Line {
  const AlignmentReport& report;
  std::size_t query;
  const Hit& hit;
  const alignment::Alignment& a;
  Range q, s;
};

// BLAST rounds a coverage, but not up to a hundred.
int whole_coverage(const Line& l) {
  const double coverage = query_coverage(l.report, l.query, l.hit);
  return static_cast<int>(coverage < 99 ? coverage + 0.5 : coverage);
}

// The whole header line. A tab in it would begin another column.
std::string title(const alignment::SequenceSet& set, std::size_t i) {
  std::string text = set.name(i);
  if (!set.description(i).empty()) text += " " + set.description(i);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::string strand(const Line& l) {
  if (l.report.queries.set.alphabet() == alignment::Alphabet::protein) return "N/A";
  return l.hit.minus ? "minus" : "plus";
}

struct Column {
  std::string_view name;
  std::string_view field;  // as "# Fields:" calls it
  bool of_alignment;       // and not of the score alone
  std::string (*text)(const Line&);
};
constexpr std::size_t usual_columns = 12;
constexpr Column columns_of_tab[] = {
    {"qseqid", "query id", false, [](const Line& l) { return l.report.queries.set.name(l.query); }},
    {"sseqid", "subject id", false, [](const Line& l) { return l.report.database.set.name(l.hit.subject); }},
    {"pident", "% identity", true,
     [](const Line& l) { return fmt::format("{:.3f}", percent(l.a.identities, l.a.columns)); }},
    {"length", "alignment length", true, [](const Line& l) { return std::to_string(l.a.columns); }},
    {"mismatch", "mismatches", true, [](const Line& l) { return std::to_string(l.a.mismatches); }},
    {"gapopen", "gap opens", true, [](const Line& l) { return std::to_string(l.a.gap_opens); }},
    {"qstart", "q. start", true, [](const Line& l) { return std::to_string(l.q.first); }},
    {"qend", "q. end", true, [](const Line& l) { return std::to_string(l.q.last); }},
    {"sstart", "s. start", true, [](const Line& l) { return std::to_string(l.s.first); }},
    {"send", "s. end", true, [](const Line& l) { return std::to_string(l.s.last); }},
    {"evalue", "evalue", false, [](const Line& l) { return alignment::format_evalue(l.hit.evalue); }},
    {"bitscore", "bit score", false, [](const Line& l) { return alignment::format_bit_score(l.hit.bits); }},
    {"score", "score", false, [](const Line& l) { return std::to_string(l.hit.score); }},
    {"qlen", "query length", false, [](const Line& l) { return std::to_string(l.report.queries.set.length(l.query)); }},
    {"slen", "subject length", false,
     [](const Line& l) { return std::to_string(l.report.database.set.length(l.hit.subject)); }},
    {"nident", "identical", true, [](const Line& l) { return std::to_string(l.a.identities); }},
    {"positive", "positives", true, [](const Line& l) { return std::to_string(l.a.positives); }},
    {"ppos", "% positives", true,
     [](const Line& l) { return fmt::format("{:.2f}", percent(l.a.positives, l.a.columns)); }},
    {"gaps", "gaps", true, [](const Line& l) { return std::to_string(gap_letters(l.a)); }},
    {"qcovs", "% query coverage per subject", true, [](const Line& l) { return std::to_string(whole_coverage(l)); }},
    {"qcovhsp", "% query coverage per hsp", true, [](const Line& l) { return std::to_string(whole_coverage(l)); }},
    {"sstrand", "subject strand", false, strand},
    {"qseq", "query seq", true, [](const Line& l) { return rows_of(l.report, l.query, l.hit).query; }},
    {"sseq", "subject seq", true, [](const Line& l) { return rows_of(l.report, l.query, l.hit).subject; }},
    {"cigar", "cigar", true, [](const Line& l) { return alignment::cigar(l.a.path); }},
    {"qtitle", "query title", false, [](const Line& l) { return title(l.report.queries.set, l.query); }},
    {"stitle", "subject title", false, [](const Line& l) { return title(l.report.database.set, l.hit.subject); }},
};

// Columns of BLAST that files of sequences do not have, and why.
constexpr std::pair<std::string_view, std::string_view> refused_columns[] = {
    {"staxid staxids ssciname sscinames scomname scomnames sblastname sblastnames sskingdom sskingdoms",
     "needs a taxonomy, which files of sequences do not have"},
    {"qgi qacc qaccver sgi sallgi sacc saccver sallacc sallseqid",
     "needs the identifiers of a BLAST database: qseqid and sseqid are the first words of the headers"},
    {"salltitles", "needs a BLAST database: stitle is the header of the one sequence"},
    {"qframe sframe frames", "is of translated searches, and nothing is translated here"},
    {"btop", "is not written here: cigar says where letters are equal and where gaps are"},
    {"qcovus", "is not written here: one alignment is reported for each pair, and qcovs says how much it covers"},
};

void refuse_column(std::string_view name) {
  for (const auto& [names, why] : refused_columns) {
    const std::string all = " " + std::string(names) + " ";
    if (!name.empty() && all.find(" " + std::string(name) + " ") != std::string::npos)
      throw std::invalid_argument(fmt::format("the column '{}' {}", name, why));
  }
}

void append_columns(const std::string& name, const std::vector<std::string>& names, std::vector<std::size_t>& columns) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    refuse_column(name);
    throw std::invalid_argument(core::unknown_name("column", name, names));
  }
  if (found == names.begin())
    for (std::size_t i = 0; i < usual_columns; ++i) columns.push_back(i);
  else
    columns.push_back(static_cast<std::size_t>(found - names.begin()) - 1);
}

}  // namespace

std::vector<std::string> tab_column_names() {
  std::vector<std::string> names = {"std"};
  for (const Column& column : columns_of_tab) names.emplace_back(column.name);
  return names;
}

std::vector<std::size_t> tab_columns(std::string_view list) {
  constexpr std::string_view blanks = " \t";
  const std::vector<std::string> names = tab_column_names();
  std::vector<std::size_t> columns;
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

bool need_alignments(std::span<const std::size_t> columns) {
  return std::any_of(columns.begin(), columns.end(), [](std::size_t i) { return columns_of_tab[i].of_alignment; });
}

std::string tab_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits,
                      std::span<const std::size_t> columns) {
  std::string lines;
  for (const Hit& hit : hits) {
    const alignment::Alignment& a = hit.alignment;
    Range s = {a.subject_begin, a.subject_end};
    if (hit.minus) std::swap(s.first, s.last);
    const Line line{report, query, hit, a, query_range(hit, report.queries.set.length(query)), s};
    for (const std::size_t& column : columns) {
      if (&column != columns.data()) lines += '\t';
      lines += columns_of_tab[column].text(line);
    }
    lines += '\n';
  }
  return lines;
}

std::string comment_lines(const AlignmentReport& report, std::size_t query, std::size_t hits,
                          std::span<const std::size_t> columns, const std::string& version) {
  std::string text = fmt::format("# speedwell align {}\n# Query: {}\n# Database: {}\n", version,
                                 io::escape(title(report.queries.set, query)), io::escape(report.database.file));
  if (hits > 0) {
    text += "# Fields: ";
    for (const std::size_t& column : columns)
      fmt::format_to(std::back_inserter(text), "{}{}", &column == columns.data() ? "" : ", ",
                     columns_of_tab[column].field);
    text += '\n';
  }
  return text + fmt::format("# {} hits found\n", hits);
}

std::string last_comment_line(std::size_t queries) {
  return fmt::format("# speedwell align processed {} queries\n", queries);
}

double query_coverage(const AlignmentReport& report, std::size_t query, const Hit& hit) {
  const Range q = query_range(hit, report.queries.set.length(query));
  const std::int64_t covered = hit.alignment.columns == 0 ? 0 : q.last - q.first + 1;
  return percent(covered, static_cast<std::int64_t>(report.queries.set.length(query)));
}

}  // namespace speedwell::cli
