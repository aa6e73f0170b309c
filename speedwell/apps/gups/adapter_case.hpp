// What the runs of gups share: the problem, and the oracle's table when it is first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/apps/gups/reference.hpp"
#include "speedwell/apps/gups/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::gups {

class GupsCase final : public harness::Workload {
 public:
  GupsCase(const Problem& problem, Rule rule) : problem_(problem), rule_(rule) {}
  const Problem& problem() const { return problem_; }
  Rule rule() const { return rule_; }

  core::Verdict judge(std::span<const std::uint64_t> table) const {
    std::call_once(asked_, [this] {
      const int threads = core::resolve_threads(0);
      expected_ = core::HostBuffer<std::uint64_t>(problem_.words, core::Pages::large);
      initialise(expected_.span(), threads);
      reference::replay(expected_.span(), problem_.updates, threads);
    });
    return verify(std::as_const(expected_).span(), table);
  }

 private:
  Problem problem_;
  Rule rule_;
  mutable std::once_flag asked_;
  mutable core::HostBuffer<std::uint64_t> expected_;
};

inline std::vector<harness::Output> output_of(core::HostBuffer<std::uint64_t>& table) {
  return {{"table", harness::ElementType::i64, table.data(), table.size()}};
}

/// What a record says of the rules: `stored` updates wait at most, of one process with `threads` threads.
inline std::pair<std::string, std::string> look_ahead(std::uint64_t stored, std::uint64_t threads) {
  const std::string waiting = std::to_string(stored) + " updates wait at most";
  constexpr auto most = static_cast<std::uint64_t>(max_look_ahead);
  if (stored <= most) return {"look_ahead", "1024 per process: " + waiting};
  if (stored <= most * threads) return {"look_ahead", "1024 per thread: " + waiting};
  return {"look_ahead", "no rule: " + waiting};
}

}  // namespace speedwell::gups
