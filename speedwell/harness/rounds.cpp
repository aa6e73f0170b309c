#include "speedwell/harness/rounds.hpp"

#include <algorithm>

namespace speedwell::harness {
namespace {

// The longest pass up to which all variants, in order, have time for what passes_of() says.
template <class PassesOf>
std::optional<double> longest_that_fits(const std::vector<PendingVariant>& pending, double seconds_left,
                                        const PassesOf& passes_of) {
  std::optional<double> longest;
  double needed = 0;
  for (const PendingVariant& v : pending) {
    needed += passes_of(v) * v.pass_seconds;
    if (needed > seconds_left) break;
    longest = v.pass_seconds;
  }
  return longest;
}

}  // namespace

std::optional<double> longest_pass_of_next_round(std::vector<PendingVariant> pending, int enough, double seconds_left) {
  std::sort(pending.begin(), pending.end(),
            [](const PendingVariant& a, const PendingVariant& b) { return a.pass_seconds < b.pass_seconds; });
  const auto missing = [&](const PendingVariant& v) { return std::max(0, enough - v.passes); };
  const auto with_enough = longest_that_fits(pending, seconds_left, missing);
  const bool some_wait = with_enough && std::any_of(pending.begin(), pending.end(), [&](const PendingVariant& v) {
                           return v.pass_seconds <= *with_enough && missing(v) > 0;
                         });
  if (some_wait) return with_enough;
  return longest_that_fits(pending, seconds_left, [](const PendingVariant&) { return 1; });
}

}  // namespace speedwell::harness
