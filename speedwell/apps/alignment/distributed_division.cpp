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
/// that takes less time, as search_scores() does: a pair alone takes about 1/33 of the time of a batch of its length.
double batch_time(const SequenceSet& set, std::span<const std::size_t> batch) {
  const auto length = [&](std::size_t k) { return static_cast<double>(set.length(batch[k])); };
  double alone = 0, minimum = length(0);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    alone += length(k) / 33;
    minimum = std::min(minimum, alone + (k + 1 < batch.size() ? length(k + 1) : 0));
  }
  return minimum;
}

struct Task {
  std::size_t rows, batch;  // the index of a group of rows, and that of a batch
  double time;
};

/// The tasks of each part: longest first, each to the part with the least work so far, of equal ones to the first.
std::vector<std::vector<Task>> deal(std::vector<Task> tasks, std::size_t parts) {
  std::ranges::stable_sort(tasks, std::greater<>(), &Task::time);
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

/// The rows in groups of equal length: of one each, unless there would be too many tasks of one group and one batch.
std::vector<Indices> groups_of_rows(const SequenceSet& rows, std::size_t batches, std::size_t parts) {
  std::vector<Indices> groups(std::min(rows.size(), std::max(parts, max_tasks / batches)));
  const Indices order = longest_first(rows);
  for (std::size_t i = 0; i < order.size(); ++i) groups[i % groups.size()].push_back(order[i]);
  return groups;
}

std::size_t residues_of(const SequenceSet& set, const Indices& indices) {
  std::size_t residues = 0;
  for (const std::size_t i : indices) residues += set.length(i);
  return residues;
}

}  // namespace

std::vector<std::vector<PairBlock>> divide_batches(const SequenceSet& queries, const SequenceSet& subjects, int parts) {
  if (parts < 1) throw std::invalid_argument(std::to_string(parts) + " parts of a search");
  const bool swapped = queries.size() > subjects.size();
  const SequenceSet& rows = swapped ? subjects : queries;
  const SequenceSet& lanes = swapped ? queries : subjects;
  std::vector<std::vector<PairBlock>> result(static_cast<std::size_t>(parts));
  if (rows.size() == 0) return result;

  const Indices order = longest_first(lanes);
  std::vector<std::span<const std::size_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += batch_subjects)
    batches.push_back(std::span(order).subspan(first, std::min(batch_subjects, order.size() - first)));
  std::vector<Indices> groups(1, longest_first(rows));
  std::vector<Task> tasks;
  for (std::size_t b = 0; b < batches.size(); ++b) tasks.push_back({0, b, batch_time(lanes, batches[b])});
  std::vector<std::vector<Task>> dealt = deal(tasks, result.size());
  if (!is_even(dealt)) {
    groups = groups_of_rows(rows, batches.size(), result.size());
    std::vector<Task> smaller;
    for (const Task& task : tasks)
      for (std::size_t g = 0; g < groups.size(); ++g)
        smaller.push_back({g, task.batch, task.time * static_cast<double>(residues_of(rows, groups[g]))});
    dealt = deal(std::move(smaller), result.size());
  }

  for (std::size_t part = 0; part < result.size(); ++part) {
    std::map<std::size_t, Indices> rows_of_batch;
    for (const Task& task : dealt[part]) {
      Indices& some = rows_of_batch[task.batch];
      some.insert(some.end(), groups[task.rows].begin(), groups[task.rows].end());
    }
    std::map<Indices, Indices> lanes_of_rows;  // batches of the same rows are one block
    for (auto& [b, some] : rows_of_batch) {
      std::ranges::sort(some);
      Indices& of_block = lanes_of_rows[some];
      of_block.insert(of_block.end(), batches[b].begin(), batches[b].end());
    }
    for (auto& [some, of_block] : lanes_of_rows) {
      std::ranges::sort(of_block);
      result[part].push_back(swapped ? PairBlock{of_block, some} : PairBlock{some, of_block});
    }
  }
  return result;
}

}  // namespace speedwell::alignment
