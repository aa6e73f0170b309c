// The memory and the searches of GpuSolver.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/apps/uts/sha1.hpp"

namespace speedwell::uts {

class GpuSolver::Search {
 public:
  Search(const Tree& tree, Method method, const GpuTuning& tuning, ChildRule rule)
      : rule_(std::move(rule)), method_(method), tuning_(tuning) {
    const Digest<std::uint32_t> root = root_digest(tree.seed);
    const int children = rule_.children(0, value_of(root.h[4]));
    for (int k = 0; k < 5; ++k) root_.word[k] = root.h[k];
    root_.word[device::depth] = root_.word[device::next] = 0;
    root_.word[device::left] = static_cast<std::uint32_t>(children);
    allocate();
  }

  void upload(cudaStream_t stream) {
    const std::vector<double> below = rule_.expected_nodes();
    std::vector<device::Row> rows;
    for (const ChildRule::Row& row : rule_.rows()) {
      const double bits = -std::log2(1 - static_cast<double>(row.first) / ChildRule::values);
      rows.push_back({row, bits > 0 ? static_cast<float>(1 / bits) : 0, static_cast<float>(below[rows.size()])});
    }
    rows_ = core::DeviceBuffer<device::Row>(rows.size());
    graded_ = core::DeviceBuffer<std::uint32_t>(std::max<std::size_t>(rule_.graded().size(), 1));
    copy(rows_.data(), rows.data(), rows.size(), stream);
    if (!rule_.graded().empty()) copy(graded_.data(), rule_.graded().data(), rule_.graded().size(), stream);
    core::check(cudaStreamSynchronize(stream));
  }

  Counts run(cudaStream_t stream) {
    while (true) {
      const device::Results found = method_ == Method::breadth_first ? search_levels(stream) : search_stacks(stream);
      const auto error = static_cast<device::ResourceError>(found.error);
      if (error == device::ResourceError::none) return counts(found);
      if (error == device::ResourceError::table) {
        if (!rule_.unbounded()) throw std::range_error("uts: the tree is deeper than 2^32 - 2 levels");
        rule_.extend(4 * rule_.rows().size());
        upload(stream);
      } else {
        allocate_spill(std::max<std::size_t>(4 * spilled_.size(), 1024));
      }
    }
  }

  Method method() const { return method_; }
  const GpuTuning& tuning() const { return tuning_; }
  double device_bytes() const {
    return method_ == Method::breadth_first ? 2.0 * first_level_capacity * record_bytes : stacks_bytes();
  }
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

  template <class T>
  static void copy(T* to, const T* from, std::size_t count, cudaStream_t stream) {
    core::check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream));
  }
  template <class T>
  static void zero(core::DeviceBuffer<T>& buffer, cudaStream_t stream) {
    core::check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream));
  }

  double stacks_bytes() const {
    const double warps = device::searching_warps(tuning_);
    return warps * ((tuning_.first_chunks + 1.0) * sizeof(device::Chunk) + sizeof(device::BlockHandOff) +
                    sizeof(device::CacheLine) + 4.0 * 2 * device::num_steal_queues);
  }
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
  void allocate_spill(std::size_t chunks) {
    spilled_ = {};
    spill_links_ = {};
    spilled_ = core::DeviceBuffer<device::Chunk>(chunks);
    spill_links_ = core::DeviceBuffer<unsigned>(chunks);
  }
  device::Rule rule() const {
    return {rows_.data(), graded_.data(), static_cast<unsigned>(rule_.rows().size()), rule_.unbounded()};
  }
  Counts counts(const device::Results& found) const {
    const bool bare = root_.word[device::left] == 0;
    return {found.nodes + 1, found.leaves + (bare ? 1 : 0), found.depth};
  }
  device::Results fetch(cudaStream_t stream) const {
    device::Results results;
    copy(&results, static_cast<const device::Results*>(&control_.data()->results), 1, stream);
    core::check(cudaStreamSynchronize(stream));
    return results;
  }

  device::Results search_stacks(cudaStream_t stream) {
    zero(control_, stream);
    zero(requesters_, stream);
    zero(inbox_counts_, stream);
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

  device::Results search_levels(cudaStream_t stream) {
    device::Results all{};
    for (int k = 0; k < device::fields; ++k)
      copy(levels_[0].words.data() + static_cast<std::size_t>(k) * levels_[0].capacity, &root_.word[k], 1, stream);
    for (std::size_t count = root_.word[device::left] > 0 ? 1 : 0; count > 0;) {
      zero(control_, stream);
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

  ChildRule rule_;
  Method method_;
  GpuTuning tuning_;
  device::Open root_{};
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

GpuSolver::GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning)
    : GpuSolver(tree, method, tuning, ChildRule(tree)) {}
GpuSolver::GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning, ChildRule rule)
    : search_(std::make_unique<Search>(tree, method, tuning, std::move(rule))) {}
GpuSolver::GpuSolver(const Tree& tree, Method method) : GpuSolver(tree, method, best_tuning(tree)) {}
GpuSolver::GpuSolver(GpuSolver&&) noexcept = default;
GpuSolver& GpuSolver::operator=(GpuSolver&&) noexcept = default;
GpuSolver::~GpuSolver() = default;

void GpuSolver::upload(cudaStream_t stream) { search_->upload(stream); }
Counts GpuSolver::run(cudaStream_t stream) { return search_->run(stream); }
Method GpuSolver::method() const { return search_->method(); }
const GpuTuning& GpuSolver::tuning() const { return search_->tuning(); }
double GpuSolver::device_bytes() const { return search_->device_bytes(); }
double GpuSolver::open_node_bytes() const { return search_->open_node_bytes(); }

}  // namespace speedwell::uts
