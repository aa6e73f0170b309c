// What ways back through a table have in common: the path as it is met, from its end, and the alignment made of it.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment::trace {

/// After `i` query residues and `j` subject residues.
struct Place {
  std::int64_t i = 0, j = 0;
};

inline void add(std::vector<Columns>& path, char operation, std::int64_t count = 1) {
  if (!path.empty() && path.back().operation == operation)
    path.back().count += count;
  else
    path.push_back({operation, count});
}

/// The alignment whose columns, met on the way back, are `path`.
Alignment finish(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end, const Place& begin,
                 std::vector<Columns> path);

}  // namespace speedwell::alignment::trace
