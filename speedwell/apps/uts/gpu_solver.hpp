// Search of a tree on the current device: owns the buffers, and enlarges them when a search has run out of one.
// Included by CUDA sources alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/ladder.hpp"
#include "speedwell/apps/uts/sha1.hpp"
#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// The fastest parameters on an H200. A tree that may end at every node has few open nodes at a time, so that the
/// latency of a step matters more than throughput: fewer warps are then faster.
inline device::Tuning best_tuning(const Tree& tree) {
  const bool thin = tree.kind == Kind::binomial || tree.kind == Kind::hybrid;
  return {.warps = thin ? 8 : 20, .poll_interval = 2, .min_children = 48, .min_nodes = 64};
}

class GpuSolver {
 public:
  /// Throws as require_valid().
  GpuSolver(const Tree& tree, Method method, const device::Tuning& tuning)
      : tree_(tree), rule_(tree), method_(method), tuning_(tuning) {
    const Digest<std::uint32_t> root = root_digest(tree.seed);
    const int children = rule_.children(0, value_of(root.h[4]));
    for (int k = 0; k < 5; ++k) root_.word[k] = root.h[k];
    root_.word[device::depth] = root_.word[device::next] = 0;
    root_.word[device::left] = static_cast<std::uint32_t>(children);
  }

  Method method() const { return method_; }
  const device::Tuning& tuning() const { return tuning_; }
  /// Bytes of device memory that allocate() takes. A search that needs more enlarges its buffers.
  double device_bytes() const {
    return method_ == Method::breadth_first ? 2.0 * first_level_capacity * record_bytes : stacks_bytes();
  }

  /// On the current device. Throws core::DeviceError.
  void allocate() {
    control_ = core::DeviceBuffer<device::Control>(1);
    if (method_ == Method::breadth_first) {
      for (Level& level : levels_) level.allocate(first_level_capacity);
    } else {
      const std::size_t warps = device::searching_warps(tuning_);
      requester_capacity_ = static_cast<unsigned>(std::bit_ceil(warps));
      requesters_ = core::DeviceBuffer<unsigned>(device::num_steal_queues * std::size_t{requester_capacity_});
      inbox_counts_ = core::DeviceBuffer<device::CacheLine>(warps);
      inboxes_ = core::DeviceBuffer<device::Chunk>(warps);
      hand_offs_ = core::DeviceBuffer<device::BlockHandOff>(warps);
      allocate_spill(warps * static_cast<std::size_t>(tuning_.first_chunks));
    }
  }
  /// Copies the tables of the child rule to the device.
  void upload(const core::Stream& stream) {
    const std::vector<double> below = rule_.expected_nodes();
    std::vector<device::Row> rows;
    for (const ChildRule::Row& row : rule_.rows()) {
      const double bits = -std::log2(1 - static_cast<double>(row.first) / ChildRule::values);
      rows.push_back({row, bits > 0 ? static_cast<float>(1 / bits) : 0, static_cast<float>(below[rows.size()])});
    }
    rows_ = core::DeviceBuffer<device::Row>(rows.size());
    graded_ = core::DeviceBuffer<std::uint32_t>(std::max<std::size_t>(rule_.graded().size(), 1));
    core::copy_async(rows_.data(), rows.data(), rows.size(), stream);
    if (!rule_.graded().empty()) core::copy_async(graded_.data(), rule_.graded().data(), rule_.graded().size(), stream);
    stream.synchronize();
  }

  /// Searches the whole tree; returns when it is done. Throws core::DeviceError if device memory is too small for the
  /// open nodes, and std::range_error for depths of 2^32 - 1 and above.
  void run(const core::Stream& stream) {
    while (true) {
      results_ = method_ == Method::breadth_first ? search_levels(stream) : search_stacks(stream);
      const auto error = static_cast<device::ResourceError>(results_.error);
      if (error == device::ResourceError::none) return;
      if (error == device::ResourceError::table) {
        if (!rule_.unbounded()) throw std::range_error("uts: the tree is deeper than 2^32 - 2 levels");
        rule_.extend(4 * rule_.rows().size());
        upload(stream);
      } else {
        allocate_spill(std::max<std::size_t>(4 * spilled_.size(), 1024));
      }
    }
  }
  /// Counters of the last run(), the root included.
  Counts counts() const {
    const bool bare = root_.word[device::left] == 0;
    return {results_.nodes + 1, results_.leaves + (bare ? 1 : 0), results_.depth};
  }
  /// Makes counts() wrong until the next run(): a run that does nothing must not pass.
  void forget() { results_ = {~0ull - 1, ~0ull - 1, 0, ~0u, 0}; }
  /// Bytes of device memory for open nodes.
  double open_node_bytes() const {
    return static_cast<double>(method_ == Method::breadth_first ? levels_[0].words.bytes() + levels_[1].words.bytes()
                                                                : spilled_.bytes());
  }

 private:
  static constexpr std::size_t first_level_capacity = 1 << 20;
  static constexpr double record_bytes = sizeof(device::Open);

  struct Level {
    core::DeviceBuffer<std::uint32_t> words;
    std::size_t capacity = 0;
    void allocate(std::size_t nodes) {
      words = {};  // free first: there may be too little memory for both
      capacity = 0;
      words = core::DeviceBuffer<std::uint32_t>(device::fields * nodes);
      capacity = nodes;
    }
    device::List list() { return {words.data(), capacity}; }
  };

  double stacks_bytes() const {
    const double warps = device::searching_warps(tuning_);
    return warps * ((tuning_.first_chunks + 1.0) * sizeof(device::Chunk) + sizeof(device::BlockHandOff) +
                    sizeof(device::CacheLine) + 4.0 * 2 * device::num_steal_queues);
  }
  void allocate_spill(std::size_t chunks) {
    spilled_ = {};
    spill_links_ = {};
    spilled_ = core::DeviceBuffer<device::Chunk>(chunks);
    spill_links_ = core::DeviceBuffer<unsigned>(chunks);
  }
  device::Rule rule() const {
    return {rows_.data(), graded_.data(), static_cast<unsigned>(rule_.rows().size()), rule_.unbounded()};
  }
  device::Results fetch(const core::Stream& stream) const {
    device::Results results;
    core::copy_async(&results, static_cast<const device::Results*>(&control_.data()->results), 1, stream);
    stream.synchronize();
    return results;
  }

  device::Results search_stacks(const core::Stream& stream) {
    core::fill_bytes_async(control_, 0, stream);
    core::fill_bytes_async(requesters_, 0, stream);
    core::fill_bytes_async(inbox_counts_, 0, stream);
    device::Search search{.rule = rule(), .root = root_};
    search.control = control_.data();
    search.requesters = requesters_.data();
    search.requester_capacity = requester_capacity_;
    search.inbox_counts = inbox_counts_.data();
    search.inboxes = inboxes_.data();
    search.hand_offs = hand_offs_.data();
    search.spilled = spilled_.data();
    search.spill_links = spill_links_.data();
    search.spill_capacity = static_cast<unsigned>(std::min<std::size_t>(spilled_.size(), 0xfffffffe));
    device::search_stacks(search, tuning_, stream);
    return fetch(stream);
  }

  device::Results search_levels(const core::Stream& stream) {
    device::Results all{};
    for (int k = 0; k < device::fields; ++k)
      core::copy_async(levels_[0].words.data() + static_cast<std::size_t>(k) * levels_[0].capacity, &root_.word[k], 1,
                       stream);
    for (std::size_t count = root_.word[device::left] > 0 ? 1 : 0; count > 0;) {
      core::fill_bytes_async(control_, 0, stream);
      device::search_level(rule(), levels_[0].list(), count, levels_[1].list(), &control_.data()->results, stream);
      const device::Results level = fetch(stream);
      if (level.error != 0) return level;
      if (level.appended > levels_[1].capacity) {
        levels_[1].allocate(level.appended);
        continue;
      }
      all.nodes += level.nodes;
      all.leaves += level.leaves;
      all.depth = level.depth;
      count = level.appended;
      std::swap(levels_[0], levels_[1]);
    }
    return all;
  }

  Tree tree_;
  ChildRule rule_;
  Method method_;
  device::Tuning tuning_;
  device::Open root_{};
  device::Results results_{};
  core::DeviceBuffer<device::Row> rows_;
  core::DeviceBuffer<std::uint32_t> graded_;
  core::DeviceBuffer<device::Control> control_;
  Level levels_[2];
  core::DeviceBuffer<unsigned> requesters_, spill_links_;
  core::DeviceBuffer<device::CacheLine> inbox_counts_;
  core::DeviceBuffer<device::Chunk> inboxes_, spilled_;
  core::DeviceBuffer<device::BlockHandOff> hand_offs_;
  unsigned requester_capacity_ = 0;
};

}  // namespace speedwell::uts
