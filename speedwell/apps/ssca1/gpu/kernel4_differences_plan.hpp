// Decisions of GpuDifferences before it runs: the sets that fit its arithmetic, and the distribution of their pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel4_cost_rows.hpp"

namespace speedwell::ssca1 {

inline constexpr int pairs_per_task = 256;

struct DifferencesPlan {
  struct Group {
    int columns = 0;                   // one of cost_row_lengths
    std::size_t first = 0, count = 0;  // range of the tasks
  };
  std::vector<DeviceSet> sets;  // all sets; those on the host have no members here
  std::vector<DeviceMember> members;
  std::vector<std::uint32_t> words;
  std::vector<PairTask> tasks;
  std::vector<Group> groups;
  std::vector<std::size_t> on_host;
  std::int64_t pairs = 0;
};

inline DifferencesPlan plan_differences(std::span<const Members> sets, const DifferenceCosts& costs) {
  DifferencesPlan plan;
  std::vector<std::size_t> longest(sets.size(), 0);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    bool two_bits = true;
    for (const auto& member : sets[s]) {
      longest[s] = std::max(longest[s], member.size());
      two_bits &= std::all_of(member.begin(), member.end(), [](std::uint8_t symbol) { return symbol < 4; });
    }
    DeviceSet& set = plan.sets.emplace_back();
    if (sets[s].size() < 2) continue;
    if (!two_bits || !fits_cost_rows(static_cast<std::int64_t>(longest[s]), costs)) {
      plan.on_host.push_back(s);
      continue;
    }
    set = {.first_member = std::ssize(plan.members),
           .first_pair = plan.pairs,
           .members = static_cast<std::int32_t>(sets[s].size())};
    plan.pairs += std::ssize(sets[s]) * (std::ssize(sets[s]) - 1) / 2;
    for (const auto& member : sets[s]) {
      plan.members.push_back({static_cast<std::uint32_t>(plan.words.size()), static_cast<std::int32_t>(member.size())});
      for (std::size_t k = 0; k < member.size(); ++k) {
        if (k % symbols_per_word == 0) plan.words.push_back(0);
        plan.words.back() |= static_cast<std::uint32_t>(member[k]) << (2 * (k % symbols_per_word));
      }
    }
  }
  // The longest tasks are first, for the balance of the load.
  for (auto columns = cost_row_lengths.rbegin(); columns != cost_row_lengths.rend(); ++columns) {
    const auto shorter = columns + 1 == cost_row_lengths.rend() ? -1 : *(columns + 1);
    DifferencesPlan::Group group{*columns, plan.tasks.size(), 0};
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::int64_t k = plan.sets[s].members, length = static_cast<std::int64_t>(longest[s]);
      if (length > *columns || length <= shorter) continue;
      for (std::int64_t first = 0; first < k * (k - 1) / 2; first += pairs_per_task)
        plan.tasks.push_back({static_cast<std::int32_t>(s), first});
    }
    group.count = plan.tasks.size() - group.first;
    if (group.count > 0) plan.groups.push_back(group);
  }
  return plan;
}

}  // namespace speedwell::ssca1
