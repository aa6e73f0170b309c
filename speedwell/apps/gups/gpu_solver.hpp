// The GPU solver: owns the table and the workspace in device memory, for all GPU variants. Included by CUDA sources
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/gups/gpu/launch.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {

/// The method of the variant of this name. Throws std::logic_error for a name that ladder.hpp does not have.
inline Method method_of(std::string_view step, const Problem& problem) {
  if (step == best) return best_method(problem);
  for (const Step& s : steps)
    if (s.name == step) return s.method;
  throw std::logic_error("gups has no step " + std::string(step));
}

class GpuSolver {
 public:
  /// Throws as require_valid(), and std::invalid_argument for Rule::process with a method that stores updates.
  GpuSolver(const Problem& problem, Method method, Rule rule = Rule::any, const std::optional<Tuning>& tuning = {})
      : rule_(rule), tuning_(tuning) {
    require_valid(problem);
    if (method == Method::binned && rule == Rule::process)
      throw std::invalid_argument("gups: bins store more than 1024 updates per process");
    operands_.problem = problem;
    operands_.plan.method = method;
  }

  /// Allocates device_bytes() of memory on the current device. Throws core::DeviceError.
  void allocate() {
    int device = 0;
    core::check(cudaGetDevice(&device));
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      core::check(cudaDeviceGetAttribute(&value, which, device));
      return value;
    };
    std::size_t free_bytes = 0, total_bytes = 0;
    core::check(cudaMemGetInfo(&free_bytes, &total_bytes));
    machine_ = {attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
                static_cast<double>(free_bytes)};
    operands_.plan = plan_of(operands_.plan.method, operands_.problem, rule_, machine_, tuning_);
    const Plan& plan = operands_.plan;
    table_ = core::DeviceBuffer<device::Word>(operands_.problem.words);
    starts_ = core::DeviceBuffer<device::Word>(static_cast<std::size_t>(plan.blocks + plan.threads));
    if (plan.method == Method::binned) {
      if (plan.coarse()) {
        coarse_ = core::DeviceBuffer<device::Word>(plan.coarse_bins() * plan.coarse_capacity);
        coarse_fill_ = core::DeviceBuffer<unsigned>(plan.coarse_bins());
      }
      fine_ = core::DeviceBuffer<device::Word>(plan.fine_bins() * plan.coarse_group * plan.fine_capacity);
      fine_fill_ = core::DeviceBuffer<unsigned>(plan.fine_bins() * plan.coarse_group);
    }
    operands_.table = table_.data();
    operands_.block_starts = starts_.data();
    operands_.thread_starts = starts_.data() + plan.blocks;
    operands_.coarse = coarse_.data();
    operands_.fine = fine_.data();
    operands_.coarse_fill = coarse_fill_.data();
    operands_.fine_fill = fine_fill_.data();
  }

  /// Uploads the positions in the stream at which blocks and threads begin according to the plan.
  void upload(const core::Stream& stream) {
    const Plan& plan = operands_.plan;
    std::vector<device::Word> starts;
    const auto add = [&](int count, std::uint64_t distance) {
      const std::uint64_t factor = word(distance);
      std::uint64_t x = 1;
      for (int i = 0; i < count; ++i, x = product(x, factor)) starts.push_back(x);
    };
    add(plan.blocks, plan.updates_per_thread * static_cast<std::uint64_t>(plan.threads));
    add(plan.threads, plan.updates_per_thread);
    core::copy_async(starts_.data(), starts.data(), starts.size(), stream);
    stream.synchronize();
  }
  /// Sets T[i] = i.
  void reset(const core::Stream& stream) { device::initialise(table_.data(), table_.size(), stream); }
  /// Enqueues all updates.
  void run(const core::Stream& stream) { device::function_of(operands_.plan.method)(operands_, stream); }
  /// `table` must have the size of the problem's table.
  void download(std::span<std::uint64_t> table, const core::Stream& stream) const {
    if (table.size() != table_.size())
      throw std::invalid_argument("gups: a table of " + std::to_string(table.size()) + " words, the problem has " +
                                  std::to_string(table_.size()));
    core::check(cudaMemcpyAsync(table.data(), table_.data(), table_.bytes(), cudaMemcpyDefault, stream.get()));
    stream.synchronize();
  }

  /// The table in device memory.
  std::span<const device::Word> table() const { return table_.span(); }
  /// Valid after allocate().
  const Plan& plan() const { return operands_.plan; }
  const Machine& machine() const { return machine_; }

 private:
  Rule rule_;
  std::optional<Tuning> tuning_;
  Machine machine_;
  device::Operands operands_;
  core::DeviceBuffer<device::Word> table_, starts_, coarse_, fine_;
  core::DeviceBuffer<unsigned> coarse_fill_, fine_fill_;
};

}  // namespace speedwell::gups
