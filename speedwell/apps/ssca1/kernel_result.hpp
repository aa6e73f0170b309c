// The result of a kernel of SSCA#1, and the same as one array of integers: how the harness sees results, how tests
// plant faults in them, and how ranks send them.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// Alternative k - 1 is the output of kernel k.
using KernelResult = std::variant<Endpoints, Traced, std::vector<std::vector<SimilarRegion>>, std::vector<Differences>,
                                  std::vector<StarAlignment>>;

/// Every list as its length and its elements, one after another.
std::vector<std::int64_t> flatten(const KernelResult& result);
/// The result of kernel 1 … 5 again. Throws std::invalid_argument if the numbers are not one.
KernelResult unflatten(int kernel, std::span<const std::int64_t> numbers);

}  // namespace speedwell::ssca1
