// The rule of EndpointRules::Mode::peaks, once for all algorithms of kernel 1 but the reference.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::ssca1 {

/// Whether the cell of row and column (from 0) of a table of rows x columns ends an alignment: its pair has a positive
/// score, which is `gained`, the difference between H of the cell and H of the previous cell on the diagonal, and the
/// next pair on the diagonal, if there is one, does not have a positive score. pair_score(row, column) is the score of
/// a pair.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // host code passes a function of the host
#endif
template <class PairScore>
SPEEDWELL_HD
bool is_peak(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns, std::int32_t gained,
             const PairScore& pair_score) {
  const std::int32_t score = pair_score(row, column);
  if (score <= 0 || gained != score) return false;
  return row + 1 == rows || column + 1 == columns || pair_score(row + 1, column + 1) <= 0;
}

}  // namespace speedwell::ssca1
