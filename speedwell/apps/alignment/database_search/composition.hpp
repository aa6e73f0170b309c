// The alphabet that a file of sequences seems to be of, by its beginning.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::database_search {

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

/// Throws io::InputError if `file` surely holds what `alphabet` is not. `option`: how the message calls the request for
/// an alphabet.
void check_alphabet(const Composition& composition, alignment::Alphabet alphabet, const std::string& file,
                    const std::string& option = "alphabet");

}  // namespace speedwell::database_search
