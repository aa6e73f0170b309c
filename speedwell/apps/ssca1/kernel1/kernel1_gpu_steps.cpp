#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_refine.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps_plan.hpp"
#include "speedwell/core/closest_match.hpp"

namespace speedwell::ssca1 {
namespace {

void require_step(std::string_view step) {
  std::vector<std::string> names;
  for (const core::LadderStep& known : kernel1_steps) {
    if (known.name == step) return;
    names.emplace_back(known.name);
  }
  throw std::invalid_argument(core::unknown_name("step", step, names));
}

}  // namespace

CellTraffic step_traffic(std::string_view step) {
  require_step(step);
  // In numbers of 4 bytes and symbols of one: H of two diagonals, E and F, which are replaced, with two symbols; the
  // three launches H, F -> F, H~, with a symbol, H~ -> E~, and H~, E~ -> H; H, F -> H, F, with a symbol.
  if (step == "cuda-diagonals") return {4 * 4 + 2, 3 * 4};
  if (step == "cuda-sweeps") return {(2 + 1 + 2) * 4 + 1, (2 + 1 + 1) * 4};
  if (step == "cuda-rows") return {2 * 4 + 1, 2 * 4};
  return {};
}

double step_launches(std::string_view step, std::int64_t columns, std::int64_t rows) {
  require_step(step);
  if (step == "cuda-diagonals") return static_cast<double>(columns + rows - 1);
  if (step == "cuda-sweeps") return static_cast<double>(rows * (2 + sweep_sizes(padded_columns(columns)).count));
  return step == "cuda-rows" ? static_cast<double>(rows) : 1;
}

double step_state_bytes(std::string_view step, std::int64_t columns, std::int64_t rows, const Scoring& scoring,
                        const EndpointRules& rules, int multiprocessors) {
  require_step(step);
  OverlapPlan overlap;
  if (step == "cuda-sections")
    overlap =
        plan_overlap(columns, rows, scoring, rules.minimum_score, scoring.symbols() <= 64 ? 16 : 8, multiprocessors);
  const StepMemory memory = step_memory(step, columns, rows, overlap);
  return static_cast<double>(padded_columns(columns) + rows) + 4 * static_cast<double>(memory.cells) +
         8 * static_cast<double>(memory.tile_words) + sizeof(Borders) * static_cast<double>(memory.borders);
}

double step_device_bytes(std::string_view step, std::int64_t columns, std::int64_t rows, const Scoring& scoring,
                         const EndpointRules& rules, int multiprocessors) {
  return step_state_bytes(step, columns, rows, scoring, rules, multiprocessors) +
         2 * static_cast<double>(scoring.scores().size()) + sizeof(FoundCell) * static_cast<double>(step_list_capacity);
}

}  // namespace speedwell::ssca1
