#include "speedwell/apps/npb/ep/ep.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

namespace speedwell::npb::ep {

void require_valid(const Problem& problem) {
  if (problem.m < min_m || problem.m > max_m)
    throw std::invalid_argument("ep: 2^" + std::to_string(problem.m) + " pairs: from 2^" + std::to_string(min_m) +
                                " to 2^" + std::to_string(max_m));
}

std::int64_t Result::accepted() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

}  // namespace speedwell::npb::ep
