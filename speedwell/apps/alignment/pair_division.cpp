#include "speedwell/apps/alignment/pair_division.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace speedwell::alignment {
namespace {

constexpr double max_imbalance = 1.05;

using Groups = std::vector<std::vector<std::size_t>>;

/// Each sequence, longest first, goes to the group with the fewest residues, of equal ones to the first.
Groups groups_of(const SequenceSet& set, int count) {
  std::vector<std::size_t> order(set.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Groups groups(static_cast<std::size_t>(count));
  if (count == 1) {
    groups[0] = std::move(order);
    return groups;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return set.length(a) > set.length(b); });
  using Load = std::pair<std::size_t, std::size_t>;  // residues, group
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t g = 0; g < groups.size(); ++g) loads.emplace(0, g);
  for (const std::size_t sequence : order) {
    const auto [residues, group] = loads.top();
    loads.pop();
    groups[group].push_back(sequence);
    loads.emplace(residues + set.length(sequence), group);
  }
  for (std::vector<std::size_t>& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

double max_residues(const SequenceSet& set, const Groups& groups) {
  std::size_t maximum = 0;
  for (const std::vector<std::size_t>& group : groups) {
    std::size_t residues = 0;
    for (const std::size_t i : group) residues += set.length(i);
    maximum = std::max(maximum, residues);
  }
  return static_cast<double>(maximum);
}

}  // namespace

std::vector<PairBlock> divide_pairs(const SequenceSet& queries, const SequenceSet& subjects, int parts) {
  if (parts < 1) throw std::invalid_argument(std::to_string(parts) + " parts of a search");
  const double even = static_cast<double>(queries.residues()) * static_cast<double>(subjects.residues()) / parts;
  Groups of_queries, of_subjects;
  double fewest = 0;
  for (int columns = parts; columns >= 1; --columns) {
    if (parts % columns != 0) continue;
    Groups some_queries = groups_of(queries, parts / columns), some_subjects = groups_of(subjects, columns);
    const double cells = max_residues(queries, some_queries) * max_residues(subjects, some_subjects);
    if (of_subjects.empty() || cells < fewest) {
      fewest = cells;
      of_queries = std::move(some_queries);
      of_subjects = std::move(some_subjects);
    }
    if (fewest <= max_imbalance * even) break;
  }
  std::vector<PairBlock> blocks;
  for (const std::vector<std::size_t>& some_queries : of_queries)
    for (const std::vector<std::size_t>& some_subjects : of_subjects) blocks.push_back({some_queries, some_subjects});
  return blocks;
}

SequenceSet subset(const SequenceSet& set, std::span<const std::size_t> indices) {
  SequenceSet part(set.alphabet());
  for (const std::size_t i : indices) part.add_codes(set.name(i), set.codes(i));
  return part;
}

void put_block(const PairBlock& block, std::span<const std::int32_t> block_scores, std::span<std::int32_t> all,
               std::size_t subjects) {
  const std::size_t columns = block.subjects.size();
  for (std::size_t i = 0; i < block.queries.size(); ++i)
    for (std::size_t k = 0; k < columns; ++k)
      all[block.queries[i] * subjects + block.subjects[k]] = block_scores[i * columns + k];
}

}  // namespace speedwell::alignment
