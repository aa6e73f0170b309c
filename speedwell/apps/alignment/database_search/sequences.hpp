// The sequences of a FASTA or FASTQ file for a search: residues as codes, qualities, and the strands of DNA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::database_search {

/// A file of sequences as codes, and what the codes leave out.
struct SequenceFile {
  explicit SequenceFile(alignment::Alphabet alphabet) : set(alphabet) {}

  std::string file;  // as in messages
  alignment::SequenceSet set;
  std::vector<std::string> qualities;  // of each sequence; empty strings for FASTA
  std::vector<std::size_t> lines;      // of each header
  std::vector<io::Warning> warnings;
};

/// Reads every record of `source`, which messages call `file`. Protein residues are A-Z and '*'; U (scored as C) and O
/// (scored as X) are warned of. DNA residues are the IUPAC codes. Records without residues are warned of. With
/// `strict`, errors in place of warnings. Throws io::InputError.
SequenceFile read_sequences(std::unique_ptr<io::Source> source, const std::string& file, alignment::Alphabet alphabet,
                            bool strict = false);
/// The same, but `keep` is called with every record, in order, and once it has said false no more records are kept, and
/// those before are dropped. Warnings are of all records.
SequenceFile read_sequences(std::unique_ptr<io::Source> source, const std::string& file, alignment::Alphabet alphabet,
                            bool strict, const std::function<bool(const io::SequenceRecord&)>& keep);
/// Appends a record, whose residues are of the alphabet.
void append(const io::SequenceRecord& record, SequenceFile& file);
/// The same as the first of a path, plain or gzip; "-" is standard input.
SequenceFile read_sequences(const std::string& path, alignment::Alphabet alphabet, bool strict = false);

/// The code of the complementary nucleotide; ambiguity codes complement the set they stand for.
std::uint8_t complement(std::uint8_t code);
/// Every sequence read backwards and complemented, under the same name.
alignment::SequenceSet reverse_complement(const alignment::SequenceSet& set);

}  // namespace speedwell::database_search
