#include "speedwell/cli/align_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;

constexpr std::size_t sniffed_bytes = 1 << 16;

bool likely_nucleotide(char residue) {
  return std::string_view("ACGTUNacgtun").find(residue) != std::string_view::npos;
}

}  // namespace

Sniffed sniff(std::unique_ptr<io::Source> source) {
  std::string front(sniffed_bytes, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source->read(std::span(front).subspan(size))) size += got;
  front.resize(size);
  Composition composition;
  io::SequenceRecord record;
  const auto count = [&] {
    composition.residues += record.sequence.size();
    composition.nucleotides +=
        static_cast<std::size_t>(std::count_if(record.sequence.begin(), record.sequence.end(), likely_nucleotide));
  };
  try {
    io::SequenceReader reader(io::prefixed(front, io::memory_source({}, "")), "");
    while (reader.next(record)) count();
  } catch (const io::InputError&) {
    count();  // the beginning ends within a record, or the file is wrong: the reading proper says so
  }
  return {io::prefixed(std::move(front), std::move(source)), composition};
}

void check_alphabet(const Composition& composition, Alphabet alphabet, const std::string& file) {
  const bool protein = alphabet == Alphabet::protein;
  if (!composition.is_conclusive() || !(protein ? composition.resembles_dna() : composition.resembles_protein()))
    return;
  throw io::InputError(
      "input.sequence.alphabet", file, 0, 0,
      fmt::format("this looks like {} ({:.0f} % of the residues at its beginning are A, C, G, T, U or "
                  "N), and the search is one of {}",
                  protein ? "DNA" : "protein",
                  100.0 * static_cast<double>(composition.nucleotides) / static_cast<double>(composition.residues),
                  protein ? "proteins" : "DNA"),
      fmt::format("nothing is translated; --alphabet {} if both files are {}", protein ? "protein" : "dna",
                  protein ? "proteins" : "DNA"));
}

database_search::SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file,
                                                 Alphabet alphabet, bool strict, bool guessed) {
  try {
    return database_search::read_sequences(std::move(source), file, alphabet, strict);
  } catch (const io::InputError& error) {
    // Every symbol is that of an amino acid, so only the guess of DNA can be what is wrong.
    if (!guessed || alphabet == Alphabet::protein || !error.hint().empty() || !error.id().ends_with(".character"))
      throw;
    throw io::InputError(error.id(), error.file(), error.line(), error.column(), error.message(),
                         "the queries look like DNA: --alphabet protein if they are not");
  }
}

}  // namespace speedwell::cli
