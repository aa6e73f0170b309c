// Records of hits: of one search, the same pair as SAM, as a row of a table and as rows of residues.
#include "speedwell/apps/alignment/database_search/records.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/alignment/database_search/pairwise.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

// GGCCATTTT is at 13 … 21 of the subject; r1 is its reverse complement between two residues that do not match, and has
// one other residue within.
struct Found {
  SequenceFile queries = file("@r1 first read\nCAAAATGGCCC\n+\n!\"#$%&'()*+\n@none\nNNNN\n+\nIIII\n");
  SequenceFile database = file(">s the subject\nTTTTACGTACGTGGCCATTTT\n>empty\n>copy\nGGCCATTTT\n");
  alignment::Scoring scoring{alignment::match_mismatch(2, -3), 5, 2};
  std::vector<std::vector<Hit>> hits{};
  SearchedFiles files{queries, database, scoring.matrix};

  Found() {
    search(queries.set, database.set, {.scoring = scoring, .min_score = 10, .threads = 1},
           [&](std::size_t, std::span<const Hit> found) { hits.emplace_back(found.begin(), found.end()); });
  }
  static SequenceFile file(const std::string& text) {
    return read_sequences(io::memory_source(text, ""), "", Alphabet::dna);
  }
};

TEST(DatabaseRecords, AreOfSam) {
  const Found found;
  const auto references = sam_references(found.database);
  ASSERT_EQ(references.size(), 2u) << "an empty sequence is no reference";
  EXPECT_EQ(references[1].name, "copy");
  EXPECT_EQ(references[1].length, 9);
  std::string lines;
  for (const std::size_t query : {0, 1})
    for (const io::SamRecord& record : sam_records(found.files, query, found.hits[query], true))
      lines += io::sam_line(record);
  EXPECT_EQ(lines,
            "r1\t16\ts\t13\t255\t1S9=1S\t*\t0\t0\tGGGCCATTTTG\t+*)('&%$#\"!\tAS:i:18\tNM:i:0\tMD:Z:9\n"
            "r1\t272\tcopy\t1\t255\t1S9=1S\t*\t0\t0\t*\t*\tAS:i:18\tNM:i:0\tMD:Z:9\n"
            "none\t4\t*\t0\t0\t*\t*\t0\t0\tNNNN\tIIII\n");
}

TEST(DatabaseRecords, AreOfBlast) {
  const Found found;
  const auto columns = io::blast_columns("std sstrand qseq sseq cigar qtitle stitle qcovs");
  EXPECT_EQ(io::blast_line(blast_hit(found.files, 0, found.hits[0][0], columns), columns),
            "r1\ts\t100.000\t9\t0\t0\t2\t10\t21\t13\t*\t*\tminus\tAAAATGGCC\tAAAATGGCC\t9=\tr1 first read\ts the "
            "subject\t82\n");
  EXPECT_EQ(blast_hit(found.files, 0, found.hits[0][0], io::blast_columns("score")).query_row, "") << "not asked for";
}

TEST(DatabaseRecords, AreTextToRead) {
  const Found found;
  EXPECT_EQ(pairwise_text(found.files, 0, std::span(found.hits[0]).first(1)),
            "Query r1 first read (11 residues)\n\n"
            "Subject s the subject (21 residues)\nScore 18, * bits, E *, minus strand\n"
            "Identical 9/9 (100.0 %), positive 9/9 (100.0 %), gaps 0/9 (0.0 %)\n\n"
            "query            2 AAAATGGCC 10\n                   |||||||||\nsubject         21 AAAATGGCC 13\n\n");
  EXPECT_EQ(pairwise_text(found.files, 1, found.hits[1]), "Query none (4 residues)\nNo hits.\n\n");
}

TEST(DatabaseRecords, ShowGapsMismatchesAndPositives) {
  const auto file = [](const std::string& text) {
    return read_sequences(io::memory_source(text, ""), "", Alphabet::protein);
  };
  const SequenceFile queries = file(">q\nMKVLAWGGRRTIHW*\n"), database = file(">d\nAMKVLAWRRTVHW*\n");
  const alignment::Scoring scoring{alignment::named_matrix("BLOSUM62"), 2, 1};
  const SearchedFiles files{queries, database, scoring.matrix};
  std::vector<Hit> hits;
  search(queries.set, database.set, {.scoring = scoring, .threads = 1},
         [&](std::size_t, std::span<const Hit> found) { hits.assign(found.begin(), found.end()); });
  ASSERT_EQ(hits.size(), 1u);
  const AlignedRows rows = aligned_rows(files, 0, hits[0]);
  EXPECT_EQ(rows.query, "MKVLAWGGRRTIHW*");
  EXPECT_EQ(rows.match, "||||||  |||:|||");
  EXPECT_EQ(rows.subject, "MKVLAW--RRTVHW*");
  EXPECT_EQ(gap_residues(hits[0].alignment), 2);
  EXPECT_EQ(io::sam_line(sam_records(files, 0, hits, true)[0]),
            "q\t0\td\t2\t255\t6=2I3=1X3=\t*\t0\t0\tMKVLAWGGRRTIHWX\t*\tAS:i:" + std::to_string(hits[0].score) +
                "\tNM:i:3\tMD:Z:9V3\n");
}

}  // namespace
}  // namespace speedwell::database_search
