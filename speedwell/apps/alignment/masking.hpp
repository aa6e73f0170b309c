// Regions of low complexity: SEG for proteins and DUST for DNA. They say where a sequence is so repetitive that a good
// score with another sequence means nothing; what follows from that is for the caller.
//   J. C. Wootton, S. Federhen, Computers & Chemistry 17 (1993) 149 (SEG).
//   A. Morgulis, E. M. Gertz, A. A. Schäffer, R. Agarwala, J. Comput. Biol. 13 (2006) 1028 (symmetric DUST).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/scoring.hpp"

namespace speedwell::alignment {

/// Codes begin … end - 1 of a sequence, counted from 0.
struct Region {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const Region&, const Region&) = default;
};

/// Defaults: those of blastp's "-seg yes".
struct SegOptions {
  std::size_t window = 12;
  double trigger = 2.2;    // bits: a window of at most this complexity begins a region,
  double extension = 2.5;  // which goes on as long as windows have at most this one
};

/// Low-complexity regions of a protein, in order and disjoint. The complexity of a window is the entropy of its
/// composition, -sum n_i/L log2(n_i/L) over the 20 amino acids. A maximal run of windows that overlap, each of at most
/// `extension` bits and one of at most `trigger`, is reduced to its part with the least probable composition
/// (seg_log_probability; at most 100 residues are taken off; of equals the longest, then the first), and what remains
/// on either side is looked at again. A window with more than two residues other than the 20 (B, Z, J, X, *) is not of
/// low complexity. Throws std::invalid_argument for a window of 0 residues.
std::vector<Region> seg_regions(std::span<const std::uint8_t> protein, const SegOptions& options = {});

/// Entropy in bits of `counts`, occurrences of each of the 20 amino acids.
double seg_complexity(std::span<const int> counts);
/// ln P0: P0 = (number of sequences with the composition `counts`, its 20 numbers in any order) / 20^L. The sum over
/// all unordered compositions of L residues is 1.
double seg_log_probability(std::span<const int> counts);

/// Defaults: those of blastn and dustmasker.
struct DustOptions {
  int level = 20;           // ten times the score above which an interval is of low complexity
  std::size_t window = 64;  // bases of the longest interval
  std::size_t linker = 1;   // regions with fewer unmasked bases between them are one
};

/// Low-complexity regions of DNA, in order and disjoint: the union of all perfect intervals. The score of an interval
/// of l > 1 triplets, with c_t of kind t, is sum c_t (c_t - 1) / 2 / (l - 1); an interval is perfect if its score is
/// above level / 10 and no interval within it has a higher one. An interval holds A, C, G and T only. Throws
/// std::invalid_argument for a window of fewer than 4 bases or a negative level.
std::vector<Region> dust_regions(std::span<const std::uint8_t> dna, const DustOptions& options = {});

}  // namespace speedwell::alignment
