#include "speedwell/cli/align_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "speedwell/apps/alignment/statistics.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

using alignment::SequenceSet;

std::string letters_of(alignment::Alphabet alphabet, std::span<const std::uint8_t> codes) {
  std::string letters(codes.size(), '\0');
  std::transform(codes.begin(), codes.end(), letters.begin(),
                 [&](std::uint8_t c) { return alignment::decode(alphabet, c); });
  return letters;
}

}  // namespace

Range query_range(const Hit& hit, std::size_t length) {
  const std::int64_t first = hit.alignment.query_begin, last = hit.alignment.query_end;
  if (!hit.minus) return {first, last};
  return {static_cast<std::int64_t>(length) - last + 1, static_cast<std::int64_t>(length) - first + 1};
}

std::int64_t gap_letters(const alignment::Alignment& a) { return a.columns - a.identities - a.mismatches; }

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

AlignedRows rows_of(const AlignmentReport& report, std::size_t query, const Hit& hit) {
  AlignedRows rows;
  const alignment::Alphabet alphabet = report.queries.set.alphabet();
  const auto q = report.query_codes(query, hit.minus);
  const auto s = report.database.set.codes(hit.subject);
  auto i = static_cast<std::size_t>(hit.alignment.query_begin - 1);
  auto j = static_cast<std::size_t>(hit.alignment.subject_begin - 1);
  const auto letter = [&](std::uint8_t code) {
    return alignment::decode(alphabet, hit.minus ? complement(code) : code);
  };
  for (const auto& [operation, length] : hit.alignment.path) {
    for (std::int64_t k = 0; k < length; ++k) {
      const bool in_query = operation != 'D', in_subject = operation != 'I';
      const bool positive = in_query && in_subject && report.matrix.score(q[i], s[j]) > 0;
      rows.match += operation == '=' ? '|' : positive ? ':' : ' ';
      rows.query += in_query ? letter(q[i++]) : '-';
      rows.subject += in_subject ? letter(s[j++]) : '-';
    }
  }
  if (hit.minus)
    for (std::string* row : {&rows.query, &rows.match, &rows.subject}) std::reverse(row->begin(), row->end());
  return rows;
}

// --- SAM
// --------------------------------------------------------------------------------------------------------------

namespace {

// SAM 1.6, section 1.4: [!-?A-~]{1,254}.
bool is_query_name(std::string_view name) {
  return name.size() <= 254 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~' && c != '@'; });
}

// SAM 1.6, section 1.2.1: printable, none of \ , " ` ' ( ) [ ] { } < >, and neither * nor = in front.
bool is_reference_name(std::string_view name) {
  return name[0] != '*' && name[0] != '=' && std::all_of(name.begin(), name.end(), [](char c) {
           return c >= '!' && c <= '~' && std::string_view("\\,\"`'()[]{}<>").find(c) == std::string_view::npos;
         });
}

std::string clipped_cigar(const alignment::Alignment& a, std::size_t query_length) {
  const auto clip = [](std::int64_t letters) { return letters > 0 ? fmt::format("{}S", letters) : std::string(); };
  return clip(a.query_begin - 1) + alignment::cigar(a.path) +
         clip(static_cast<std::int64_t>(query_length) - a.query_end);
}

std::string sam_letters(alignment::Alphabet alphabet, std::span<const std::uint8_t> codes) {
  std::string letters = letters_of(alphabet, codes);
  std::replace(letters.begin(), letters.end(), '*', 'X');
  return letters.empty() ? "*" : letters;
}
std::string sam_letters(const AlignmentReport& report, std::size_t query, bool minus) {
  return sam_letters(report.queries.set.alphabet(), report.query_codes(query, minus));
}

std::string sam_qualities(const AlignmentReport& report, std::size_t query, bool minus) {
  const std::string& forward = report.queries.qualities[query];
  if (forward.empty()) return "*";
  return minus ? std::string(forward.rbegin(), forward.rend()) : forward;
}

// The MD tag (SAM optional fields, section 1.1): runs of equal letters, the subject's letters where the query has
// others, and '^' with those that have no partner. A number stands at either end and between letters of mismatches.
std::string md_text(const AlignmentReport& report, const Hit& hit) {
  const std::string subject = sam_letters(report.database.set.alphabet(), report.database.set.codes(hit.subject));
  std::string text;
  std::int64_t equal = 0;
  auto j = static_cast<std::size_t>(hit.alignment.subject_begin - 1);
  for (const auto& [operation, length] : hit.alignment.path) {
    const auto count = static_cast<std::size_t>(length);
    if (operation == '=') equal += length;
    if (operation == 'X')
      for (std::size_t k = 0; k < count; ++k) {
        text += std::to_string(equal) + subject[j + k];
        equal = 0;
      }
    if (operation == 'D') {
      text += std::to_string(equal) + "^" + subject.substr(j, count);
      equal = 0;
    }
    if (operation != 'I') j += count;
  }
  return text + std::to_string(equal);
}

}  // namespace

void check_sam_names(const SequenceFile& queries, const SequenceFile& database) {
  const auto refuse = [](const SequenceFile& file, std::size_t i, const char* id, const std::string& why) {
    throw io::InputError(id, file.file, file.lines[i], 2, fmt::format("'{}' {}", file.set.name(i), why),
                         "--out-format tab takes any name");
  };
  for (std::size_t i = 0; i < queries.set.size(); ++i)
    if (!is_query_name(queries.set.name(i))) refuse(queries, i, "input.sequence.name", "cannot be a query name in SAM");
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < database.set.size(); ++i) {
    const std::string& name = database.set.name(i);
    if (!is_reference_name(name)) refuse(database, i, "input.sequence.name", "cannot be a reference name in SAM");
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new)
      refuse(database, i, "input.sequence.duplicate",
             fmt::format("names the sequence of line {} as well, and SAM needs different names",
                         database.lines[first->second]));
  }
}

std::string sam_header(const SequenceFile& database, const std::string& version, const std::string& command_line) {
  std::string text = "@HD\tVN:1.6\tSO:unknown\n";
  for (std::size_t i = 0; i < database.set.size(); ++i)
    if (database.set.length(i) > 0)  // SAM knows no empty reference, and nothing aligns to one
      fmt::format_to(std::back_inserter(text), "@SQ\tSN:{}\tLN:{}\n", database.set.name(i), database.set.length(i));
  text += fmt::format("@PG\tID:speedwell\tPN:speedwell\tVN:{}\tCL:{}\n", version, io::escape(command_line));
  return text;
}

std::string sam_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits, bool md) {
  const std::string& name = report.queries.set.name(query);
  if (hits.empty())
    return fmt::format("{}\t4\t*\t0\t0\t*\t*\t0\t0\t{}\t{}\n", name, sam_letters(report, query, false),
                       sam_qualities(report, query, false));
  std::string lines;
  for (const Hit& hit : hits) {
    const bool primary = &hit == hits.data();
    fmt::format_to(std::back_inserter(lines), "{}\t{}\t{}\t{}\t255\t{}\t*\t0\t0\t{}\t{}\tAS:i:{}\tNM:i:{}", name,
                   (hit.minus ? 16 : 0) + (primary ? 0 : 256), report.database.set.name(hit.subject),
                   hit.alignment.subject_begin, clipped_cigar(hit.alignment, report.queries.set.length(query)),
                   primary ? sam_letters(report, query, hit.minus) : "*",
                   primary ? sam_qualities(report, query, hit.minus) : "*", hit.score,
                   hit.alignment.mismatches + gap_letters(hit.alignment));
    if (md) lines += "\tMD:Z:" + md_text(report, hit);
    if (hit.evalue) fmt::format_to(std::back_inserter(lines), "\tZE:f:{:.3g}", *hit.evalue);
    lines += '\n';
  }
  return lines;
}

// --- text to read
// -----------------------------------------------------------------------------------------------------

namespace {

std::string title(const SequenceSet& set, std::size_t i) {
  std::string text = io::escape(set.name(i));
  if (!set.description(i).empty()) text += " " + io::escape(set.description(i));
  return text + fmt::format(" ({} letters)", set.length(i));
}

std::string blocks(const AlignedRows& columns, std::int64_t query_first, std::int64_t subject_first,
                   bool subject_descends) {
  constexpr std::size_t width = 60;
  std::string text;
  std::int64_t q = query_first, s = subject_first;
  const auto letters = [](std::string_view row) {
    return static_cast<std::int64_t>(row.size()) - std::count(row.begin(), row.end(), '-');
  };
  for (std::size_t at = 0; at < columns.query.size(); at += width) {
    const std::string query = columns.query.substr(at, width), subject = columns.subject.substr(at, width);
    const std::int64_t q_letters = letters(query), s_letters = letters(subject);
    // A row of gaps alone keeps the place of the letter before it, as the first and the last.
    const std::int64_t q_last = q + q_letters - 1;
    const std::int64_t s_last = subject_descends ? s + 1 - s_letters : s + s_letters - 1;
    fmt::format_to(std::back_inserter(text), "\nquery   {:>10} {} {}\n{:19}{}\nsubject {:>10} {} {}\n",
                   q_letters == 0 ? q_last : q, query, q_last, "", columns.match.substr(at, width),
                   s_letters == 0 ? s_last : s, subject, s_last);
    q += q_letters;
    s = subject_descends ? s - s_letters : s + s_letters;
  }
  return text;
}

}  // namespace

std::string pairwise_text(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits) {
  std::string text = "Query " + title(report.queries.set, query) + "\n";
  if (hits.empty()) text += "No hits.\n";
  for (const Hit& hit : hits) {
    const alignment::Alignment& a = hit.alignment;
    const AlignedRows columns = rows_of(report, query, hit);
    text += "\nSubject " + title(report.database.set, hit.subject) + "\n";
    text += fmt::format("Score {}, {} bits, E {}", hit.score, alignment::format_bit_score(hit.bits),
                        alignment::format_evalue(hit.evalue));
    if (report.queries.set.alphabet() == alignment::Alphabet::dna)
      text += hit.minus ? ", minus strand" : ", plus strand";
    text += fmt::format("\nIdentical {0}/{1} ({2:.1f} %), positive {3}/{1} ({4:.1f} %), gaps {5}/{1} ({6:.1f} %)\n",
                        a.identities, a.columns, percent(a.identities, a.columns), a.positives,
                        percent(a.positives, a.columns), gap_letters(a), percent(gap_letters(a), a.columns));
    text += blocks(columns, query_range(hit, report.queries.set.length(query)).first,
                   hit.minus ? a.subject_end : a.subject_begin, hit.minus);
  }
  return text + "\n";
}

}  // namespace speedwell::cli
