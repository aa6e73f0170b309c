#include "speedwell/apps/alignment/distributed_division.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace speedwell::alignment {
namespace {

constexpr double max_imbalance = 1.05;
constexpr std::size_t max_tasks = std::size_t{1} << 20;

using Indices = std::vector<std::size_t>;

Indices longest_first(const SequenceSet& set) {
  Indices order(set.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return set.length(i); });
  return order;
}

/// The time of a batch, longest sequence first, in residues of its longest one. The longest are computed alone where
/// that takes less time, as search_scores() does: by its model a cell alone takes 0.055 where a vector of cells takes
/// 1.85, so that a pair takes about 1/33 of the time of a batch of its length.
double batch_time(const SequenceSet& set, std::span<const std::size_t> batch) {
  const auto length = [&](std::size_t k) { return static_cast<double>(set.length(batch[k])); };
  double alone = 0, minimum = length(0);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    alone += length(k) / 33;
    minimum = std::min(minimum, alone + (k + 1 < batch.size() ? length(k + 1) : 0));
  }
  return minimum;
}

using Task = SearchTasks::Task;

/// The tasks of each part: in their order, each to the part with the least work so far, of equal ones to the first.
std::vector<std::vector<Task>> deal(const std::vector<Task>& tasks, std::size_t parts) {
  using Load = std::pair<double, std::size_t>;  // time, part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t part = 0; part < parts; ++part) loads.emplace(0, part);
  std::vector<std::vector<Task>> dealt(parts);
  for (const Task& task : tasks) {
    const auto [time, part] = loads.top();
    loads.pop();
    dealt[part].push_back(task);
    loads.emplace(time + task.time, part);
  }
  return dealt;
}

double total(const std::vector<Task>& tasks) {
  return std::accumulate(tasks.begin(), tasks.end(), 0.0, [](double sum, const Task& t) { return sum + t.time; });
}

bool is_even(const std::vector<std::vector<Task>>& dealt) {
  double maximum = 0, sum = 0;
  for (const std::vector<Task>& tasks : dealt) {
    maximum = std::max(maximum, total(tasks));
    sum += total(tasks);
  }
  return maximum * static_cast<double>(dealt.size()) <= max_imbalance * sum;
}

/// The indices of a set in groups with almost equal numbers of residues.
std::vector<Indices> groups_of(const SequenceSet& set, std::size_t count) {
  std::vector<Indices> groups(count);
  const Indices order = longest_first(set);
  for (std::size_t i = 0; i < order.size(); ++i) groups[i % count].push_back(order[i]);
  return groups;
}

std::size_t residues_of(const SequenceSet& set, const Indices& indices) {
  std::size_t residues = 0;
  for (const std::size_t i : indices) residues += set.length(i);
  return residues;
}

}  // namespace

SearchTasks search_tasks(const SequenceSet& queries, const SequenceSet& subjects, std::size_t min_tasks) {
  SearchTasks search;
  const bool swapped = has_queries_in_lanes(queries.size(), subjects.size());
  const SequenceSet& rows = swapped ? subjects : queries;
  const SequenceSet& lanes = swapped ? queries : subjects;
  if (rows.size() == 0) return search;
  search.lanes = longest_first(lanes);
  const std::size_t batches = (lanes.size() + batch_size - 1) / batch_size;
  // search_scores() puts the larger of two sets into the lanes, and of equal ones the subjects: a group must not be
  // taken for the batch.
  const std::size_t max_group = swapped ? batch_size - 1 : batch_size;
  const std::size_t min_groups = (rows.size() + max_group - 1) / max_group;
  search.groups =
      groups_of(rows, std::clamp<std::size_t>((min_tasks + batches - 1) / batches, min_groups, rows.size()));
  std::vector<double> residues;
  for (const Indices& group : search.groups) residues.push_back(static_cast<double>(residues_of(rows, group)));
  for (std::size_t b = 0; b < batches; ++b) {
    const double time = batch_time(lanes, batch_of(search.lanes, b));
    for (std::size_t g = 0; g < search.groups.size(); ++g) search.tasks.push_back({g, b, time * residues[g]});
  }
  std::ranges::stable_sort(search.tasks, std::greater<>(), &Task::time);
  return search;
}

std::vector<std::vector<PairBlock>> divide_batches(const SequenceSet& queries, const SequenceSet& subjects, int parts) {
  if (parts < 1) throw std::invalid_argument(std::to_string(parts) + " parts of a search");
  std::vector<std::vector<PairBlock>> result(static_cast<std::size_t>(parts));
  SearchTasks search = search_tasks(queries, subjects, 1);
  std::vector<std::vector<Task>> dealt = deal(search.tasks, result.size());
  if (!is_even(dealt)) {
    search = search_tasks(queries, subjects, max_tasks);
    dealt = deal(search.tasks, result.size());
  }
  const bool swapped = has_queries_in_lanes(queries.size(), subjects.size());
  for (std::size_t part = 0; part < result.size(); ++part) {
    std::map<std::size_t, Indices> lanes_of_group;  // a block for each group
    for (const Task& task : dealt[part]) {
      Indices& of_block = lanes_of_group[task.group];
      const std::span<const std::size_t> batch = batch_of(search.lanes, task.batch);
      of_block.insert(of_block.end(), batch.begin(), batch.end());
    }
    for (auto& [group, of_block] : lanes_of_group) {
      Indices& of_rows = search.groups[group];
      std::ranges::sort(of_rows);
      std::ranges::sort(of_block);
      result[part].push_back(swapped ? PairBlock{of_block, of_rows} : PairBlock{of_rows, of_block});
    }
  }
  return result;
}

}  // namespace speedwell::alignment
