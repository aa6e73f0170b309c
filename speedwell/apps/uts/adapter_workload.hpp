// The workload of uts for the harness: the tree, and its counts when they are first needed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "speedwell/apps/uts/reference.hpp"
#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/apps/uts/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::uts {

class UtsWorkload final : public harness::Workload {
 public:
  using Answer = std::array<std::int64_t, 3>;  // nodes, leaves and depth

  explicit UtsWorkload(const Tree& tree) : tree_(tree), published_(published(tree)) {}
  const Tree& tree() const { return tree_; }

  /// The published counts, or else those of the reference, which searches the tree at the first call.
  const Counts& expected() const {
    return expected_.get([this] { return published_ ? published_->counts : reference::search(tree_); });
  }
  Answer make_answer() const { return {}; }
  std::vector<harness::Output> outputs(Answer& answer) const {
    return {{"nodes, leaves and depth", harness::ElementType::i64, answer.data(), answer.size()}};
  }
  core::Verdict verify(const Answer& answer) const {
    const auto [nodes, leaves, depth] = answer;
    const Counts got = {static_cast<std::uint64_t>(nodes), static_cast<std::uint64_t>(leaves),
                        static_cast<std::uint64_t>(depth)};
    return uts::verify(expected(), got, published_ ? "published counts" : "reference search");
  }

 private:
  Tree tree_;
  std::optional<Published> published_;
  core::Lazy<Counts> expected_;
};

constexpr Counts poisoned = {~0ull, ~0ull, 0};  // of no tree: leaves are nodes, too

inline UtsWorkload::Answer answer_of(const Counts& c) {
  return {static_cast<std::int64_t>(c.nodes), static_cast<std::int64_t>(c.leaves), static_cast<std::int64_t>(c.depth)};
}

}  // namespace speedwell::uts
