// Real sequences for comparisons: proteins, and pieces of two mitochondrial genomes.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/io/fasta.hpp"

namespace speedwell {

/// The sequences of a file of tests/data; an environment variable names the folder if the program has been copied
/// elsewhere.
inline std::vector<std::string> sequences_of(const std::string& file) {
  const char* elsewhere = std::getenv("SPEEDWELL_TEST_DATA");
  const std::string folder = elsewhere ? elsewhere : SPEEDWELL_TEST_DATA;
  std::vector<std::string> all;
  for (auto& record : io::read_sequences(folder + "/" + file).records) all.push_back(std::move(record.sequence));
  return all;
}

/// The genome cut into `count` pieces, in upper case. Their lengths go round from 60 to 420 residues, so that they are
/// not all alike; where the pieces overlap or leave gaps does not matter.
inline std::vector<std::string> pieces_of(const std::string& file, std::size_t count) {
  std::string genome = sequences_of(file).at(0);
  for (char& c : genome) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < count; ++i)
    pieces.push_back(genome.substr(i * (genome.size() - 420) / count, 60 + 37 * i % 361));
  return pieces;
}

inline alignment::SequenceSet set_of(alignment::Alphabet alphabet, const std::vector<std::string>& sequences) {
  alignment::SequenceSet set(alphabet);
  for (std::size_t i = 0; i < sequences.size(); ++i) set.add(std::to_string(i), "", sequences[i]);
  return set;
}

}  // namespace speedwell
