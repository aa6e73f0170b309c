// Files of sequences for a search, both strands of DNA, and what masking leaves.
#include "speedwell/apps/alignment/database_search/sequences.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/alignment/database_search/masking.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

std::string text(const alignment::SequenceSet& set, std::size_t i) {
  std::string residues;
  for (const auto code : set.codes(i)) residues += alignment::decode(set.alphabet(), code);
  return residues;
}

SequenceFile read(const std::string& bytes, Alphabet alphabet, bool strict = false) {
  return read_sequences(io::memory_source(bytes, "file"), "file", alphabet, strict);
}

TEST(DatabaseSequences, KeepQualitiesLinesAndWarnings) {
  const SequenceFile reads = read("@a first\nACGT\n+\nIIII\n@b\nGG\n+\n!~\n", Alphabet::dna);
  EXPECT_EQ(reads.set.size(), 2u);
  EXPECT_EQ(reads.set.description(0), "first");
  EXPECT_EQ(reads.qualities, (std::vector<std::string>{"IIII", "!~"}));
  EXPECT_EQ(reads.lines, (std::vector<std::size_t>{1, 5}));
  EXPECT_TRUE(reads.warnings.empty());

  const SequenceFile proteins = read(">p\nMKV\n>empty\n>other\n", Alphabet::protein);
  EXPECT_EQ(proteins.qualities, (std::vector<std::string>{"", "", ""}));
  ASSERT_EQ(proteins.warnings.size(), 1u);
  EXPECT_EQ(io::to_string(proteins.warnings[0]), "file:3: 'empty' has no residues, and so no hits (and 1 more)");
  EXPECT_THROW(read(">p\nMKV\n>empty\n", Alphabet::protein, true), io::InputError);
  EXPECT_THROW(read(">p\nMKV1\n", Alphabet::protein), io::InputError);
  EXPECT_THROW(read_sequences("/no/such/file.fa", Alphabet::dna), io::InputError);
}

TEST(DatabaseSequences, ComplementEveryNucleotideCode) {
  alignment::SequenceSet set(Alphabet::dna);
  set.add("all", "", "ACGTRYSWKMBDHVN");
  const auto reversed = reverse_complement(set);
  EXPECT_EQ(text(reversed, 0), "NBDHVKMWSRYACGT");
  EXPECT_EQ(reversed.name(0), "all");
}

TEST(DatabaseSequences, MaskedQueriesDifferWhereResiduesAreOfLowComplexity) {
  alignment::SequenceSet queries(Alphabet::dna);
  queries.add("diverse", "", "ACGTTGCAGGCTATCCGATG");
  queries.add("run", "", "ACGTTGCAGGCTATCCGATG" + std::string(30, 'A'));
  const MaskedQueries masked = mask_queries(queries, Masking::dust, true, 2);
  EXPECT_EQ(masked.queries, 1u);
  EXPECT_EQ(masked.residues, 30u);
  EXPECT_EQ(masked.differs, (std::vector<bool>{false, true}));
  EXPECT_EQ(text(masked.set, 1), "ACGTTGCAGGCTATCCGATG" + std::string(30, 'N'));
  EXPECT_EQ(text(masked.minus, 1), std::string(30, 'N') + "CATCGGATAGCCTGCAACGT");
}

}  // namespace
}  // namespace speedwell::database_search
