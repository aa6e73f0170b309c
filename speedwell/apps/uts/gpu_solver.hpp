// A tree's search on the current device: buffers, and growing them where a search ran out of one. Included by CUDA
// sources alone.
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

/// What is fastest on an H200. A tree that may end at every node has few of them open at a time, and so the time of a
/// step counts: fewer warps are then quicker.
inline device::Tuning best_tuning(const Tree& tree) {
  const bool thin = tree.kind == Kind::binomial || tree.kind == Kind::hybrid;
  return {.warps = thin ? 8 : 20, .poll_every = 2, .least_children = 48, .least_nodes = 64};
}

class GpuSolver {
 public:
  /// Throws as require_valid().
  GpuSolver(const Tree& tree, Way way, const device::Tuning& tuning)
      : tree_(tree), rule_(tree), way_(way), tuning_(tuning) {
    const Digest<std::uint32_t> root = root_digest(tree.seed);
    const int children = rule_.children(0, value_of(root.h[4]));
    for (int k = 0; k < 5; ++k) root_.word[k] = root.h[k];
    root_.word[device::depth] = root_.word[device::next] = 0;
    root_.word[device::left] = static_cast<std::uint32_t>(children);
  }

  Way way() const { return way_; }
  const device::Tuning& tuning() const { return tuning_; }
  /// What allocate() takes: a search that needs more takes more.
  double device_bytes() const { return way_ == Way::levels ? 2.0 * first_level_room * record_bytes : stacks_bytes(); }

  /// On the current device. Throws core::DeviceError.
  void allocate() {
    control_ = core::DeviceBuffer<device::Control>(1);
    if (way_ == Way::levels) {
      for (Level& level : levels_) level.allocate(first_level_room);
    } else {
      const std::size_t warps = device::searching_warps(tuning_);
      queue_room_ = static_cast<unsigned>(std::bit_ceil(warps));
      queue_ = core::DeviceBuffer<unsigned>(device::desks * std::size_t{queue_room_});
      mail_ = core::DeviceBuffer<device::Line>(warps);
      letters_ = core::DeviceBuffer<device::Chunk>(warps);
      notes_ = core::DeviceBuffer<device::Note>(warps);
      make_room(warps * static_cast<std::size_t>(tuning_.first_chunks));
    }
  }
  /// The rule's tables.
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

  /// Searches the whole tree; returns when it is done. Throws core::DeviceError where device memory is too small for
  /// the nodes that wait, and std::range_error for depths of 2^32 - 1 and above.
  void run(const core::Stream& stream) {
    while (true) {
      results_ = way_ == Way::levels ? search_levels(stream) : search_stacks(stream);
      const auto lack = static_cast<device::Lack>(results_.lack);
      if (lack == device::Lack::nothing) return;
      if (lack == device::Lack::rows) {
        if (!rule_.unbounded()) throw std::range_error("uts: the tree is deeper than 2^32 - 2 levels");
        rule_.extend(4 * rule_.rows().size());
        upload(stream);
      } else {
        make_room(std::max<std::size_t>(4 * aside_.size(), 1024));
      }
    }
  }
  /// Of the last run(), with the root.
  Counts counts() const {
    const bool bare = root_.word[device::left] == 0;
    return {results_.nodes + 1, results_.leaves + (bare ? 1 : 0), results_.depth};
  }
  /// Makes counts() wrong until the next run().
  void forget() { results_ = {~0ull - 1, ~0ull - 1, 0, ~0u, 0}; }
  /// Bytes of device memory for nodes that wait.
  double waiting_bytes() const {
    return static_cast<double>(way_ == Way::levels ? levels_[0].words.bytes() + levels_[1].words.bytes()
                                                   : aside_.bytes());
  }

 private:
  static constexpr std::size_t first_level_room = 1 << 20;
  static constexpr double record_bytes = sizeof(device::Open);

  struct Level {
    core::DeviceBuffer<std::uint32_t> words;
    std::size_t room = 0;
    void allocate(std::size_t nodes) {
      words = {};  // the old ones go first: there may be no room for both
      room = 0;
      words = core::DeviceBuffer<std::uint32_t>(device::fields * nodes);
      room = nodes;
    }
    device::List list() { return {words.data(), room}; }
  };

  double stacks_bytes() const {
    const double warps = device::searching_warps(tuning_);
    return warps * ((tuning_.first_chunks + 1.0) * sizeof(device::Chunk) + sizeof(device::Note) + sizeof(device::Line) +
                    4.0 * 2 * device::desks);
  }
  void make_room(std::size_t chunks) {
    aside_ = {};
    aside_before_ = {};
    aside_ = core::DeviceBuffer<device::Chunk>(chunks);
    aside_before_ = core::DeviceBuffer<unsigned>(chunks);
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
    core::fill_bytes_async(queue_, 0, stream);
    core::fill_bytes_async(mail_, 0, stream);
    device::Search search{.rule = rule(), .root = root_};
    search.control = control_.data();
    search.queue = queue_.data();
    search.queue_room = queue_room_;
    search.mail = mail_.data();
    search.letters = letters_.data();
    search.notes = notes_.data();
    search.aside = aside_.data();
    search.aside_before = aside_before_.data();
    search.aside_room = static_cast<unsigned>(std::min<std::size_t>(aside_.size(), 0xfffffffe));
    device::search_stacks(search, tuning_, stream);
    return fetch(stream);
  }

  device::Results search_levels(const core::Stream& stream) {
    device::Results all{};
    for (int k = 0; k < device::fields; ++k)
      core::copy_async(levels_[0].words.data() + static_cast<std::size_t>(k) * levels_[0].room, &root_.word[k], 1,
                       stream);
    for (std::size_t count = root_.word[device::left] > 0 ? 1 : 0; count > 0;) {
      core::fill_bytes_async(control_, 0, stream);
      device::search_level(rule(), levels_[0].list(), count, levels_[1].list(), &control_.data()->results, stream);
      const device::Results level = fetch(stream);
      if (level.lack != 0) return level;
      if (level.appended > levels_[1].room) {
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
  Way way_;
  device::Tuning tuning_;
  device::Open root_{};
  device::Results results_{};
  core::DeviceBuffer<device::Row> rows_;
  core::DeviceBuffer<std::uint32_t> graded_;
  core::DeviceBuffer<device::Control> control_;
  Level levels_[2];
  core::DeviceBuffer<unsigned> queue_, aside_before_;
  core::DeviceBuffer<device::Line> mail_;
  core::DeviceBuffer<device::Chunk> letters_, aside_;
  core::DeviceBuffer<device::Note> notes_;
  unsigned queue_room_ = 0;
};

}  // namespace speedwell::uts
