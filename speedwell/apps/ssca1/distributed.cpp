#include "speedwell/apps/ssca1/distributed.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/comm/timer.hpp"

namespace speedwell::ssca1 {
namespace {

double pair_cells(const Members& set) {
  double sum = 0, squares = 0;
  for (const auto& member : set) {
    const auto length = static_cast<double>(member.size());
    sum += length;
    squares += length * length;
  }
  return (sum * sum - squares) / 2;
}

std::vector<double> costs_of(const KernelArguments& all) {
  std::vector<double> costs;
  if (all.kernel == 3)
    for (const Codes query : all.queries) costs.push_back(static_cast<double>(query.size()));
  if (all.kernel > 3)
    for (const Members& set : all.sets) costs.push_back(pair_cells(set));
  return costs;
}

template <class T>
std::vector<T> chosen(std::span<const T> all, const std::vector<std::size_t>& indices) {
  std::vector<T> some;
  for (const std::size_t i : indices) some.push_back(all[i]);
  return some;
}

/// Puts the lists of all parts where their items are.
template <std::size_t kernel>
KernelResult merge_items(std::span<KernelResult> parts, const std::vector<std::vector<std::size_t>>& items) {
  std::variant_alternative_t<kernel - 1, KernelResult> all;
  std::size_t count = 0;
  for (const auto& of_rank : items) count += of_rank.size();
  all.resize(count);
  for (std::size_t rank = 0; rank < items.size(); ++rank) {
    auto& part = std::get<kernel - 1>(parts[rank]);
    for (std::size_t k = 0; k < items[rank].size(); ++k) all[items[rank][k]] = std::move(part.at(k));
  }
  return all;
}

bool is_end_of(const Endpoint& end, const LocalAlignment& a) {
  return a.main_end == end.main && a.match_end == end.match;
}

}  // namespace

std::vector<std::vector<std::size_t>> divide_items(std::span<const double> costs, int parts) {
  if (parts < 1) throw std::invalid_argument(std::to_string(parts) + " parts of a kernel");
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<std::vector<std::size_t>> items(static_cast<std::size_t>(parts));
  std::vector<double> sums(items.size(), 0);
  for (const std::size_t i : order) {
    const auto least = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    items[least].push_back(i);
    sums[least] += costs[i];
  }
  for (std::vector<std::size_t>& of_part : items) std::sort(of_part.begin(), of_part.end());
  return items;
}

RankShare::RankShare(const comm::Communicator& ranks, const KernelArguments& all)
    : ranks_(ranks), all_(all), own_(all), items_(static_cast<std::size_t>(ranks.size())) {
  if (all.kernel < 1 || all.kernel > 5)
    throw std::invalid_argument("kernel " + std::to_string(all.kernel) + ": there are 1 to 5");
  const auto rank = static_cast<std::size_t>(ranks.rank());
  if (all.kernel == 1) {
    sections_ = divide_table(static_cast<std::int64_t>(all.main.size()), static_cast<std::int64_t>(all.match.size()),
                             *all.scoring, all.endpoint_rules, ranks.size());
    section_ = sections_[rank];
    own_.main = section_.of(all.main);
    size_ = own_.main.size();
    return;
  }
  if (all.kernel == 2)
    for (std::size_t i = 0; i < all.endpoints.size(); ++i) items_[i % items_.size()].push_back(i);
  else
    items_ = divide_items(costs_of(all), ranks.size());
  const std::vector<std::size_t>& mine = items_[rank];
  size_ = mine.size();
  if (all.kernel == 2) {
    own_.endpoints = endpoints_ = chosen(all.endpoints, mine);
    own_.trace_rules = {.separation = 0, .count = std::numeric_limits<std::size_t>::max()};
  } else if (all.kernel == 3) {
    own_.queries = queries_ = chosen(all.queries, mine);
  } else {
    own_.sets = sets_ = chosen(all.sets, mine);
    if (all.kernel == 5) own_.differences = differences_ = chosen(all.differences, mine);
  }
}

KernelResult RankShare::candidates_result(const SectionCandidates& candidates) {
  return Endpoints{candidates.kept, candidates.found};
}

KernelResult RankShare::compute(const Options& options) const {
  const KernelArguments& a = own_;
  switch (a.kernel) {
    case 1: {
      const TableSection in_section{0, static_cast<std::int64_t>(a.main.size()), section_.owned};
      return candidates_result(section_candidates(a.main, a.match, *a.scoring, a.endpoint_rules, in_section, options));
    }
    case 2:
      return scan_backward(a.main, a.match, *a.scoring, a.endpoints, a.trace_rules, options);
    case 3:
      return locate_similar(a.main, a.queries, *a.scoring, a.similar_rules, options);
    case 4:
      return global_align(a.sets, a.costs, options);
    default:
      return multiple_align(a.sets, a.differences, a.costs, options);
  }
}

/// Lists the endpoints whose alignment is a single pair as close starts, of which a part has none.
void RankShare::add_single_pairs(Traced& own) const {
  if (own.single_pairs == 0) return;
  auto next = own.alignments.begin();
  for (const Endpoint& end : own_.endpoints) {
    if (next != own.alignments.end() && is_end_of(end, *next))
      ++next;
    else if (scan_backward(own_.main, own_.match, *own_.scoring, std::span(&end, 1)).single_pairs == 1)
      own.close_starts.push_back(end);
  }
}

Endpoints RankShare::merge_candidates(std::span<const KernelResult> parts) const {
  std::vector<SectionCandidates> sections;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (sections_[rank].is_empty()) continue;
    const auto& part = std::get<Endpoints>(parts[rank]);
    sections_[rank].move(sections.emplace_back(SectionCandidates{part.accepted, part.candidates}));
  }
  return merge_sections(sections, all_.endpoint_rules);
}

/// Accepts the alignments in the order of the endpoints, as scan_backward() does.
Traced RankShare::merge_traces(std::span<const KernelResult> parts) const {
  Traced merged;
  std::vector<std::size_t> next_alignment(parts.size(), 0), next_single(parts.size(), 0);
  for (std::size_t i = 0; i < all_.endpoints.size() && merged.alignments.size() < all_.trace_rules.count; ++i) {
    const std::size_t rank = i % parts.size();
    const auto& part = std::get<Traced>(parts[rank]);
    const Endpoint& end = all_.endpoints[i];
    const std::size_t a = next_alignment[rank], s = next_single[rank];
    if (a < part.alignments.size() && is_end_of(end, part.alignments[a])) {
      ++next_alignment[rank];
      const LocalAlignment& found = part.alignments[a];
      const auto close = [&](const LocalAlignment& other) {
        return std::abs(other.main_begin - found.main_begin) < all_.trace_rules.separation &&
               std::abs(other.match_begin - found.match_begin) < all_.trace_rules.separation;
      };
      if (std::any_of(merged.alignments.begin(), merged.alignments.end(), close))
        merged.close_starts.push_back(end);
      else
        merged.alignments.push_back(found);
    } else if (s < part.close_starts.size() && part.close_starts[s] == end) {
      ++next_single[rank];
      ++merged.single_pairs;
    } else {
      ++merged.without_path;
    }
  }
  return merged;
}

KernelResult RankShare::gather(KernelResult own) {
  const comm::Timer timer(exchange_seconds_);
  if (all_.kernel == 2) add_single_pairs(std::get<Traced>(own));
  if (ranks_.rank() != 0) {
    const std::vector<std::int64_t> numbers = flatten(own);
    const std::uint64_t size = numbers.size();
    ranks_.send(std::span<const std::uint64_t>(&size, 1), 0);
    ranks_.send(std::span<const std::int64_t>(numbers), 0);
    return own;
  }
  std::vector<KernelResult> parts{std::move(own)};
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    std::uint64_t size = 0;
    ranks_.receive(std::span<std::uint64_t>(&size, 1), rank);
    std::vector<std::int64_t> numbers(size);
    ranks_.receive(std::span<std::int64_t>(numbers), rank);
    parts.push_back(unflatten(all_.kernel, numbers));
  }
  switch (all_.kernel) {
    case 1:
      return merge_candidates(parts);
    case 2:
      return merge_traces(parts);
    case 3:
      return merge_items<3>(parts, items_);
    case 4:
      return merge_items<4>(parts, items_);
    default:
      return merge_items<5>(parts, items_);
  }
}

}  // namespace speedwell::ssca1
