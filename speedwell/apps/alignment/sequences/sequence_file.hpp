// Sequences of a FASTA or FASTQ file, plain or gzip, as a SequenceSet.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell::alignment {

/// The symbols that encode() accepts; U and O of proteins are noted, because they score as C and X.
io::SequenceRules sequence_rules(Alphabet alphabet);

/// All sequences of a file ("-": standard input). Throws io::InputError. What was odd is appended to `warnings`.
SequenceSet read_sequence_set(const std::string& path, Alphabet alphabet, std::vector<io::Warning>* warnings = nullptr);

}  // namespace speedwell::alignment
