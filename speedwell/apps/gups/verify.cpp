#include "speedwell/apps/gups/verify.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace speedwell::gups {

std::uint64_t wrong_words(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got) {
  if (expected.size() != got.size())
    throw std::invalid_argument("gups: " + std::to_string(got.size()) + " words to verify, " +
                                std::to_string(expected.size()) + " expected");
  std::uint64_t wrong = 0;
  const auto words = static_cast<std::int64_t>(got.size());
#pragma omp parallel for schedule(static) reduction(+ : wrong)
  for (std::int64_t i = 0; i < words; ++i) wrong += expected[i] != got[i];
  return wrong;
}

core::Verdict verify(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got) {
  const auto wrong = static_cast<double>(wrong_words(expected, got));
  const double part = got.empty() ? 0 : wrong / static_cast<double>(got.size());
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.4g", 100 * part);
  return core::Verdict::from_error(wrong, 0,
                                   "replayed stream, wrong words: " + std::string(percent) +
                                       " % (HPC Challenge permits 1 %, this verification none)");
}

}  // namespace speedwell::gups
