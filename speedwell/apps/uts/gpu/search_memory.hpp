// Device memory of searches: the tables of the child rule, and what a depth-first search needs. For CUDA sources only.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/sha1.hpp"

namespace speedwell::uts::device {

/// The root as an open node, whose children are those that are not generated yet.
inline Open open_root(const Tree& tree, const ChildRule& rule) {
  const Digest<std::uint32_t> digest = root_digest(tree.seed);
  Open root{};
  for (int k = 0; k < 5; ++k) root.word[k] = digest.h[k];
  root.word[left] = static_cast<std::uint32_t>(rule.children(0, value_of(digest.h[4])));
  return root;
}

/// The counts of a tree below whose root `found` was counted.
inline Counts counts_of(const Results& found, const Open& root) {
  return {found.nodes + 1, found.leaves + (root.word[left] == 0 ? 1 : 0), found.depth};
}

class RuleTables {
 public:
  /// Copies the tables of `rule`, and waits.
  void upload(const ChildRule& rule, const core::Stream& stream) {
    const std::vector<double> below = rule.expected_nodes();
    std::vector<Row> rows;
    for (const ChildRule::Row& row : rule.rows()) {
      const double bits = -std::log2(1 - static_cast<double>(row.first) / ChildRule::values);
      rows.push_back({row, bits > 0 ? static_cast<float>(1 / bits) : 0, static_cast<float>(below[rows.size()])});
    }
    rows_ = core::DeviceBuffer<Row>(rows.size());
    graded_ = core::DeviceBuffer<std::uint32_t>(std::max<std::size_t>(rule.graded().size(), 1));
    core::copy_async(rows_.data(), rows.data(), rows.size(), stream);
    if (!rule.graded().empty()) core::copy_async(graded_.data(), rule.graded().data(), rule.graded().size(), stream);
    unbounded_ = rule.unbounded();
    stream.synchronize();
  }
  Rule rule() const { return {rows_.data(), graded_.data(), static_cast<unsigned>(rows_.size()), unbounded_}; }

 private:
  core::DeviceBuffer<Row> rows_;
  core::DeviceBuffer<std::uint32_t> graded_;
  bool unbounded_ = false;
};

/// The queues, inboxes and spill memory of the warps of a depth-first search.
class StackMemory {
 public:
  /// Bytes that the constructor takes.
  static double bytes(const GpuTuning& tuning) {
    const double warps = searching_warps(tuning);
    return warps * ((tuning.first_chunks + 1.0) * sizeof(Chunk) + sizeof(BlockHandOff) + sizeof(CacheLine) +
                    4.0 * 2 * num_steal_queues);
  }

  StackMemory() = default;
  explicit StackMemory(const GpuTuning& tuning) : warps_(searching_warps(tuning)) {
    requester_capacity_ = std::bit_ceil(warps_);
    requesters_ = core::DeviceBuffer<unsigned>(num_steal_queues * std::size_t{requester_capacity_});
    inbox_counts_ = core::DeviceBuffer<CacheLine>(warps_);
    inboxes_ = core::DeviceBuffer<Chunk>(warps_);
    hand_offs_ = core::DeviceBuffer<BlockHandOff>(warps_);
    allocate_spill(std::size_t{warps_} * static_cast<std::size_t>(tuning.first_chunks));
  }

  /// After a search that has run out of memory for open nodes.
  void enlarge_spill() { allocate_spill(std::max<std::size_t>(4 * spilled_.size(), 1024)); }
  double spill_bytes() const { return static_cast<double>(spilled_.bytes()); }
  /// Open nodes that a search can have: those of stacks, spilled chunks, and inboxes.
  std::size_t max_open_nodes() const {
    return std::size_t{warps_} * (stack_capacity + chunk_nodes) + spilled_.size() * chunk_nodes;
  }

  /// Enqueues what comes before a search: empty queues and inboxes. `control` is the caller's, as are rule and root.
  void clear(const core::Stream& stream) {
    core::fill_bytes_async(requesters_, 0, stream);
    core::fill_bytes_async(inbox_counts_, 0, stream);
  }
  Search search(const Rule& rule, Control* control) {
    return {.rule = rule,
            .root = {},
            .control = control,
            .requesters = requesters_.data(),
            .requester_capacity = requester_capacity_,
            .inbox_counts = inbox_counts_.data(),
            .inboxes = inboxes_.data(),
            .hand_offs = hand_offs_.data(),
            .spilled = spilled_.data(),
            .spill_links = spill_links_.data(),
            .spill_capacity = static_cast<unsigned>(std::min<std::size_t>(spilled_.size(), 0xfffffffe))};
  }

 private:
  void allocate_spill(std::size_t chunks) {
    spilled_ = {};  // free first: there may be too little memory for both
    spill_links_ = {};
    spilled_ = core::DeviceBuffer<Chunk>(chunks);
    spill_links_ = core::DeviceBuffer<unsigned>(chunks);
  }

  unsigned warps_ = 0, requester_capacity_ = 0;
  core::DeviceBuffer<unsigned> requesters_, spill_links_;
  core::DeviceBuffer<CacheLine> inbox_counts_;
  core::DeviceBuffer<Chunk> inboxes_, spilled_;
  core::DeviceBuffer<BlockHandOff> hand_offs_;
};

/// Enlarges what a search has run out of. Throws std::range_error if the tree is deeper than the 32-bit depths of nodes
/// can hold.
inline void enlarge(ResourceError error, ChildRule& rule, RuleTables& tables, StackMemory& memory,
                    const core::Stream& stream) {
  if (error == ResourceError::table) {
    if (!rule.unbounded()) throw std::range_error("uts: the tree is deeper than 2^32 - 2 levels");
    rule.extend(4 * rule.rows().size());
    tables.upload(rule, stream);
  } else {
    memory.enlarge_spill();
  }
}

}  // namespace speedwell::uts::device
