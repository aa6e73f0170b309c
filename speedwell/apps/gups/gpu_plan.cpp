#include "speedwell/apps/gups/gpu_plan.hpp"

#include <algorithm>
#include <bit>

#include "speedwell/apps/gups/ladder.hpp"

namespace speedwell::gups {
namespace {

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }
std::uint64_t parts_of(std::uint64_t n, std::uint64_t each) { return (n + each - 1) / each; }

// Updates that a bin has room for. They come in runs of neighbours, and at worst bins differ by some three times what
// independent ones would: 1/32 and 1024 more are 12 standard deviations at 65536 updates and at 16384. What does not
// fit is applied directly, so that this is about speed alone.
std::uint64_t capacity(std::uint64_t updates, std::uint64_t bins, double room) {
  const std::uint64_t mean = parts_of(updates, bins),
                      wanted = mean + mean / 32 + std::min<std::uint64_t>(1024, updates);
  return std::max<std::uint64_t>(rounded_up(static_cast<std::uint64_t>(room * static_cast<double>(wanted)), 16), 16);
}

int log2_regions_of(const Plan& plan) { return std::max(plan.log2_words - log2_region_words, 0); }

void share_stream(Plan& plan, std::uint64_t blocks, int threads, std::uint64_t granule) {
  const std::uint64_t all = blocks * static_cast<std::uint64_t>(threads);
  plan.each = rounded_up(parts_of(plan.batch, all), granule);
  plan.threads = threads;
  plan.blocks = static_cast<int>(parts_of(plan.batch, plan.each * static_cast<std::uint64_t>(threads)));
}

void plan_bins(Plan& plan, const Machine& machine) {
  const int log2_bins = log2_regions_of(plan);
  if (log2_bins > log2_most_bins) {
    plan.log2_coarse = (log2_bins + 1) / 2;
    plan.log2_fine = log2_bins - plan.log2_coarse;
    plan.coarse_capacity = capacity(plan.batch, plan.coarse_bins(), plan.tuning.room);
    constexpr std::uint64_t group_updates = std::uint64_t{1} << 28;
    plan.group = std::clamp<std::uint64_t>(group_updates / plan.coarse_capacity, 1, plan.coarse_bins());
  } else {
    plan.log2_fine = log2_bins;
  }
  plan.fine_capacity = capacity(plan.batch, std::uint64_t{1} << log2_bins, plan.tuning.room);
  // Few regions: several blocks for each, up to two rounds of them, with at least a tile of updates.
  const std::uint64_t at_once = plan.fine_bins() * plan.group;
  const auto wanted = static_cast<std::uint64_t>(2 * machine.multiprocessors) / at_once;
  plan.parts = static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, parts_of(plan.fine_capacity, 16384)));
}

// As many updates as the rule, 32 bits and `most` allow.
void plan_batch(Plan& plan, std::uint64_t most, Rule rule, const Machine& machine) {
  const auto multiprocessors = static_cast<std::uint64_t>(machine.multiprocessors);
  // Places in a bin are numbers of 32 bits, which matters where there are few bins.
  plan.batch = std::min({plan.batch, most, std::uint64_t{1} << (30 + std::min(log2_regions_of(plan), 3))});
  if (rule == Rule::thread)
    plan.batch = std::min(plan.batch, static_cast<std::uint64_t>(most_ahead) * multiprocessors *
                                          static_cast<std::uint64_t>(machine.threads_of_multiprocessor));
  share_stream(plan, multiprocessors * static_cast<std::uint64_t>(plan.tuning.blocks_of_multiprocessor),
               plan.tuning.threads, static_cast<std::uint64_t>(plan.tuning.each));
  plan_bins(plan, machine);
}

}  // namespace

std::uint64_t Plan::region_words() const { return std::uint64_t{1} << std::min(log2_words, log2_region_words); }

double Plan::scratch_bytes() const {
  double bytes = 8.0 * (static_cast<double>(blocks) + threads);
  if (way != Way::binned) return bytes;
  const auto coarse_updates = static_cast<double>(coarse_bins()) * static_cast<double>(coarse_capacity);
  const double fine = static_cast<double>(fine_bins()) * static_cast<double>(group);
  return bytes + 8 * (coarse_updates + fine * static_cast<double>(fine_capacity)) +
         4 * (static_cast<double>(coarse_bins()) + fine);
}

Tuning best_tuning(const Problem& problem) {
  if (std::countr_zero(problem.words) <= 22) return {.threads = 512, .each = 22, .blocks_of_multiprocessor = 2};
  return {};
}

Plan plan_of(Way way, const Problem& problem, Rule rule, const Machine& machine, const std::optional<Tuning>& tuning) {
  Plan plan{.way = way,
            .log2_words = std::countr_zero(problem.words),
            .batch = problem.updates,
            .tuning = tuning.value_or(best_tuning(problem))};
  const auto multiprocessors = static_cast<std::uint64_t>(machine.multiprocessors);
  if (way == Way::binned) {
    plan_batch(plan, 2 * most_batch, rule, machine);
    const double bytes = 8.0 * static_cast<double>(problem.words) + plan.scratch_bytes();
    if (plan.batch > most_batch && bytes > 0.95 * machine.free_bytes) {
      plan.batch = problem.updates;
      plan_batch(plan, most_batch, rule, machine);
    }
  } else if (way == Way::regions) {
    plan.regions = problem.words / plan.region_words();
    plan.parts = static_cast<int>(std::max<std::uint64_t>(multiprocessors / plan.regions, 1));
    share_stream(plan, static_cast<std::uint64_t>(plan.parts), 1024, 1);
    plan.parts = plan.blocks;
  } else {
    if (way == Way::windows && plan.log2_words > log2_window_words)
      plan.windows = std::uint64_t{1} << (plan.log2_words - log2_window_words);
    share_stream(plan, 2 * multiprocessors, 1024, 1);
  }
  plan.batches = parts_of(problem.updates, plan.batch);
  return plan;
}

// By GupsGpu.DISABLED_Times on an H200: a region's stream is made again for every region, which a few regions repay.
Way best_way(const Problem& problem) { return std::countr_zero(problem.words) <= 18 ? Way::regions : Way::binned; }

}  // namespace speedwell::gups
