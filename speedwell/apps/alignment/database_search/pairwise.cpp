#include "speedwell/apps/alignment/database_search/pairwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "speedwell/core/units.hpp"
#include "speedwell/io/blast_tabular.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::database_search {
namespace {

// Escaped, with the length.
std::string sequence_title(const alignment::SequenceSet& set, std::size_t i) {
  std::string text = io::escape(set.name(i));
  if (!set.description(i).empty()) text += fmt::format(" {}", io::escape(set.description(i)));
  return text + fmt::format(" ({})", core::counted(set.length(i), "residue"));
}

std::string blocks(const AlignedRows& columns, std::int64_t query_first, std::int64_t subject_first,
                   bool subject_descends) {
  constexpr std::size_t width = 60;
  std::string text;
  std::int64_t q = query_first, s = subject_first;
  const auto residues = [](std::string_view row) {
    return static_cast<std::int64_t>(row.size()) - std::count(row.begin(), row.end(), '-');
  };
  for (std::size_t at = 0; at < columns.query.size(); at += width) {
    const std::string query = columns.query.substr(at, width), subject = columns.subject.substr(at, width);
    const std::int64_t q_residues = residues(query), s_residues = residues(subject);
    // A row of gaps alone keeps the position of the residue before it, as the first and the last.
    const std::int64_t q_last = q + q_residues - 1;
    const std::int64_t s_last = subject_descends ? s + 1 - s_residues : s + s_residues - 1;
    fmt::format_to(std::back_inserter(text), "\nquery   {:>10} {} {}\n{:19}{}\nsubject {:>10} {} {}\n",
                   q_residues == 0 ? q_last : q, query, q_last, "", columns.match.substr(at, width),
                   s_residues == 0 ? s_last : s, subject, s_last);
    q += q_residues;
    s = subject_descends ? s - s_residues : s + s_residues;
  }
  return text;
}

}  // namespace

std::string pairwise_text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) {
  std::string text = "Query " + sequence_title(files.queries.set, query) + "\n";
  if (hits.empty()) text += "No hits.\n";
  for (const Hit& hit : hits) {
    const alignment::Alignment& a = hit.alignment;
    const AlignedRows columns = aligned_rows(files, query, hit);
    text += "\nSubject " + sequence_title(files.database.set, hit.subject) + "\n";
    text += fmt::format("Score {}, {} bits, E {}", hit.score, io::format_bit_score(hit.bits),
                        io::format_evalue(hit.evalue));
    if (files.queries.set.alphabet() == alignment::Alphabet::dna)
      text += hit.minus ? ", minus strand" : ", plus strand";
    text += fmt::format("\nIdentical {0}/{1} ({2:.1f} %), positive {3}/{1} ({4:.1f} %), gaps {5}/{1} ({6:.1f} %)\n",
                        a.identities, a.columns, io::percent(a.identities, a.columns), a.positives,
                        io::percent(a.positives, a.columns), gap_residues(a), io::percent(gap_residues(a), a.columns));
    text += blocks(columns, query_range(hit, files.queries.set.length(query)).first,
                   hit.minus ? a.subject_end : a.subject_begin, hit.minus);
  }
  return text + "\n";
}

}  // namespace speedwell::database_search
