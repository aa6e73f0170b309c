// What the runs of uts share: the tree, and its counts when they are first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/reference.hpp"
#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/apps/uts/verify.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::uts {

class UtsCase final : public harness::Workload {
 public:
  explicit UtsCase(const Tree& tree) : tree_(tree), published_(published(tree)) {}
  const Tree& tree() const { return tree_; }

  /// The published counts, or those of the reference: which searches the tree when it is first asked.
  const Counts& expected() const {
    std::call_once(asked_, [this] { expected_ = published_ ? published_->counts : reference::search(tree_); });
    return expected_;
  }
  core::Verdict judge(const Counts& got) const {
    return verify(expected(), got, published_ ? "published counts" : "reference search");
  }

 private:
  Tree tree_;
  std::optional<Published> published_;
  mutable std::once_flag asked_;
  mutable Counts expected_;
};

/// Counts as a run's one output.
class CountsOutput {
 public:
  void poison() { values_ = {-1, -1, -1}; }
  void set(const Counts& c) {
    values_ = {static_cast<std::int64_t>(c.nodes), static_cast<std::int64_t>(c.leaves),
               static_cast<std::int64_t>(c.depth)};
  }
  Counts get() const {
    return {static_cast<std::uint64_t>(values_[0]), static_cast<std::uint64_t>(values_[1]),
            static_cast<std::uint64_t>(values_[2])};
  }
  std::vector<harness::Output> outputs() {
    return {{"nodes, leaves and depth", harness::ElementType::i64, values_.data(), values_.size()}};
  }

 private:
  std::vector<std::int64_t> values_ = std::vector<std::int64_t>(3);
};

}  // namespace speedwell::uts
