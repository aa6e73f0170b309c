// Regions of low complexity: SEG for proteins and DUST for DNA. Such a region is so repetitive or so biased in its
// composition that a high score does not indicate a relation between sequences. The caller decides how to treat
// regions.
//   J. C. Wootton, S. Federhen, Computers & Chemistry 17 (1993) 149 (SEG).
//   A. Morgulis, E. M. Gertz, A. A. Schäffer, R. Agarwala, J. Comput. Biol. 13 (2006) 1028 (symmetric DUST).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"

namespace speedwell::alignment {

/// The residues begin … end - 1 of a sequence, counted from 0.
struct Region {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

/// Parameters of SEG. The defaults are those of blastp with "-seg yes".
struct SegOptions {
  std::size_t window = 12;  // residues
  double trigger = 2.2;     // bits; a region has a window of at most this complexity,
  double extension = 2.5;   // bits; and all its windows have at most this one
};

/// Low-complexity regions of a protein, given as codes of the protein alphabet; in order and disjoint. The complexity
/// of a window is the entropy of its composition, -sum n_i/L log2(n_i/L) over the 20 amino acids. A maximal run of
/// overlapping windows, each of at most `extension` bits and at least one of at most `trigger`, is reduced to the part
/// with the least probable composition (seg_log_probability()), at most 100 residues shorter. If several parts have the
/// same probability, it is the longest, and the first of these. The rest on either side is searched again. A window
/// with more than two residues other than the 20 (B, Z, J, X, *) is not of low complexity. Throws std::invalid_argument
/// for a window of 0 residues.
std::vector<Region> seg_regions(std::span<const std::uint8_t> protein, const SegOptions& options = {});

/// Entropy in bits per residue of a composition: counts[i] is the number of occurrences of amino acid i, of 20.
double seg_complexity(std::span<const int> counts);
/// ln P0, where P0 is the probability that L random residues have the composition `counts` up to a permutation of the
/// amino acids: the number of such sequences divided by 20^L. L is the sum of `counts`. The sum of P0 over all
/// compositions of L residues that differ by more than a permutation is 1.
double seg_log_probability(std::span<const int> counts);

/// Parameters of DUST. The defaults are those of blastn and dustmasker.
struct DustOptions {
  int level = 20;           // ten times the score above which an interval is of low complexity
  std::size_t window = 64;  // maximum length of an interval in bases
  std::size_t linker = 1;   // regions that are fewer than so many bases apart are merged
};

/// Low-complexity regions of DNA, given as codes of the DNA alphabet; in order and disjoint: the union of all perfect
/// intervals. The score of an interval of l > 1 triplets, c_t of which are the triplet t, is sum c_t (c_t - 1) / 2 /
/// (l - 1). An interval is perfect if its score is above level / 10, no interval within it has a higher score, and it
/// has no bases other than A, C, G and T. Throws
/// std::invalid_argument for a window of fewer than 4 bases or a negative level.
std::vector<Region> dust_regions(std::span<const std::uint8_t> dna, const DustOptions& options = {});

}  // namespace speedwell::alignment
