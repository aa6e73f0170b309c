#include "speedwell/apps/alignment/database_search/sequences.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "speedwell/apps/alignment/sequences/sequence_file.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

// A record without residues has no hits: the first one is named.
void note_empty(const io::SequenceRecord& record, bool strict, io::Warning& warning) {
  if (warning.count++ > 0) return;
  warning.line = record.line;
  warning.message = fmt::format("'{}' has no residues, and so no hits", record.name);
  if (strict) throw io::InputError(warning.id, warning.file, warning.line, 0, warning.message);
}

}  // namespace

SequenceFile read_sequences(std::unique_ptr<io::Source> source, const std::string& file, Alphabet alphabet,
                            bool strict) {
  return read_sequences(std::move(source), file, alphabet, strict, [](const io::SequenceRecord&) { return true; });
}

void append(const io::SequenceRecord& record, SequenceFile& file) {
  file.set.add(record.name, record.description, record.sequence);
  file.qualities.push_back(record.qualities);
  file.lines.push_back(record.line);
}

SequenceFile read_sequences(std::unique_ptr<io::Source> source, const std::string& file, Alphabet alphabet, bool strict,
                            const std::function<bool(const io::SequenceRecord&)>& keep) {
  SequenceFile result(alphabet);
  result.file = file;
  io::SequenceRules rules = alignment::sequence_rules(alphabet);
  rules.strict = strict;
  io::SequenceReader reader(std::move(source), file, rules);
  io::Warning empty{.id = "input.sequence.empty", .file = file, .message = {}};
  for (io::SequenceRecord record; reader.next(record);) {
    if (record.sequence.empty()) note_empty(record, strict, empty);
    if (keep(record)) {
      append(record, result);
    } else if (result.set.size() > 0) {
      result = SequenceFile(alphabet);
      result.file = file;
    }
  }
  result.warnings = reader.warnings();
  if (empty.count > 0) result.warnings.push_back(empty);
  return result;
}

SequenceFile read_sequences(const std::string& path, Alphabet alphabet, bool strict) {
  return read_sequences(io::open_source(path), io::display_name(path), alphabet, strict);
}

std::uint8_t complement(std::uint8_t code) {
  static const auto partners = [] {
    constexpr std::string_view of = "ACGTRYSWKMBDHVN";
    constexpr std::string_view partner = "TGCAYRSWMKVHDBN";
    std::array<std::uint8_t, alignment::code_limit> table{};
    for (std::size_t i = 0; i < of.size(); ++i)
      table[static_cast<std::size_t>(alignment::encode(Alphabet::dna, of[i]))] =
          static_cast<std::uint8_t>(alignment::encode(Alphabet::dna, partner[i]));
    return table;
  }();
  return partners[code];
}

alignment::SequenceSet reverse_complement(const alignment::SequenceSet& set) {
  alignment::SequenceSet reversed(Alphabet::dna);
  std::vector<std::uint8_t> codes;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto forward = set.codes(i);
    codes.assign(forward.rbegin(), forward.rend());
    for (std::uint8_t& code : codes) code = complement(code);
    reversed.add_codes(set.name(i), codes);
  }
  return reversed;
}

}  // namespace speedwell::database_search
