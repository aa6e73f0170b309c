// The references' results for the inputs of the five kernels: complete, or for a sample if the tables are too large.
#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "speedwell/apps/ssca1/verify/verify.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::uint64_t sample_stream = 1;  // stream of random numbers, fixed so that the sample is reproducible

/// Windows of columns 1 … n, including the first and the last columns, that have about `columns` columns together with
/// the `lead` columns before each. At least half of these are the windows' own; none if that is impossible.
std::vector<Window> sample_windows(std::int64_t n, std::int64_t lead, double columns) {
  constexpr double maximum = 8;
  if (columns >= static_cast<double>(n)) return {{1, n}};
  const auto count = static_cast<std::int64_t>(std::min(maximum, columns / (2.0 * static_cast<double>(lead + 1))));
  if (count == 0) return {};
  const std::int64_t own = static_cast<std::int64_t>(columns) / count - lead, stratum = n / count;
  std::vector<Window> windows;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto random = static_cast<std::int64_t>(core::random_bits(sample_stream, static_cast<std::uint64_t>(k)) >> 1);
    const std::int64_t free = std::max<std::int64_t>(0, stratum - own);
    const std::int64_t before = k + 1 == count ? n - own : k * stratum + (k == 0 ? 0 : random % (free + 1));
    windows.push_back({before + 1, before + own});
  }
  return windows;
}

std::string text_of(const std::vector<Window>& windows, std::int64_t n) {
  std::int64_t columns = 0;
  for (const Window& w : windows) columns += w.last - w.first + 1;
  if (columns == n) return "serial reference of the whole table";
  if (windows.empty()) return "no serial reference: its tables are too large";
  return "serial reference in " + std::to_string(windows.size()) + " windows with " + std::to_string(columns) + " of " +
         std::to_string(n) + " columns";
}

/// Main from `lead` columns before a window to one symbol after it, which the rule on the next pair needs.
struct Part {
  std::int64_t begin;  // columns before it
  Codes codes;
  Part(Codes main, const Window& window, std::int64_t lead)
      : begin(std::max<std::int64_t>(0, window.first - 1 - lead)),
        codes(main.subspan(
            static_cast<std::size_t>(begin),
            std::min(main.size(), static_cast<std::size_t>(window.last) + 1) - static_cast<std::size_t>(begin))) {}
};

double cells_of(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.size());
}

}  // namespace

std::optional<std::int64_t> longest_span(const Scoring& scoring, std::int64_t rows, std::int64_t minimum) {
  const std::int64_t left = std::max(0, scoring.highest()) * rows - scoring.gap_open() - minimum;
  if (left < 0) return rows;
  if (scoring.gap_extend() == 0) return std::nullopt;
  return rows + left / scoring.gap_extend();
}

EndpointOracle endpoint_oracle(const Problem& problem, const Data& data, const OracleEffort& effort) {
  const Scoring scoring = problem.scoring();
  const Codes main = data.main.span(), match = data.match.span();
  const auto n = static_cast<std::int64_t>(main.size()), m = static_cast<std::int64_t>(match.size());
  EndpointOracle oracle;
  if (static_cast<double>(n) * static_cast<double>(m) <= effort.whole) {
    oracle.whole = reference::pairwise_align(main, match, scoring, problem.endpoints);
    oracle.text = text_of({{1, n}}, n);
    return oracle;
  }
  if (const auto span = longest_span(scoring, m, problem.endpoints.minimum_score)) {
    const std::int64_t lead = *span - 1;
    oracle.windows = sample_windows(n, lead, effort.sample / static_cast<double>(m));
    for (const Window& window : oracle.windows) {
      const Part part(main, window, lead);
      for (Endpoint found : reference::candidates(part.codes, match, scoring, problem.endpoints)) {
        found.main += part.begin;
        if (window.holds(found.main)) oracle.candidates.push_back(found);
      }
    }
    std::sort(oracle.candidates.begin(), oracle.candidates.end(), comes_before);
  }
  oracle.box_cells = std::min(effort.sample, 2e7);  // the boxes store all cells with 24 bytes each
  oracle.text = text_of(oracle.windows, n) + ", scores of all endpoints in boxes before them";
  return oracle;
}

TraceOracle trace_oracle(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                         const OracleEffort& effort) {
  try {
    return {reference::trace_alignments_within(effort.whole, data.main.span(), data.match.span(), problem.scoring(),
                                               endpoints, problem.traces),
            "serial reference of all alignments"};
  } catch (const std::length_error&) {
    return {std::nullopt, "no serial reference: its tables are too large"};
  }
}

SimilarOracle similar_oracle(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                             const OracleEffort& effort) {
  const Scoring scoring = problem.scoring();
  const Codes main = data.main.span();
  const auto n = static_cast<std::int64_t>(main.size());
  std::int64_t symbols = 0, longest = 0;
  for (const Codes query : queries) {
    const auto length = static_cast<std::int64_t>(query.size());
    symbols += length;
    longest = std::max(longest, length);
  }
  SimilarOracle oracle;
  oracle.candidates.resize(queries.size());
  std::int64_t lead = 0;
  if (static_cast<double>(symbols) * static_cast<double>(n) <= effort.whole) {
    oracle.windows = {{1, n}};
  } else if (const auto span = longest_span(scoring, longest, problem.similar.minimum_score)) {
    lead = *span - 1;
    oracle.windows = sample_windows(n, lead, effort.sample / static_cast<double>(symbols));
  }
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (const Window& window : oracle.windows) {
      const Part part(main, window, lead);
      for (SimilarRegion found : reference::regions(part.codes, queries[q], scoring, problem.similar)) {
        found.begin += part.begin;
        found.end += part.begin;
        if (window.holds(found.end)) oracle.candidates[q].push_back(found);
      }
    }
  oracle.text = text_of(oracle.windows, n) + ", every region scored again";
  return oracle;
}

DifferenceOracle difference_oracle(const Problem& problem, const std::vector<Members>& sets,
                                   const OracleEffort& effort) {
  const auto for_each_pair = [&](auto&& visit) {
    for (std::size_t k = 0; k < sets.size(); ++k)
      for (std::size_t i = 0; i < sets[k].size(); ++i)
        for (std::size_t j = i + 1; j < sets[k].size(); ++j) visit(k, i, j);
  };
  double cells = 0;
  std::uint64_t pairs = 0;
  for_each_pair([&](std::size_t k, std::size_t i, std::size_t j) {
    cells += cells_of(sets[k][i], sets[k][j]);
    ++pairs;
  });
  // Every k-th pair, and the first and the last of each set.
  const auto share = cells <= effort.whole
                         ? std::uint64_t{1}
                         : 1 + static_cast<std::uint64_t>(std::min(1e18, cells / std::max(1.0, effort.sample)));
  DifferenceOracle oracle;
  std::uint64_t number = 0;
  for_each_pair([&](std::size_t k, std::size_t i, std::size_t j) {
    const std::size_t size = sets[k].size();
    const bool corner = (i == 0 && j == 1) || (i + 2 == size && j + 1 == size);
    if (core::random_bits(sample_stream, number++) % share == 0 || corner)
      oracle.pairs.push_back({k, i, j, reference::difference(sets[k][i], sets[k][j], problem.costs)});
  });
  oracle.text = "serial reference of " + std::to_string(oracle.pairs.size()) + " of " + std::to_string(pairs) +
                " pairs, bounds of all";
  return oracle;
}

StarOracle star_oracle(const Problem& problem, const std::vector<Members>& sets, const OracleEffort& effort) {
  std::vector<std::size_t> order(sets.size());
  for (std::size_t k = 0; k < sets.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) {
    return core::random_bits(sample_stream, a) < core::random_bits(sample_stream, b);
  });
  StarOracle oracle;
  double left = effort.whole;
  for (const std::size_t k : order) {
    double cells = 0;
    for (std::size_t i = 0; i < sets[k].size(); ++i)
      for (std::size_t j = 0; j < sets[k].size(); ++j) cells += cells_of(sets[k][i], sets[k][j]);
    if (cells > left) continue;
    left -= cells;
    oracle.sets.push_back(k);
    oracle.stars.push_back(reference::align_star(sets[k], problem.costs));
  }
  oracle.text = "members, distances to the centre and sums of all sets, serial reference of " +
                std::to_string(oracle.sets.size()) + " of " + std::to_string(sets.size());
  return oracle;
}

}  // namespace speedwell::ssca1
