#include "speedwell/apps/wavefront/verify/verify.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace speedwell::wavefront {

template <class T>
core::Verdict verify(const Extents& extents, std::span<const T> expected, std::span<const T> got) {
  const std::int64_t cells = extents.cells();
  if (expected.size() != static_cast<std::size_t>(cells) || got.size() != expected.size())
    throw std::invalid_argument("wavefront: " + std::to_string(got.size()) + " cells to verify and " +
                                std::to_string(expected.size()) + " of the oracle's, " + std::to_string(cells) +
                                " expected");
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::int64_t wrong = 0, first = cells;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first)
  for (std::int64_t n = 0; n < cells; ++n) {
    const auto at = static_cast<std::size_t>(n);
    if (std::bit_cast<Bits>(got[at]) == std::bit_cast<Bits>(expected[at])) continue;
    ++wrong;
    first = std::min(first, n);
  }
  std::string oracle = "the definition cell by cell, cells that differ";
  if (wrong > 0)
    oracle += ", the first in memory (" + std::to_string(first / extents.nz / extents.ny) + "," +
              std::to_string(first / extents.nz % extents.ny) + "," + std::to_string(first % extents.nz) + ")";
  return core::Verdict::from_error(static_cast<double>(wrong), 0, std::move(oracle));
}

template core::Verdict verify(const Extents&, std::span<const float>, std::span<const float>);
template core::Verdict verify(const Extents&, std::span<const double>, std::span<const double>);

}  // namespace speedwell::wavefront
