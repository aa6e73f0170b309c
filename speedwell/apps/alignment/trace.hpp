// What all tracebacks share: the CIGAR, whose runs they meet from the end of the alignment to its begin, and the
// alignment made of it.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment::trace {

/// The cell (i, j) of the table: after i residues of the query and j of the subject.
struct Cell {
  std::int64_t i = 0, j = 0;
};

inline void add(std::vector<CigarRun>& cigar, char operation, std::int64_t length = 1) {
  if (!cigar.empty() && cigar.back().operation == operation)
    cigar.back().length += length;
  else
    cigar.push_back({operation, length});
}

/// The alignment with the runs `cigar`, in the order of a traceback: the last one first.
Alignment finish(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end, const Cell& begin,
                 std::vector<CigarRun> cigar);

}  // namespace speedwell::alignment::trace
