// What the adapters of several applications need for their tables of variants and of problems.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/core/ladder_step.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::harness {

/// The variant of a step of a ladder of GPU kernels; the step named "cuda" is the recommended implementation.
inline Variant ladder_variant(const core::LadderStep& step) {
  return {.name = std::string(step.name),
          .backend = Backend::cuda,
          .role = step.name == "cuda" ? Role::best : Role::step,
          .description = std::string(step.description),
          .lineage = std::string(step.lineage)};
}

/// Lists a variant for the problems alone that it applies to. For others the reason is "WHAT has no NAME", where
/// what(problem) names the kernel or operation of the problem.
template <class What>
void limit_to(Variant& variant, std::function<bool(const Problem&)> applies_to, What what) {
  variant.applies_to = std::move(applies_to);
  variant.unsupported_reason = [=, applies_to = variant.applies_to,
                                name = variant.name](const Problem& problem) -> std::optional<std::string> {
    if (applies_to(problem)) return std::nullopt;
    return what(problem) + " has no " + name;
  };
}

/// Application::prepare and prepare_rank, for a workload W that is constructed from `arguments`: those that are
/// functions of a problem are replaced by their values, for example make_workload<W>(is_f32, problem_of, false).
template <class W, class... Arguments>
auto make_workload(Arguments... arguments) {
  const auto value_for = []<class Argument>(const Argument& argument, const Problem& problem) {
    if constexpr (std::is_invocable_v<Argument, const Problem&>)
      return argument(problem);
    else
      return argument;
  };
  return [=](const Problem& problem) -> std::shared_ptr<const Workload> {
    return std::make_shared<const W>(value_for(arguments, problem)...);
  };
}

/// The settings of a box of nx x ny x nz points.
inline std::vector<Setting> box(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return {{"nx", nx}, {"ny", ny}, {"nz", nz}};
}
/// Application::weak for a box that ranks divide along z first: one `ranks` times as long along z. The parameter n,
/// which would set all three extents, is 0.
template <class Extents>
std::vector<Setting> longer_box(const Extents& extents, int ranks) {
  std::vector<Setting> settings = box(extents.nx, extents.ny, extents.nz * ranks);
  settings.insert(settings.begin(), {"n", std::int64_t{0}});
  return settings;
}

}  // namespace speedwell::harness
