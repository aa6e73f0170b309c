// Records of hits for writers: of SAM (io/sam.hpp) and of BLAST's tabular format (io/blast_tabular.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/database_search.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/io/blast_tabular.hpp"
#include "speedwell/io/sam.hpp"

namespace speedwell::database_search {

/// The context of hits: the sets that were searched, as they were read, and the scoring's matrix.
struct SearchedFiles {
  const SequenceFile& queries;
  const SequenceFile& database;
  const alignment::SubstitutionMatrix& matrix;
};

/// An alignment as residues, on the query's own strand: '-' for gaps, and between the two '|' for equal residues and
/// ':' for others with a positive score.
struct AlignedRows {
  std::string query, match, subject;
};
AlignedRows aligned_rows(const SearchedFiles& files, std::size_t query, const Hit& hit);

/// Residues without partner, of both sequences.
std::int64_t gap_residues(const alignment::Alignment& alignment);

/// For io::sam_header(): every database sequence that has residues. SAM has no empty references, and nothing aligns to
/// one.
std::vector<io::SamReference> sam_references(const SequenceFile& database);
/// A record a hit (the first is the primary alignment, the others have flag 256 and no residues), or one unmapped
/// record of a query without hits. Tags: AS (score), NM (mismatches and gap residues), ZE (E-value, if there is one),
/// and with `md` MD. CIGARs have '=' and 'X', and soft clips. '*' in a protein is written as X: SAM has no symbol for a
/// stop. Hits need their alignments.
std::vector<io::SamRecord> sam_records(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits,
                                       bool md = false);

/// The values of a hit for a line with `columns`. The hit needs its alignment if io::needs_alignment(columns).
io::BlastHit blast_hit(const SearchedFiles& files, std::size_t query, const Hit& hit,
                       std::span<const io::BlastColumn> columns);
/// The header line of a sequence: its identifier and description.
std::string title(const alignment::SequenceSet& set, std::size_t sequence);

}  // namespace speedwell::database_search
