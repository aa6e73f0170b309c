#include "speedwell/apps/gups/gpu_plan.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "speedwell/apps/gups/ladder.hpp"

namespace speedwell::gups {
namespace {

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }
std::uint64_t ceil_div(std::uint64_t n, std::uint64_t divisor) { return (n + divisor - 1) / divisor; }

// Capacity of a bin in updates. Updates occur in runs of neighbours, and the sizes of bins vary at worst three times as
// much as for independent ones: 1/32 and 1024 more than the mean are 12 standard deviations at 65536 updates and at
// 16384. Overflowing updates are applied directly, so that the capacity affects performance only.
std::uint64_t capacity(std::uint64_t updates, std::uint64_t bins, double fraction) {
  const std::uint64_t mean = ceil_div(updates, bins),
                      wanted = mean + mean / 32 + std::min<std::uint64_t>(1024, updates);
  return std::max<std::uint64_t>(rounded_up(static_cast<std::uint64_t>(fraction * static_cast<double>(wanted)), 16),
                                 16);
}

// Parts whose regions fit one partitioning pass.
int log2_parts_of_one_pass(const Problem& problem) {
  return std::clamp(std::countr_zero(problem.words) - log2_region_words - log2_max_bins, 0, log2_max_parts);
}

int log2_regions_of(const Plan& plan) { return std::max(plan.log2_part_words() - log2_region_words, 0); }

void divide_stream(Plan& plan, std::uint64_t blocks, int threads, std::uint64_t granule) {
  const std::uint64_t all = blocks * static_cast<std::uint64_t>(threads);
  plan.updates_per_thread = rounded_up(ceil_div(plan.batch, all), granule);
  plan.threads = threads;
  plan.blocks = static_cast<int>(ceil_div(plan.batch, plan.updates_per_thread * static_cast<std::uint64_t>(threads)));
}

void plan_bins(Plan& plan, const Machine& machine) {
  const int log2_bins = log2_regions_of(plan);
  if (log2_bins > log2_max_bins) {
    plan.log2_coarse = (log2_bins + 1) / 2;
    plan.log2_fine = log2_bins - plan.log2_coarse;
    plan.coarse_capacity = capacity(plan.stored_updates(), plan.coarse_bins(), plan.tuning.capacity_fraction);
    constexpr std::uint64_t group_updates = std::uint64_t{1} << 28;
    plan.coarse_group = std::clamp<std::uint64_t>(group_updates / plan.coarse_capacity, 1, plan.coarse_bins());
  } else {
    plan.log2_fine = log2_bins;
  }
  plan.fine_capacity = capacity(plan.stored_updates(), std::uint64_t{1} << log2_bins, plan.tuning.capacity_fraction);
  // Few regions: several blocks per region, up to two waves of them, with at least a tile of updates.
  const std::uint64_t at_once = plan.fine_bins() * plan.coarse_group;
  const auto wanted = static_cast<std::uint64_t>(2 * machine.multiprocessors) / at_once;
  plan.blocks_per_region = static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, ceil_div(plan.fine_capacity, 16384)));
  plan.multiprocessors = machine.multiprocessors;
}

// Chooses the largest batch that the rule, 32-bit offsets and `max_updates` permit.
void plan_batch(Plan& plan, std::uint64_t max_updates, Rule rule, const Machine& machine) {
  const auto multiprocessors = static_cast<std::uint64_t>(machine.multiprocessors);
  // Offsets within a bin have 32 bits, which matters if there are few bins.
  std::uint64_t max_stored = std::min(max_updates, std::uint64_t{1} << (30 + std::min(log2_regions_of(plan), 3)));
  if (rule == Rule::thread)
    max_stored = std::min(max_stored, static_cast<std::uint64_t>(max_look_ahead) * multiprocessors *
                                          static_cast<std::uint64_t>(machine.threads_of_multiprocessor));
  // How many of a batch's updates are of one part varies, by far less than this.
  if (plan.parts.log2_parts > 0) max_stored -= max_stored / 64;
  plan.batch = std::min(plan.batch, max_stored << plan.parts.log2_parts);
  if (plan.parts.log2_parts > 0)  // the words of a thread are counted in 32 bits
    plan.batch = std::min(plan.batch, (multiprocessors * static_cast<std::uint64_t>(plan.tuning.threads)) << 31);
  divide_stream(plan, multiprocessors * static_cast<std::uint64_t>(plan.tuning.blocks_of_multiprocessor),
                plan.tuning.threads, static_cast<std::uint64_t>(plan.tuning.updates_per_thread));
  plan_bins(plan, machine);
}

void plan_stored(Plan& plan, const Problem& problem, Rule rule, const Machine& machine) {
  plan_batch(plan, 2 * max_batch, rule, machine);
  const double bytes = 8.0 * static_cast<double>(plan.words()) + plan.scratch_bytes();
  if (plan.stored_updates() > max_batch && bytes > 0.95 * machine.free_bytes) {
    plan.batch = problem.updates;
    plan_batch(plan, max_batch, rule, machine);
  }
}

}  // namespace

Parts parts_of_rank(const Problem& problem, int ranks, int rank) {
  const int log2_words = std::countr_zero(problem.words);
  const auto all = static_cast<std::uint64_t>(ranks), own = static_cast<std::uint64_t>(rank);
  int log2_parts = std::countr_zero(std::bit_ceil(all));
  if (!std::has_single_bit(all)) log2_parts += 4;
  log2_parts = std::min(std::max(log2_parts, log2_parts_of_one_pass(problem)), log2_words);
  const std::uint64_t parts = std::uint64_t{1} << log2_parts, first = parts * own / all;
  return {log2_parts, first, parts * (own + 1) / all - first};
}

std::uint64_t Plan::region_words() const { return std::uint64_t{1} << std::min(log2_part_words(), log2_region_words); }
std::uint64_t Plan::stored_updates() const { return ceil_div(batch, std::uint64_t{1} << parts.log2_parts); }

double Plan::scratch_bytes() const {
  double bytes = 8.0 * (static_cast<double>(blocks) + threads);
  if (!is_binned()) return bytes;
  const auto coarse_updates = static_cast<double>(coarse_bins()) * static_cast<double>(coarse_capacity);
  const double fine = static_cast<double>(fine_bins()) * static_cast<double>(coarse_group);
  return bytes + 8 * (coarse_updates + fine * static_cast<double>(fine_capacity)) +
         4 * (static_cast<double>(coarse_bins()) + fine);
}

Tuning best_tuning(const Problem& problem) {
  if (std::countr_zero(problem.words) <= 22)
    return {.threads = 512, .updates_per_thread = 22, .blocks_of_multiprocessor = 2};
  return {};
}

Plan plan_of(Method method, const Problem& problem, Rule rule, const Machine& machine,
             const std::optional<Tuning>& tuning) {
  if (method == Method::parts) {
    const int log2_parts = log2_parts_of_one_pass(problem);
    return plan_of({log2_parts, 0, std::uint64_t{1} << log2_parts}, problem, rule, machine, tuning);
  }
  Plan plan{.method = method,
            .log2_words = std::countr_zero(problem.words),
            .batch = problem.updates,
            .tuning = tuning.value_or(best_tuning(problem))};
  const auto multiprocessors = static_cast<std::uint64_t>(machine.multiprocessors);
  if (method == Method::binned) {
    plan_stored(plan, problem, rule, machine);
  } else if (method == Method::regions) {
    plan.regions = problem.words / plan.region_words();
    plan.blocks_per_region = static_cast<int>(std::max<std::uint64_t>(multiprocessors / plan.regions, 1));
    divide_stream(plan, static_cast<std::uint64_t>(plan.blocks_per_region), 1024, 1);
    plan.blocks_per_region = plan.blocks;
  } else {
    if (method == Method::windows && plan.log2_words > log2_window_words)
      plan.windows = std::uint64_t{1} << (plan.log2_words - log2_window_words);
    divide_stream(plan, 2 * multiprocessors, 1024, 1);
  }
  plan.batches = ceil_div(problem.updates, plan.batch);
  return plan;
}

Plan plan_of(const Parts& parts, const Problem& problem, Rule rule, const Machine& machine,
             const std::optional<Tuning>& tuning) {
  if (parts.count < 1) throw std::invalid_argument("gups: no part of the table");
  const std::uint64_t part_words = problem.words >> parts.log2_parts;
  Plan plan{.method = Method::parts,
            .log2_words = std::countr_zero(problem.words),
            .parts = parts,
            .batch = problem.updates,
            .tuning = tuning.value_or(best_tuning({part_words, problem.updates}))};
  plan_stored(plan, problem, rule, machine);
  plan.batches = ceil_div(problem.updates, plan.batch);
  return plan;
}

// Measured by GupsGpu.DISABLED_Times on an H200: regenerating the stream per region pays off for a few regions,
// and jumps take longer than a second partitioning pass. Up to 8192 updates a run takes as long as its launch and the
// start of the threads' segments, to which clearing and storing a region would add.
Method best_method(const Problem& problem) {
  const int log2_words = std::countr_zero(problem.words);
  if (log2_words <= 11) return Method::direct;
  return log2_words <= 18 ? Method::regions : Method::binned;
}

}  // namespace speedwell::gups
