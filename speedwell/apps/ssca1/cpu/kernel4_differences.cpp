// Kernel 4: the differences of all pairs of a set, one sequence against sixteen others at a time.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::ssca1 {
namespace {

/// Members first … first + 15 of a set against all previous members.
struct Task {
  std::size_t set, first;
};

void run(const Task& task, const Members& set, const DifferenceCosts& costs, const Kernels& kernel, Differences& made) {
  constexpr auto lanes = static_cast<std::size_t>(wide_lanes);
  const std::size_t last = std::min(set.size(), task.first + lanes);
  std::size_t longest = 0;
  for (std::size_t j = task.first; j < last; ++j) longest = std::max(longest, set[j].size());
  core::HostBuffer<std::int32_t> columns(longest * lanes), row((longest + 1) * lanes);
  std::fill(columns.begin(), columns.end(), 0);
  for (std::size_t j = task.first; j < last; ++j)
    for (std::size_t y = 0; y < set[j].size(); ++y) columns[y * lanes + j - task.first] = set[j][y];
  for (std::size_t i = 0; i + 1 < last; ++i) {
    kernel.differences({.sequence = set[i].data(),
                        .length = set[i].size(),
                        .columns = columns.data(),
                        .column_count = longest,
                        .mismatch = costs.mismatch,
                        .space = costs.space,
                        .row = row.data()});
    for (std::size_t j = std::max(i + 1, task.first); j < last; ++j)
      made.upper[i * (2 * set.size() - i - 1) / 2 + j - i - 1] = row[set[j].size() * lanes + j - task.first];
  }
}

}  // namespace

std::vector<Differences> global_align(std::span<const Members> sets, const DifferenceCosts& costs,
                                      const Options& options) {
  if (costs.mismatch < 0 || costs.space < 0)
    throw std::invalid_argument("costs " + std::to_string(costs.mismatch) + " and " + std::to_string(costs.space) +
                                ": none may be negative");
  const Kernels& kernel = kernels(options.isa);
  std::vector<Differences> made(sets.size());
  std::vector<Task> tasks;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::size_t longest = 0;
    for (const auto& member : sets[s]) longest = std::max(longest, member.size());
    const auto maximum = static_cast<std::size_t>(std::max({1, costs.mismatch, costs.space}));
    if (longest + 1 > (std::size_t{1} << 29) / maximum)  // every prefix costs at most 2 * longest times the larger cost
      throw std::invalid_argument("members of " + std::to_string(longest) + " symbols with costs of " +
                                  std::to_string(maximum) + ": a difference could pass 2^30");
    made[s].members = sets[s].size();
    made[s].upper.resize(sets[s].empty() ? 0 : sets[s].size() * (sets[s].size() - 1) / 2);
    for (std::size_t first = 0; first < sets[s].size(); first += wide_lanes) tasks.push_back({s, first});
  }
  for_each_item(static_cast<std::int64_t>(tasks.size()), options.threads, [&](std::int64_t k) {
    const Task& task = tasks[static_cast<std::size_t>(k)];
    run(task, sets[task.set], costs, kernel, made[task.set]);
  });
  return made;
}

Members members(Codes main, std::span<const SimilarRegion> regions, Alphabet alphabet) {
  Members made;
  for (const SimilarRegion& region : regions) {
    if (region.begin < 1 || region.end > static_cast<std::int64_t>(main.size()) || region.begin > region.end + 1)
      throw std::invalid_argument("a region from " + std::to_string(region.begin) + " to " +
                                  std::to_string(region.end) + " in a sequence of " + std::to_string(main.size()) +
                                  " symbols");
    auto& member = made.emplace_back();
    for (std::int64_t j = region.begin; j <= region.end; ++j) {
      const std::uint8_t code = main[static_cast<std::size_t>(j - 1)];
      if (alphabet == Alphabet::nucleotides)
        member.push_back(code);
      else
        member.insert(member.end(), {static_cast<std::uint8_t>(code >> 4 & 3), static_cast<std::uint8_t>(code >> 2 & 3),
                                     static_cast<std::uint8_t>(code & 3)});
    }
  }
  return made;
}

}  // namespace speedwell::ssca1
