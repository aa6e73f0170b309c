// GpuSolver: its memory, and its loops of searches that are repeated with more memory until they succeed.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "speedwell/apps/uts/gpu/search_memory.hpp"
#include "speedwell/apps/uts/gpu_solver.hpp"

namespace speedwell::uts {

class GpuSolver::Search {
 public:
  Search(const Tree& tree, Method method, const GpuTuning& tuning, ChildRule rule)
      : rule_(std::move(rule)), method_(method), tuning_(tuning), root_(device::open_root(tree, rule_)), control_(1) {
    if (method_ == Method::breadth_first)
      for (Level& level : levels_) level.allocate(initial_level_capacity);
    else
      memory_ = device::StackMemory(tuning_);
  }

  void upload(const core::Stream& stream) { tables_.upload(rule_, stream); }

  Counts run(const core::Stream& stream) {
    while (true) {
      const device::Results found = method_ == Method::breadth_first ? search_levels(stream) : search_stacks(stream);
      const auto error = static_cast<device::ResourceError>(found.error);
      if (error == device::ResourceError::none) return device::counts_of(found, root_);
      device::enlarge(error, rule_, tables_, memory_, stream);
    }
  }

  Method method() const { return method_; }
  const GpuTuning& tuning() const { return tuning_; }
  double device_bytes() const {
    return method_ == Method::breadth_first ? 2.0 * initial_level_capacity * sizeof(device::Open)
                                            : device::StackMemory::bytes(tuning_);
  }
  double open_node_bytes() const {
    return method_ == Method::breadth_first ? static_cast<double>(levels_[0].words.bytes() + levels_[1].words.bytes())
                                            : memory_.spill_bytes();
  }

 private:
  static constexpr std::size_t initial_level_capacity = 1 << 20;  // nodes

  // The open nodes of one level of the tree, for a breadth-first search.
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

  device::Results fetch(const core::Stream& stream) const {
    device::Results results;
    core::copy_async(&results, static_cast<const device::Results*>(&control_.data()->results), 1, stream);
    stream.synchronize();
    return results;
  }

  // Searches depth first, with a stack for each warp.
  device::Results search_stacks(const core::Stream& stream) {
    core::fill_bytes_async(control_, 0, stream);
    memory_.clear(stream);
    device::Search search = memory_.search(tables_.rule(), control_.data());
    search.root = root_;
    device::search_stacks(search, tuning_, stream);
    return fetch(stream);
  }

  // Searches level after level: levels_[0] has the nodes of the present one, and levels_[1] gets their children. A
  // level with more children than fit is searched again with a larger list.
  device::Results search_levels(const core::Stream& stream) {
    device::Results all{};
    for (int k = 0; k < device::fields; ++k)
      core::copy_async(levels_[0].words.data() + static_cast<std::size_t>(k) * levels_[0].capacity, &root_.word[k], 1,
                       stream);
    for (std::size_t count = root_.word[device::left] > 0 ? 1 : 0; count > 0;) {
      core::fill_bytes_async(control_, 0, stream);
      device::search_level(tables_.rule(), levels_[0].list(), count, levels_[1].list(), &control_.data()->results,
                           stream);
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
  device::Open root_;
  device::RuleTables tables_;
  core::DeviceBuffer<device::Control> control_;
  device::StackMemory memory_;
  Level levels_[2];  // only breadth first; memory_ only depth first
};

GpuSolver::GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning)
    : GpuSolver(tree, method, tuning, ChildRule(tree)) {}
GpuSolver::GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning, ChildRule rule)
    : search_(std::make_unique<Search>(tree, method, tuning, std::move(rule))) {}
GpuSolver::GpuSolver(const Tree& tree, Method method) : GpuSolver(tree, method, best_tuning(tree)) {}

void GpuSolver::upload(const core::Stream& stream) { search_->upload(stream); }
Counts GpuSolver::run(const core::Stream& stream) { return search_->run(stream); }
Method GpuSolver::method() const { return search_->method(); }
const GpuTuning& GpuSolver::tuning() const { return search_->tuning(); }
double GpuSolver::device_bytes() const { return search_->device_bytes(); }
double GpuSolver::open_node_bytes() const { return search_->open_node_bytes(); }

}  // namespace speedwell::uts
