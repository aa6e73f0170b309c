#include "speedwell/apps/uts/verify.hpp"

#include <utility>

namespace speedwell::uts {

core::Verdict verify(const Counts& expected, const Counts& got, std::string oracle) {
  const int differ = (expected.nodes != got.nodes) + (expected.leaves != got.leaves) + (expected.depth != got.depth);
  return core::Verdict::from_error(differ, 0, std::move(oracle) + ": nodes, leaves and depth, how many differ");
}

}  // namespace speedwell::uts
