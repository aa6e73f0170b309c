#include "speedwell/apps/alignment/database_search/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::database_search {
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

void check_alphabet(const Composition& composition, Alphabet alphabet, const std::string& file,
                    const std::string& option) {
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
      fmt::format("nothing is translated; {} {} if both files are {}", option, protein ? "protein" : "dna",
                  protein ? "proteins" : "DNA"));
}

}  // namespace speedwell::database_search
