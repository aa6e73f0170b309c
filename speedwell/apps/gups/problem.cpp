// The names of the rules, and the argument checks of the public functions.
#include <bit>
#include <stdexcept>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {

std::string to_string(Rule rule) {
  switch (rule) {
    case Rule::any:
      return "any";
    case Rule::thread:
      return "thread";
    case Rule::process:
      return "process";
  }
  throw std::logic_error("a rule without a name");
}

void require_valid(const Problem& problem) {
  constexpr std::uint64_t max_words = std::uint64_t{1} << max_log2_words;
  if (problem.words < 1 || problem.words > max_words)
    throw std::invalid_argument("gups: a table of " + std::to_string(problem.words) +
                                " words; the size must be 1 to 2^" + std::to_string(max_log2_words));
  if (!std::has_single_bit(problem.words))
    throw std::invalid_argument("gups: a table of " + std::to_string(problem.words) +
                                " words; the size must be a power of two, the nearest are " +
                                std::to_string(std::bit_floor(problem.words)) + " and " +
                                std::to_string(std::bit_ceil(problem.words)));
  if (problem.updates < 1 || problem.updates > period)
    throw std::invalid_argument("gups: " + std::to_string(problem.updates) +
                                " updates; the number must be 1 to the period of the stream, " +
                                std::to_string(period));
}

void require_table(const Problem& problem, std::span<const std::uint64_t> table) {
  require_valid(problem);
  if (table.size() != problem.words)
    throw std::invalid_argument("gups: a table of " + std::to_string(table.size()) + " words, the problem has " +
                                std::to_string(problem.words));
}

void require_threads(int threads) {
  if (threads < 1) throw std::invalid_argument("gups: " + std::to_string(threads) + " threads; must be at least 1");
}

}  // namespace speedwell::gups
