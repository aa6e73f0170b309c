// The five kernels of SSCA#1 as their definitions say, serial and plain: what the fast ones are held against.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1::reference {

/// The whole table of kernel 1. Row i is of match, column j of main; row and column 0 are the border. E is a gap along
/// the row (symbols of main without partner), F one along the column.
struct Table {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> h, e, f;
  std::int64_t at(const std::vector<std::int64_t>& x, std::int64_t i, std::int64_t j) const {
    return x[static_cast<std::size_t>(i * columns + j)];
  }
};
/// Memory: 24 (n + 1)(m + 1) bytes.
Table table(Codes main, Codes match, const Scoring& scoring);

/// All cells that keep the rules, in the suite's order, row by row in memory linear in n (and in the candidates).
std::vector<Endpoint> candidates(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules);
/// The greedy choice among candidates in the suite's order, each compared with all taken before.
std::vector<Endpoint> separate(const std::vector<Endpoint>& candidates, const EndpointRules& rules);
/// Both of these.
Endpoints find_endpoints(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules);

Traced trace_alignments(Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& endpoints,
                        const TraceRules& rules);
/// The same, but throws std::length_error once more than `most_cells` have been computed: long alignments take large
/// boxes, of which all is kept.
Traced trace_alignments_within(double most_cells, Codes main, Codes match, const Scoring& scoring,
                               const std::vector<Endpoint>& endpoints, const TraceRules& rules);
/// All places that keep the rules but separation and number, in the suite's order.
std::vector<Place> places(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules);
/// The greedy choice among them.
std::vector<Place> find_similar(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules);
/// The symbols of places, codons as three bases each. What lies outside main is left out.
Members members(Codes main, const std::vector<Place>& places, Alphabet alphabet);
std::int64_t difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                        const DifferenceCosts& costs);
StarAlignment align_star(const Members& set, const DifferenceCosts& costs);

}  // namespace speedwell::alignment::ssca1::reference
