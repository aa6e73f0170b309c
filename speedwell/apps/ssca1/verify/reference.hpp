// The five kernels of SSCA#1 by their definitions, serial and simple: the oracle of the fast implementations.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1::reference {

/// The complete table of kernel 1. Rows are symbols of match, columns symbols of main; row and column 0 are the border.
/// E is a gap along the row (unpaired symbols of main), F one along the column.
struct Table {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> h, e, f;
  std::int64_t at(const std::vector<std::int64_t>& x, std::int64_t i, std::int64_t j) const {
    return x[static_cast<std::size_t>(i * columns + j)];
  }
};
/// Memory: 24 (n + 1)(m + 1) bytes.
Table table(Codes main, Codes match, const Scoring& scoring);

/// All candidates, in the suite's order, computed row by row with memory linear in n (and in the candidates).
std::vector<Endpoint> candidates(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules);
/// The greedy selection among candidates in the suite's order; each is compared with all accepted ones.
std::vector<Endpoint> separate(const std::vector<Endpoint>& candidates, const EndpointRules& rules);
/// candidates() followed by the selection.
Endpoints pairwise_align(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules);

Traced scan_backward(Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& endpoints,
                     const TraceRules& rules);
/// As above, but throws std::length_error if more than `max_cells` are computed: long alignments need large boxes,
/// which are stored.
Traced trace_alignments_within(double max_cells, Codes main, Codes match, const Scoring& scoring,
                               const std::vector<Endpoint>& endpoints, const TraceRules& rules);
/// All regions that keep the rules except for separation and count, in the suite's order.
std::vector<SimilarRegion> regions(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules);
/// The greedy selection among them.
std::vector<SimilarRegion> locate_similar(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules);
/// The symbols of regions, codons as three bases each. Parts outside of main are left out.
Members members(Codes main, const std::vector<SimilarRegion>& regions, Alphabet alphabet);
std::int64_t difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                        const DifferenceCosts& costs);
StarAlignment align_star(const Members& set, const DifferenceCosts& costs);

}  // namespace speedwell::ssca1::reference
