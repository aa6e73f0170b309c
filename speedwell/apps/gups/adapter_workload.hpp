// The workload of gups for the harness: the problem, and the oracle's table when it is first needed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/apps/gups/reference.hpp"
#include "speedwell/apps/gups/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::gups {

class GupsWorkload final : public harness::Workload {
 public:
  using Answer = core::HostBuffer<std::uint64_t>;  // the table

  /// Ranks other than the first have no table but their own.
  GupsWorkload(const Problem& problem, Rule rule, bool has_table = true)
      : problem_(problem), rule_(rule), words_(has_table ? problem.words : 0) {}
  const Problem& problem() const { return problem_; }
  Rule rule() const { return rule_; }

  Answer make_answer() const { return Answer(words_, core::Pages::large); }
  std::vector<harness::Output> outputs(Answer& table) const {
    return {{"table", harness::ElementType::i64, table.data(), table.size()}};
  }
  core::Verdict verify(const Answer& table) const {
    const Answer& expected = expected_.get([this] {
      const int threads = core::resolve_threads(0);
      Answer replayed(problem_.words, core::Pages::large);
      initialise(replayed.span(), threads);
      reference::replay(replayed.span(), problem_.updates, threads);
      return replayed;
    });
    return gups::verify(expected.span(), table.span());
  }

 private:
  Problem problem_;
  Rule rule_;
  std::uint64_t words_;  // of an answer
  core::Lazy<Answer> expected_;
};

/// The entry of a record on the benchmark's rule: at most `stored` updates wait in a process with `threads` threads.
inline std::pair<std::string, std::string> look_ahead(std::uint64_t stored, std::uint64_t threads) {
  const std::string waiting = std::to_string(stored) + " updates wait at most";
  constexpr auto most = static_cast<std::uint64_t>(max_look_ahead);
  if (stored <= most) return {"look_ahead", "1024 per process: " + waiting};
  if (stored <= most * threads) return {"look_ahead", "1024 per thread: " + waiting};
  return {"look_ahead", "no rule: " + waiting};
}

}  // namespace speedwell::gups
