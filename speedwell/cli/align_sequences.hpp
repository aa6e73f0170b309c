// Reading the sequences of `speedwell align`: which alphabet they are of.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/apps/alignment/scoring.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {

/// The composition of a file, by the residues in its first 64 KiB: DNA when at least nine of ten are A, C, G, T,
/// U or N, protein when fewer than half are (of a protein's residues about a quarter are), and else undecided.
struct Composition {
  std::size_t residues = 0, nucleotides = 0;
  bool resembles_dna() const { return residues > 0 && nucleotides >= residues - residues / 10; }
  bool resembles_protein() const { return nucleotides < residues - residues / 2; }
  /// Fewer residues are too few to refuse a file for them: a peptide may have none but these.
  bool is_conclusive() const { return residues >= 20; }
};

/// A source that still has all bytes, with the composition of its beginning.
struct Sniffed {
  std::unique_ptr<io::Source> source;
  Composition composition;
};
Sniffed sniff(std::unique_ptr<io::Source> source);

/// Throws io::InputError if `file` surely holds what `alphabet` is not.
void check_alphabet(const Composition& composition, alignment::Alphabet alphabet, const std::string& file);

/// database_search::read_sequences(). `guessed`: an error about a residue of DNA gets the hint that the alphabet was a
/// guess.
database_search::SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file,
                                                 alignment::Alphabet alphabet, bool strict, bool guessed);

}  // namespace speedwell::cli
