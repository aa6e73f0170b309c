#include "speedwell/cli/align_sequences.hpp"

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

}  // namespace

Sniffed sniff(std::unique_ptr<io::Source> source) {
  std::string front(sniffed_bytes, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source->read(std::span(front).subspan(size))) size += got;
  front.resize(size);
  std::size_t letters = 0, nucleotides = 0;
  io::SequenceRecord record;
  const auto count = [&] {
    letters += record.letters.size();
    nucleotides +=
        static_cast<std::size_t>(std::count_if(record.letters.begin(), record.letters.end(), likely_nucleotide));
  };
  try {
    io::SequenceReader reader(io::prefixed(front, io::memory_source({}, "")), "");
    while (reader.next(record)) count();
  } catch (const io::InputError&) {
    count();  // the look breaks off within a record, or the file is wrong: the reading proper says so
  }
  const bool dna = letters > 0 && nucleotides >= letters - letters / 10;
  return {io::prefixed(std::move(front), std::move(source)), dna ? Alphabet::dna : Alphabet::protein};
}

SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file, Alphabet alphabet,
                                bool strict, bool guessed) {
  SequenceFile result(alphabet);
  result.file = file;
  io::SequenceRules rules = alignment::sequence_rules(alphabet);
  rules.strict = strict;
  try {
    io::SequenceReader reader(std::move(source), file, rules);
    for (io::SequenceRecord record; reader.next(record);) {
      result.set.add(record.name, record.description, record.letters);
      result.qualities.push_back(record.qualities);
      result.lines.push_back(record.line);
    }
    result.warnings = reader.warnings();
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
