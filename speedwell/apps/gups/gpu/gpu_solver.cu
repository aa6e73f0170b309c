// The memory and the copies of GpuSolver.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/gups/gpu/launch.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {
namespace {

Machine this_machine() {
  std::size_t free_bytes = 0, total_bytes = 0;
  core::check(cudaMemGetInfo(&free_bytes, &total_bytes));
  return {core::device_attribute(cudaDevAttrMultiProcessorCount),
          core::device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor), static_cast<double>(free_bytes)};
}

}  // namespace

struct GpuSolver::State {
  Machine machine;
  device::Operands operands;
  core::DeviceBuffer<device::Word> table, starts, coarse, fine;
  core::DeviceBuffer<unsigned> coarse_fill, fine_fill;
};

GpuSolver::GpuSolver(const Problem& problem, Method method, Rule rule, const std::optional<Tuning>& tuning)
    : GpuSolver(problem, rule,
                [&](const Machine& machine) { return plan_of(method, problem, rule, machine, tuning); }) {}
GpuSolver::GpuSolver(const Problem& problem, const Parts& parts, Rule rule, const std::optional<Tuning>& tuning)
    : GpuSolver(problem, rule, [&](const Machine& machine) { return plan_of(parts, problem, rule, machine, tuning); }) {
}
template <class MakePlan>
GpuSolver::GpuSolver(const Problem& problem, Rule rule, const MakePlan& make_plan) {
  require_valid(problem);
  state_ = std::make_unique<State>();
  State& s = *state_;
  s.machine = this_machine();
  const Plan plan = make_plan(s.machine);
  if (plan.is_binned() && rule == Rule::process)
    throw std::invalid_argument("gups: bins store more than 1024 updates per process");
  s.table = core::DeviceBuffer<device::Word>(plan.words());
  s.starts = core::DeviceBuffer<device::Word>(static_cast<std::size_t>(plan.blocks + plan.threads));
  if (plan.is_binned()) {
    if (plan.coarse()) {
      s.coarse = core::DeviceBuffer<device::Word>(plan.coarse_bins() * plan.coarse_capacity);
      s.coarse_fill = core::DeviceBuffer<unsigned>(plan.coarse_bins());
    }
    s.fine = core::DeviceBuffer<device::Word>(plan.fine_bins() * plan.coarse_group * plan.fine_capacity);
    s.fine_fill = core::DeviceBuffer<unsigned>(plan.fine_bins() * plan.coarse_group);
  }
  s.operands = {.problem = problem,
                .plan = plan,
                .table = s.table.data(),
                .block_starts = s.starts.data(),
                .thread_starts = s.starts.data() + plan.blocks,
                .coarse = s.coarse.data(),
                .fine = s.fine.data(),
                .coarse_fill = s.coarse_fill.data(),
                .fine_fill = s.fine_fill.data()};
}
GpuSolver::GpuSolver(const Problem& problem) : GpuSolver(problem, best_method(problem)) {}

void GpuSolver::upload(const core::Stream& stream) {
  const Plan& plan = this->plan();
  std::vector<device::Word> starts;
  const auto add = [&](int count, std::uint64_t distance) {
    const std::uint64_t factor = word(distance);
    std::uint64_t x = 1;
    for (int i = 0; i < count; ++i, x = product(x, factor)) starts.push_back(x);
  };
  add(plan.blocks, plan.updates_per_thread * static_cast<std::uint64_t>(plan.threads));
  add(plan.threads, plan.updates_per_thread);
  core::copy_async(state_->starts.data(), starts.data(), state_->starts.size(), stream);
  stream.synchronize();
}
void GpuSolver::initialise(const core::Stream& stream) {
  const Plan& plan = this->plan();
  device::initialise(state_->table.data(), plan.parts.first << plan.log2_part_words(), plan.words(), stream);
}
void GpuSolver::run(const core::Stream& stream) { device::function_of(plan().method)(state_->operands, stream); }
void GpuSolver::download(std::span<std::uint64_t> table, const core::Stream& stream) const {
  if (table.size() != state_->table.size())
    throw std::invalid_argument("gups: a table of " + std::to_string(table.size()) + " words instead of " +
                                std::to_string(state_->table.size()));
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long));
  core::copy_async(reinterpret_cast<std::byte*>(table.data()), reinterpret_cast<const std::byte*>(state_->table.data()),
                   table.size_bytes(), stream);
  stream.synchronize();
}

std::span<unsigned long long> GpuSolver::device_table() { return state_->table.span(); }
std::span<const unsigned long long> GpuSolver::device_table() const { return std::as_const(state_->table).span(); }
const Plan& GpuSolver::plan() const { return state_->operands.plan; }
const Machine& GpuSolver::machine() const { return state_->machine; }

}  // namespace speedwell::gups
