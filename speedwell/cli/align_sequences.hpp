// Reading the sequences of `speedwell align`: which alphabet, which letters, and both strands of DNA.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequence_set.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {

/// A file of sequences as codes, and what the codes leave out.
struct SequenceFile {
  explicit SequenceFile(alignment::Alphabet alphabet) : set(alphabet) {}

  std::string file;  // as in messages
  alignment::SequenceSet set;
  std::vector<std::string> qualities;  // of each sequence; empty strings for FASTA
  std::vector<std::size_t> lines;      // of each header
  std::vector<io::Warning> warnings;
};

/// What the letters of a file seem to be, by those in its first 64 KiB: DNA when at least nine of ten are A, C, G, T, U
/// or N, protein when fewer than half are (of a protein's letters about a quarter are), and else undecided.
struct Look {
  std::size_t letters = 0, nucleotides = 0;
  bool like_dna() const { return letters > 0 && nucleotides >= letters - letters / 10; }
  bool like_protein() const { return nucleotides < letters - letters / 2; }
  /// Fewer letters are too few to refuse a file for them: a peptide may have none but these.
  bool is_sure() const { return letters >= 20; }
};

/// A stream put back as it was after that look.
struct Sniffed {
  std::unique_ptr<io::Source> source;
  Look look;
};
Sniffed sniff(std::unique_ptr<io::Source> source);

/// Throws io::InputError if `file` surely holds what `alphabet` is not.
void check_alphabet(const Look& look, alignment::Alphabet alphabet, const std::string& file);

/// Reads every record of `source`. Protein letters are A-Z and '*'; U (scored as C) and O (scored as X) are warned of.
/// DNA letters are the IUPAC codes. Records without letters are warned of. With `strict`, errors in place of warnings.
/// `guessed`: an error about a letter of DNA gets the hint that the alphabet was a guess. Throws io::InputError.
SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file,
                                alignment::Alphabet alphabet, bool strict, bool guessed);

/// The code of the complementary nucleotide; ambiguity codes complement the set they stand for.
std::uint8_t complement(std::uint8_t code);
/// Every sequence read backwards and complemented, under the same name.
alignment::SequenceSet reverse_complement(const alignment::SequenceSet& set);

}  // namespace speedwell::cli
