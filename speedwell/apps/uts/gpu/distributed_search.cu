// The rounds of DistributedGpuSolver. Ranks tell each other how many nodes are left by MPI; the nodes are copied by a
// kernel from the memory of the other GPUs.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/gpu/search_memory.hpp"
#include "speedwell/apps/uts/gpu_distributed.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda_trace.hpp"

namespace speedwell::uts {
namespace {

/// What ranks tell each other after a round.
struct Report {
  device::Results results;
  unsigned rest;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

class DistributedGpuSolver::Search {
 public:
  Search(const comm::Communicator& ranks, const Tree& tree, const GpuTuning& tuning)
      : ranks_(ranks), tuning_(tuning), rule_(tree), root_(device::open_root(tree, rule_)), memory_(tuning) {
    if (ranks.size() > max_gpus)
      throw std::invalid_argument("uts: at most " + std::to_string(max_gpus) + " GPUs, not " +
                                  std::to_string(ranks.size()));
    allocate_lists();
  }

  void upload(const core::Stream& stream) { tables_.upload(rule_, stream); }

  Counts run(const core::Stream& stream) {
    rounds_ = 0;
    while (true) {
      const device::Results found = search(stream);
      const auto error = static_cast<device::ResourceError>(found.error);
      if (error == device::ResourceError::none) return device::counts_of(found, root_);
      // On all ranks: which of them ran out does not matter, since any may at the next attempt.
      device::enlarge(error, rule_, tables_, memory_, stream);
      allocate_lists();
    }
  }

  int rounds() const { return rounds_; }
  double exchange_seconds() const { return exchange_seconds_; }
  const GpuTuning& tuning() const { return tuning_; }
  double open_node_bytes() const {
    return memory_.spill_bytes() + 3.0 * static_cast<double>(capacity_) * sizeof(device::Open);
  }

 private:
  // A round is at least so long before a GPU without nodes ends it: so many times as long as what comes between rounds.
  static constexpr double min_round_seconds = 150e-6, min_rounds_per_exchange = 8;

  /// The window of each rank: the control block, then the nodes that a round leaves.
  void allocate_lists() {
    capacity_ = memory_.max_open_nodes();
    first_ = {};
    window_ = {};
    window_ = comm::PeerMemory(ranks_, control_bytes + sizeof(device::Open) * 2 * capacity_);
    first_ = core::DeviceBuffer<std::uint32_t>(device::fields * capacity_);
  }
  device::Control* control_of(int rank) const { return reinterpret_cast<device::Control*>(window_.of(rank)); }
  device::List rest_of(int rank) const {
    return {reinterpret_cast<std::uint32_t*>(window_.of(rank) + control_bytes), 2 * capacity_};
  }
  device::List first() { return {first_.data(), capacity_}; }

  void clear_control(const core::Stream& stream) const {
    core::check(cudaMemsetAsync(window_.own(), 0, sizeof(device::Control), stream.get()));
  }

  /// The round of this rank, up to its end on its GPU.
  Report search_round(unsigned first_count, double min_seconds, const core::Stream& stream) {
    memory_.clear(stream);
    device::Search search = memory_.search(tables_.rule(), control_of(ranks_.rank()));
    search.round.first = first();
    search.round.first_count = first_count;
    search.round.rest = rest_of(ranks_.rank());
    search.round.min_nanoseconds = static_cast<unsigned long long>(1e9 * min_seconds);
    for (int r = 0; r < ranks_.size(); ++r)
      if (r != ranks_.rank()) search.round.others[search.round.num_others++] = control_of(r);
    {
      const core::DeviceSpan span("search", core::TraceCategory::compute, stream.get());
      device::search_round(search, tuning_, stream);
    }
    Report own;
    const device::Control* const control = search.control;
    core::copy_async(&own.results, &control->results, 1, stream);
    core::copy_async(&own.rest, &control->rest.value, 1, stream);
    stream.synchronize();
    return own;
  }

  device::Results search(const core::Stream& stream) {
    const auto size = static_cast<std::size_t>(ranks_.size());
    device::Results all{};
    std::vector<Report> reports(size);
    clear_control(stream);
    unsigned first_count = 0;
    if (ranks_.rank() == 0 && root_.word[device::left] > 0) {
      first_count = 1;
      for (int k = 0; k < device::fields; ++k)
        core::copy_async(first_.data() + static_cast<std::size_t>(k) * first().capacity, &root_.word[k], 1, stream);
    }
    stream.synchronize();
    ranks_.barrier();
    double exchange_time = 0;  // the shortest between two rounds so far
    while (true) {
      ++rounds_;
      const double min_seconds = std::max(min_round_seconds, min_rounds_per_exchange * exchange_time);
      const Report own = search_round(first_count, ranks_.size() > 1 ? min_seconds : 0, stream);
      const double end = now();
      // After this no kernel of the round runs on any GPU: no other rank writes to the control block until the barrier.
      ranks_.gather(std::span<const Report>(&own, 1), std::span<Report>(reports));
      device::RankLists lists;
      lists.ranks = ranks_.size();
      std::size_t left = 0;
      for (std::size_t r = 0; r < size; ++r) {
        const device::Results& results = reports[r].results;
        all.nodes += results.nodes;
        all.leaves += results.leaves;
        all.depth = std::max(all.depth, results.depth);
        all.error = std::max(all.error, results.error);
        lists.list[r] = rest_of(static_cast<int>(r));
        lists.count[r] = reports[r].rest;
        left += reports[r].rest;
      }
      if ((left + size - 1) / size > capacity_)
        all.error = std::max(all.error, static_cast<unsigned>(device::ResourceError::memory));
      const bool is_over = left == 0 || all.error != 0;
      if (!is_over) {
        device::deal_nodes(lists, ranks_.rank(), first(), stream);
        const auto rank = static_cast<std::size_t>(ranks_.rank());
        first_count = left > rank ? static_cast<unsigned>((left - rank + size - 1) / size) : 0;
      }
      clear_control(stream);
      stream.synchronize();
      ranks_.barrier();  // the lists have been read, and control blocks are clear
      const double seconds = now() - end;
      exchange_seconds_ += seconds;
      exchange_time = exchange_time > 0 ? std::min(exchange_time, seconds) : seconds;
      if (is_over) return all;
    }
  }

  static constexpr std::size_t control_bytes = (sizeof(device::Control) + 511) / 512 * 512;

  const comm::Communicator& ranks_;
  GpuTuning tuning_;
  ChildRule rule_;
  device::Open root_;
  device::RuleTables tables_;
  device::StackMemory memory_;
  std::size_t capacity_ = 0;  // nodes with which a round begins; twice as many may be left
  comm::PeerMemory window_;
  core::DeviceBuffer<std::uint32_t> first_;
  int rounds_ = 0;
  double exchange_seconds_ = 0;
};

DistributedGpuSolver::DistributedGpuSolver(const comm::Communicator& ranks, const Tree& tree, const GpuTuning& tuning)
    : search_(std::make_unique<Search>(ranks, tree, tuning)) {}
DistributedGpuSolver::DistributedGpuSolver(const comm::Communicator& ranks, const Tree& tree)
    : DistributedGpuSolver(ranks, tree, best_tuning(tree)) {}

void DistributedGpuSolver::upload(const core::Stream& stream) { search_->upload(stream); }
Counts DistributedGpuSolver::run(const core::Stream& stream) { return search_->run(stream); }
int DistributedGpuSolver::rounds() const { return search_->rounds(); }
double DistributedGpuSolver::exchange_seconds() const { return search_->exchange_seconds(); }
const GpuTuning& DistributedGpuSolver::tuning() const { return search_->tuning(); }
double DistributedGpuSolver::open_node_bytes() const { return search_->open_node_bytes(); }

}  // namespace speedwell::uts
