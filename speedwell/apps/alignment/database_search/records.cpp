#include "speedwell/apps/alignment/database_search/records.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

// Residue i, counted from 0, of the strand of a sequence that was aligned.
std::uint8_t residue(std::span<const std::uint8_t> codes, std::size_t i, bool minus) {
  return minus ? complement(codes[codes.size() - 1 - i]) : codes[i];
}

// Residues as SAM writes them.
std::string sam_residues(Alphabet alphabet, std::span<const std::uint8_t> codes, bool minus = false) {
  std::string text(codes.size(), '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) {
    text[i] = alignment::decode(alphabet, residue(codes, i, minus));
    if (text[i] == '*') text[i] = 'X';
  }
  return text;
}

std::string sam_qualities(const std::string& forward, bool minus) {
  return minus ? std::string(forward.rbegin(), forward.rend()) : forward;
}

std::vector<io::CigarRun> clipped_cigar(const alignment::Alignment& a, std::size_t query_length) {
  std::vector<io::CigarRun> cigar;
  const auto clip = [&](std::int64_t residues) {
    if (residues > 0) cigar.push_back({'S', residues});
  };
  clip(a.query_begin - 1);
  cigar.insert(cigar.end(), a.cigar.begin(), a.cigar.end());
  clip(static_cast<std::int64_t>(query_length) - a.query_end);
  return cigar;
}

// The tag MD, of the aligned part of the subject.
std::string md_of(const SequenceSet& database, const Hit& hit, std::span<const io::CigarRun> cigar) {
  const auto begin = static_cast<std::size_t>(hit.alignment.subject_begin - 1);
  const auto codes =
      database.codes(hit.subject).subspan(begin, static_cast<std::size_t>(hit.alignment.subject_end) - begin);
  return io::sam_md(cigar, sam_residues(database.alphabet(), codes));
}

bool has(std::span<const io::BlastColumn> columns, io::BlastColumn column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

AlignedRows aligned_rows(const SearchedFiles& files, std::size_t query, const Hit& hit) {
  AlignedRows rows;
  const Alphabet alphabet = files.queries.set.alphabet();
  const auto q = files.queries.set.codes(query);
  const auto s = files.database.set.codes(hit.subject);
  auto i = static_cast<std::size_t>(hit.alignment.query_begin - 1);
  auto j = static_cast<std::size_t>(hit.alignment.subject_begin - 1);
  const auto symbol = [&](std::uint8_t code) {
    return alignment::decode(alphabet, hit.minus ? complement(code) : code);
  };
  for (const auto& [operation, count] : hit.alignment.cigar) {
    for (std::int64_t k = 0; k < count; ++k) {
      const bool in_query = operation != 'D', in_subject = operation != 'I';
      const bool positive = in_query && in_subject && files.matrix.score(residue(q, i, hit.minus), s[j]) > 0;
      rows.match += operation == '=' ? '|' : positive ? ':' : ' ';
      rows.query += in_query ? symbol(residue(q, i++, hit.minus)) : '-';
      rows.subject += in_subject ? symbol(s[j++]) : '-';
    }
  }
  if (hit.minus)
    for (std::string* row : {&rows.query, &rows.match, &rows.subject}) std::reverse(row->begin(), row->end());
  return rows;
}

std::int64_t gap_residues(const alignment::Alignment& a) { return a.columns - a.identities - a.mismatches; }

std::vector<io::SamReference> sam_references(const SequenceFile& database) {
  std::vector<io::SamReference> references;
  for (std::size_t i = 0; i < database.set.size(); ++i)
    if (database.set.length(i) > 0)
      references.push_back({database.set.name(i), static_cast<std::int64_t>(database.set.length(i))});
  return references;
}

std::vector<io::SamRecord> sam_records(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits,
                                       bool md) {
  const SequenceSet& queries = files.queries.set;
  const auto of_query = [&](bool with_residues, bool minus) {
    io::SamRecord record{.query_name = queries.name(query)};
    if (!with_residues) return record;
    record.sequence = sam_residues(queries.alphabet(), queries.codes(query), minus);
    record.qualities = sam_qualities(files.queries.qualities[query], minus);
    return record;
  };
  std::vector<io::SamRecord> records;
  if (hits.empty()) {
    records.push_back(of_query(true, false));
    records[0].flag = io::sam_unmapped;
    records[0].mapping_quality = 0;
  }
  for (const Hit& hit : hits) {
    const bool primary = records.empty();
    io::SamRecord record = of_query(primary, hit.minus);
    record.flag = (hit.minus ? io::sam_reverse : 0u) | (primary ? 0u : io::sam_secondary);
    record.reference_name = files.database.set.name(hit.subject);
    record.position = hit.alignment.subject_begin;
    record.cigar = clipped_cigar(hit.alignment, queries.length(query));
    record.tags = {{"AS", 'i', std::to_string(hit.score)},
                   {"NM", 'i', std::to_string(hit.alignment.mismatches + gap_residues(hit.alignment))}};
    if (md) record.tags.push_back({"MD", 'Z', md_of(files.database.set, hit, record.cigar)});
    if (hit.evalue) record.tags.push_back({"ZE", 'f', fmt::format("{:.3g}", *hit.evalue)});
    records.push_back(std::move(record));
  }
  return records;
}

std::string title(const SequenceSet& set, std::size_t i) {
  return set.description(i).empty() ? set.name(i) : set.name(i) + " " + set.description(i);
}

io::BlastHit blast_hit(const SearchedFiles& files, std::size_t query, const Hit& hit,
                       std::span<const io::BlastColumn> columns) {
  using enum io::BlastColumn;
  const SequenceSet& queries = files.queries.set;
  const SequenceSet& database = files.database.set;
  const alignment::Alignment& a = hit.alignment;
  const Range range = query_range(hit, queries.length(query));
  const bool dna = queries.alphabet() == Alphabet::dna;
  io::BlastHit result{.query_id = queries.name(query),
                      .subject_id = database.name(hit.subject),
                      .query_length = static_cast<std::int64_t>(queries.length(query)),
                      .subject_length = static_cast<std::int64_t>(database.length(hit.subject)),
                      .strand = !dna        ? io::BlastStrand::none
                                : hit.minus ? io::BlastStrand::minus
                                            : io::BlastStrand::plus,
                      .score = hit.score,
                      .evalue = io::format_evalue(hit.evalue),
                      .bit_score = io::format_bit_score(hit.bits),
                      .length = a.columns,
                      .identities = a.identities,
                      .mismatches = a.mismatches,
                      .positives = a.positives,
                      .gap_opens = a.gap_opens,
                      .query_begin = range.first,
                      .query_end = range.last,
                      .subject_begin = a.subject_begin,
                      .subject_end = a.subject_end};
  if (has(columns, qtitle)) result.query_title = title(queries, query);
  if (has(columns, stitle)) result.subject_title = title(database, hit.subject);
  if (has(columns, cigar)) result.cigar = alignment::cigar_string(a.cigar);
  if (has(columns, qseq) || has(columns, sseq)) {
    AlignedRows rows = aligned_rows(files, query, hit);
    result.query_row = std::move(rows.query);
    result.subject_row = std::move(rows.subject);
  }
  return result;
}

}  // namespace speedwell::database_search
