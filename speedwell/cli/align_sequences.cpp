#include "speedwell/cli/align_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "speedwell/apps/alignment/sequence_file.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;

constexpr std::size_t sniffed_bytes = 1 << 16;

bool likely_nucleotide(char letter) { return std::string_view("ACGTUNacgtun").find(letter) != std::string_view::npos; }

// A record without letters has no hits: the first one is named.
void note_empty(const io::SequenceRecord& record, bool strict, io::Warning& warning) {
  if (warning.count++ > 0) return;
  warning.line = record.line;
  warning.message = fmt::format("'{}' has no letters, and so no hits", record.name);
  if (strict) throw io::InputError(warning.id, warning.file, warning.line, 0, warning.message);
}

}  // namespace

Sniffed sniff(std::unique_ptr<io::Source> source) {
  std::string front(sniffed_bytes, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source->read(std::span(front).subspan(size))) size += got;
  front.resize(size);
  Look look;
  io::SequenceRecord record;
  const auto count = [&] {
    look.letters += record.letters.size();
    look.nucleotides +=
        static_cast<std::size_t>(std::count_if(record.letters.begin(), record.letters.end(), likely_nucleotide));
  };
  try {
    io::SequenceReader reader(io::prefixed(front, io::memory_source({}, "")), "");
    while (reader.next(record)) count();
  } catch (const io::InputError&) {
    count();  // the look breaks off within a record, or the file is wrong: the reading proper says so
  }
  return {io::prefixed(std::move(front), std::move(source)), look};
}

void check_alphabet(const Look& look, Alphabet alphabet, const std::string& file) {
  const bool protein = alphabet == Alphabet::protein;
  if (!look.is_sure() || !(protein ? look.like_dna() : look.like_protein())) return;
  throw io::InputError("input.sequence.alphabet", file, 0, 0,
                       fmt::format("this looks like {} ({:.0f} % of the letters at its beginning are A, C, G, T, U or "
                                   "N), and the search is one of {}",
                                   protein ? "DNA" : "protein",
                                   100.0 * static_cast<double>(look.nucleotides) / static_cast<double>(look.letters),
                                   protein ? "proteins" : "DNA"),
                       fmt::format("nothing is translated; --alphabet {} if both files are {}",
                                   protein ? "protein" : "dna", protein ? "proteins" : "DNA"));
}

SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file, Alphabet alphabet,
                                bool strict, bool guessed) {
  SequenceFile result(alphabet);
  result.file = file;
  io::SequenceRules rules = alignment::sequence_rules(alphabet);
  rules.strict = strict;
  try {
    io::SequenceReader reader(std::move(source), file, rules);
    io::Warning empty{.id = "input.sequence.empty", .file = file, .message = {}};
    for (io::SequenceRecord record; reader.next(record);) {
      if (record.letters.empty()) note_empty(record, strict, empty);
      result.set.add(record.name, record.description, record.letters);
      result.qualities.push_back(record.qualities);
      result.lines.push_back(record.line);
    }
    result.warnings = reader.warnings();
    if (empty.count > 0) result.warnings.push_back(empty);
  } catch (const io::InputError& error) {
    // Every letter is an amino acid's, so only the guess of DNA can be what is wrong.
    if (!guessed || alphabet == Alphabet::protein || !error.hint().empty() || !error.id().ends_with(".character"))
      throw;
    throw io::InputError(error.id(), error.file(), error.line(), error.column(), error.message(),
                         "the queries look like DNA: --alphabet protein if they are not");
  }
  return result;
}

std::uint8_t complement(std::uint8_t code) {
  constexpr std::string_view of = "ACGTRYSWKMBDHVN";
  constexpr std::string_view partner = "TGCAYRSWMKVHDBN";
  const char letter = alignment::decode(Alphabet::dna, code);
  return static_cast<std::uint8_t>(alignment::encode(Alphabet::dna, partner[of.find(letter)]));
}

alignment::SequenceSet reverse_complement(const alignment::SequenceSet& set) {
  alignment::SequenceSet reversed(Alphabet::dna);
  std::array<std::uint8_t, alignment::code_limit> partner{};
  for (std::size_t code = 0; code < alignment::letters(Alphabet::dna).size(); ++code)
    partner[code] = complement(static_cast<std::uint8_t>(code));
  std::vector<std::uint8_t> codes;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto forward = set.codes(i);
    codes.assign(forward.rbegin(), forward.rend());
    for (std::uint8_t& code : codes) code = partner[code];
    reversed.add_codes(set.name(i), codes);
  }
  return reversed;
}

}  // namespace speedwell::cli
