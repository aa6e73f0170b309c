// Reads the sequences of a FASTA or FASTQ file, plain or gzip, into a SequenceSet.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::alignment {

/// The rules by which a file is read: it may have the symbols that encode() accepts. U and O of proteins cause a
/// warning, because they score as C and X.
io::SequenceRules sequence_rules(Alphabet alphabet);

/// All sequences of a file ("-": standard input). Throws io::InputError. Appends what it warns
/// about to `warnings`, if given.
SequenceSet read_sequence_set(const std::string& path, Alphabet alphabet, std::vector<io::Warning>* warnings = nullptr);

}  // namespace speedwell::alignment
