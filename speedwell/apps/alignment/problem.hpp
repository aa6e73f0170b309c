// A search problem of the harness: which sequences, which scores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/apps/alignment/verify/pair_checks.hpp"

namespace speedwell::alignment {

/// Sequences made from random numbers by index: the same on every machine and for any number of threads. Proteins have
/// the residue frequencies of Swiss-Prot, DNA equal ones; lengths are log-normal.
struct Population {
  Alphabet alphabet = Alphabet::protein;
  std::int64_t count = 0;
  double mean_length = 360;  // residues
  double spread = 0.65;      // standard deviation of the length's logarithm; Swiss-Prot's is about that
  std::uint64_t seed = 1;
  std::vector<std::size_t> lengths = {};  // where given: sequence i has lengths[i % lengths.size()] residues
};
/// Lengths of the 20 proteins that papers on database search have used as queries since CUDASW++ (Liu, Maskell and
/// Schmidt, BMC Research Notes 2 (2009) 73): 144 to 5478.
std::vector<std::size_t> survey_lengths();
std::size_t length_of(const Population& population, std::int64_t index);
SequenceSet make_sequences(const Population& population);
/// The same, but `related` of the sequences (0 to 1) are copies of one of `ancestors` with three residues of ten
/// replaced and a few lost: related sequences whose scores do not fit 8 bits, as a database has them. Lengths stay
/// those of length_of(): a copy is cut, or continued with random residues.
SequenceSet make_relatives(const Population& population, const SequenceSet& ancestors, double related);

/// A word that was written over residues of both sequences of a pair, at positions counted from 0.
struct PlantedWord {
  std::size_t query_begin = 0, subject_begin = 0, length = 0;
};
/// The least length of both sequences for plant_words().
std::size_t min_planted_length(std::size_t blocks);
/// Cuts each of the two sequences, the first of its set, into `blocks` blocks of equal length, and writes a word of 100
/// to 199 random residues into each pair of blocks, another for every pair: the same into a slot of the query's block
/// and one of the subject's. Throws std::invalid_argument for a set of several sequences or one that is too short.
std::vector<PlantedWord> plant_words(SequenceSet& query, SequenceSet& subject, std::size_t blocks, std::uint64_t seed);
/// Where the best alignment about each word ends, and its score, by the reference on the word's surroundings alone: the
/// whole table has that score there, or more. Counted from 0.
std::vector<KnownCell> ends_of_words(Codes query, Codes subject, const Scoring& scoring,
                                     const std::vector<PlantedWord>& words);

/// A matrix of matrix_names(), or "MATCH/MISMATCH" for DNA, as in "2/-3". Throws std::invalid_argument.
SubstitutionMatrix matrix_of(std::string_view text);
/// The costs that BLAST uses with this matrix where the user gives none: 11 and 1 with BLOSUM62, 5 and 2 with 2/-3.
Scoring usual_scoring(const SubstitutionMatrix& matrix);

}  // namespace speedwell::alignment
