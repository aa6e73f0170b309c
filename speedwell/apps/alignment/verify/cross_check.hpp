// A second implementation of scores and end points, for verdicts alone: it shares no code with the variants that it
// verifies, and is fast enough on all cores to verify whole searches and long pairs, for which the reference would take
// hours. Simple where the variants are optimized: 16 bits or 32 where a bound from the lengths says so, so that nothing
// can overflow and nothing is computed twice; sequences in the order in which they are given; tiles one diagonal at a
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment::cross_check {

/// The score of every query against every subject: [q * subjects.size() + s]. `threads`: 0: all that OpenMP has.
/// Throws std::invalid_argument where search_scores() does.
std::vector<std::int32_t> search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                        int threads = 0);

/// find_end() of one pair, one cell at a time, tiles of a diagonal on all threads. Memory linear in the lengths.
EndPoint find_end(Codes query, Codes subject, const Scoring& scoring, int threads = 0);

}  // namespace speedwell::alignment::cross_check
