// Reading the sequences of `speedwell align`: which alphabet, which letters, and both strands of DNA.
#pragma once

#include <cstddef>
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

/// A stream put back as it was after a look at its first 64 KiB, and what they seem to hold: DNA when at least nine of
/// ten letters are A, C, G, T, U or N. A stream without letters counts as protein, where every letter is allowed.
struct Sniffed {
  std::unique_ptr<io::Source> source;
  alignment::Alphabet alphabet;
};
Sniffed sniff(std::unique_ptr<io::Source> source);

/// Reads every record of `source`. Protein letters are A-Z and '*'; U (scored as C) and O (scored as X) are warned of.
/// DNA letters are the IUPAC codes. With `strict`, errors in place of warnings. `guessed`: an error about a letter of
/// DNA gets the hint that the alphabet was a guess. Throws io::InputError.
SequenceFile read_sequence_file(std::unique_ptr<io::Source> source, const std::string& file,
                                alignment::Alphabet alphabet, bool strict, bool guessed);

/// The code of the complementary nucleotide; ambiguity codes complement the set they stand for.
std::uint8_t complement(std::uint8_t code);
/// Every sequence read backwards and complemented, under the same name.
alignment::SequenceSet reverse_complement(const alignment::SequenceSet& set);

}  // namespace speedwell::cli
