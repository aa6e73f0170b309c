// Exact local alignment with affine gaps: scores of many queries against many subjects, and alignments of pairs.
// Smith and Waterman, J. Mol. Biol. 147 (1981) 195; Gotoh, J. Mol. Biol. 162 (1982) 705.
//
//   E(i,j) = max(H(i,j-1) - open - extend, E(i,j-1) - extend)     a gap in the query: subject residues without partner
//   F(i,j) = max(H(i-1,j) - open - extend, F(i-1,j) - extend)     a gap in the subject
//   H(i,j) = max(0, H(i-1,j-1) + score(query i, subject j), E(i,j), F(i,j)),     H(i,0) = H(0,j) = 0
//
// Sequences are codes of an Alphabet. Scores are 32-bit integers; a problem whose scores could exceed them
// (highest matrix score times the length of the shorter sequence) is refused with std::invalid_argument, and so are
// sets and matrices of different alphabets and gap costs that are negative or both zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "speedwell/io/sam.hpp"

namespace speedwell::alignment {

using Codes = std::span<const std::uint8_t>;

/// Control of long computations: when `stop` becomes true they throw Stopped within seconds. `cells` is increased by
/// the number of cells computed, without those that are computed again.
struct Control {
  const std::atomic<bool>* stop = nullptr;
  std::atomic<std::int64_t>* cells = nullptr;
};
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

/// The layout of vectors in a search: a subject in each lane (inter-sequence), segments of one subject (striped), or
/// whichever takes less time.
enum class Vectors { fastest, lanes, stripes };

struct SearchOptions {
  int threads = 0;                     // 0: all that OpenMP has; one within a parallel region
  core::Isa isa = core::best_isa();    // std::invalid_argument if the processor does not have it
  Vectors vectors = Vectors::fastest;  // scores do not depend on it
  Control control{};
};

/// The numbers of pairs that were computed again because their scores do not fit a lane of 8 or 16 bits, and of pairs
/// that were computed alone, in striped vectors, at first or in the end.
struct SearchCounts {
  std::size_t pairs = 0;
  std::size_t in_16_bits = 0, in_32_bits = 0;
  std::size_t alone = 0;
};

/// The score of every query against every subject on all cores: scores[q * subjects.size() + s]. Throws
/// std::invalid_argument as above, and if `scores` has not queries.size() * subjects.size() elements.
SearchCounts search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                           std::span<std::int32_t> scores, const SearchOptions& options = {});
std::vector<std::int32_t> search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                        int threads = 0);

/// The last cell of the best alignment, counted from 1. If several alignments have the best score, it is the one with
/// the smallest query end, and among these the smallest subject end. All 0 if no alignment has a positive score.
struct EndPoint {
  std::int32_t score = 0;
  std::int32_t query_end = 0, subject_end = 0;
  friend bool operator==(const EndPoint&, const EndPoint&) = default;
};
/// The end of the best alignment of one pair, in memory linear in its lengths; pairs of more than 10^7 cells are shared
/// among threads.
EndPoint find_end(Codes query, Codes subject, const Scoring& scoring, const SearchOptions& options = {});

/// A run of `length` columns of an alignment with one of SAM's operations: '=' equal residues, 'X' different residues,
/// 'I' query residues and 'D' subject residues without a partner.
using io::CigarRun;

/// An alignment of query[query_begin … query_end] with subject[subject_begin … subject_end], counted from 1, both ends
/// included. Without a positive score everything is 0 and the CIGAR empty.
struct Alignment {
  std::int32_t score = 0;
  std::int32_t query_begin = 0, query_end = 0;
  std::int32_t subject_begin = 0, subject_end = 0;
  std::vector<CigarRun> cigar;
  std::int64_t columns = 0;
  std::int64_t identities = 0;  // '=' columns
  std::int64_t mismatches = 0;  // 'X' columns
  std::int64_t gap_opens = 0;   // runs of I or D
  std::int64_t positives = 0;   // pairs that score above 0
};

struct AlignOptions {
  /// Beside memory linear in the lengths, borders of parts of the table are kept in as much as this, and directions, a
  /// byte per cell, in a small part of it.
  std::size_t table_bytes = std::size_t{256} << 20;
  int threads = 0;
  core::Isa isa = core::best_isa();
  const std::atomic<bool>* stop = nullptr;  // see Control
};

/// The best alignment of a pair of any length. Of co-optimal alignments it is the one that ends at find_end() and,
/// going back from there, takes the diagonal before a gap in the query before a gap in the subject, and goes on with a
/// gap as long as that is as good as leaving it; it stops at the first cell with H = 0. This does not depend on
/// `options`: directions are computed again from kept borders, not by another algorithm. Time: the cells of find_end(),
/// and those of the parts that the path goes through again, a tenth or so of them for 10^6 x 10^6 residues with the
/// default.
Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options = {});

/// The runs as text, "2=1X3D"; empty if there are none.
std::string cigar_string(std::span<const CigarRun> cigar);

/// The score of the alignment `cigar` from query[query_begin] and subject[subject_begin] (counted from 1), from the
/// definition. Throws std::invalid_argument if it leaves a sequence, has a run that is not positive, an unknown
/// operation, or calls different residues equal or equal ones different.
std::int64_t rescore(Codes query, Codes subject, const Scoring& scoring, std::int64_t query_begin,
                     std::int64_t subject_begin, std::span<const CigarRun> cigar);

/// Throws std::invalid_argument unless a search or an alignment with these can be exact: see above.
void require_exact(const Scoring& scoring, Alphabet queries, Alphabet subjects, std::size_t longest_query,
                   std::size_t longest_subject);

}  // namespace speedwell::alignment
