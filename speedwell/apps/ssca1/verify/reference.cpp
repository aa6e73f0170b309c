#include "speedwell/apps/ssca1/verify/reference.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace speedwell::ssca1::reference {
namespace {

// Smaller than every score, and large enough that costs can be subtracted from it.
constexpr std::int64_t no_path = INT64_MIN / 4;

std::uint8_t symbol(Codes codes, std::int64_t position) { return codes[static_cast<std::size_t>(position - 1)]; }

std::int64_t pair_score(Codes main, Codes match, const Scoring& scoring, std::int64_t i, std::int64_t j) {
  return scoring.score(symbol(match, i), symbol(main, j));
}

/// Whether cell (i, j) with value h, and value d of the previous cell on its diagonal, is a candidate.
bool keeps_rules(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, std::int64_t i,
                 std::int64_t j, std::int64_t h, std::int64_t d) {
  if (h < rules.minimum_score) return false;
  if (rules.mode == EndpointRules::Mode::plain) return true;
  const std::int64_t s = pair_score(main, match, scoring, i, j);
  if (s <= 0) return false;
  if (h != d + s) return false;
  const bool last = i == static_cast<std::int64_t>(match.size()) || j == static_cast<std::int64_t>(main.size());
  return last || pair_score(main, match, scoring, i + 1, j + 1) <= 0;
}

}  // namespace

Table table(Codes main, Codes match, const Scoring& scoring) {
  const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
  Table t;
  t.rows = static_cast<std::int64_t>(match.size()) + 1;
  t.columns = static_cast<std::int64_t>(main.size()) + 1;
  const auto cells = static_cast<std::size_t>(t.rows * t.columns);
  t.h.assign(cells, 0);
  t.e.assign(cells, no_path);
  t.f.assign(cells, no_path);
  for (std::int64_t i = 1; i < t.rows; ++i)
    for (std::int64_t j = 1; j < t.columns; ++j) {
      const std::int64_t e = std::max(t.at(t.e, i, j - 1), t.at(t.h, i, j - 1) - open) - extend;
      const std::int64_t f = std::max(t.at(t.f, i - 1, j), t.at(t.h, i - 1, j) - open) - extend;
      const std::int64_t paired = t.at(t.h, i - 1, j - 1) + pair_score(main, match, scoring, i, j);
      const auto here = static_cast<std::size_t>(i * t.columns + j);
      t.e[here] = e;
      t.f[here] = f;
      t.h[here] = std::max({paired, e, f, std::int64_t{0}});
    }
  return t;
}

std::vector<Endpoint> candidates(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
  const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
  const auto n = static_cast<std::int64_t>(main.size()), m = static_cast<std::int64_t>(match.size());
  std::vector<std::int64_t> h_above(main.size() + 1, 0), h(main.size() + 1, 0), f(main.size() + 1, no_path);
  std::vector<Endpoint> found;
  for (std::int64_t i = 1; i <= m; ++i) {
    std::int64_t e = no_path;
    for (std::int64_t j = 1; j <= n; ++j) {
      const auto c = static_cast<std::size_t>(j);
      e = std::max(e, h[c - 1] - open) - extend;
      f[c] = std::max(f[c], h_above[c] - open) - extend;
      h[c] = std::max({h_above[c - 1] + pair_score(main, match, scoring, i, j), e, f[c], std::int64_t{0}});
      if (keeps_rules(main, match, scoring, rules, i, j, h[c], h_above[c - 1]))
        found.push_back({static_cast<std::int32_t>(h[c]), j, i});
    }
    std::swap(h, h_above);
  }
  std::sort(found.begin(), found.end(), comes_before);
  return found;
}

std::vector<Endpoint> separate(const std::vector<Endpoint>& candidates, const EndpointRules& rules) {
  std::vector<Endpoint> accepted;
  for (const Endpoint& c : candidates) {
    if (accepted.size() == rules.count) break;
    bool conflict = false;
    for (const Endpoint& a : accepted)
      if (rules.mode == EndpointRules::Mode::peaks && std::abs(a.main - c.main) < rules.separation &&
          std::abs(a.match - c.match) < rules.separation)
        conflict = true;
    if (!conflict) accepted.push_back(c);
  }
  return accepted;
}

Endpoints pairwise_align(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
  const std::vector<Endpoint> all = candidates(main, match, scoring, rules);
  return {separate(all, rules), static_cast<std::int64_t>(all.size())};
}

namespace {

/// The recurrence of kernel 2, backwards from an endpoint: V(x,y) is the best score of a path from the endpoint with x
/// symbols of main and y of match, including those of the endpoint.
struct Box {
  std::int64_t size_x, size_y;
  std::vector<std::int64_t> v, e, f;

  Box(Codes main, Codes match, const Scoring& scoring, const Endpoint& end, std::int64_t x_limit, std::int64_t y_limit)
      : size_x(x_limit), size_y(y_limit) {
    const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
    const auto cells = static_cast<std::size_t>((size_x + 1) * (size_y + 1));
    v.assign(cells, no_path);
    e.assign(cells, no_path);
    f.assign(cells, no_path);
    for (std::int64_t y = 1; y <= size_y; ++y)
      for (std::int64_t x = 1; x <= size_x; ++x) {
        const std::int64_t s = pair_score(main, match, scoring, end.match - y + 1, end.main - x + 1);
        const std::size_t here = index(x, y);
        e[here] = std::max(e[index(x - 1, y)], v[index(x - 1, y)] - open) - extend;
        f[here] = std::max(f[index(x, y - 1)], v[index(x, y - 1)] - open) - extend;
        const std::int64_t paired = x == 1 && y == 1 ? s : v[index(x - 1, y - 1)] + s;
        v[here] = std::max({paired, e[here], f[here]});
        if (v[here] <= 0) v[here] = no_path;
      }
  }
  std::size_t index(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * (size_x + 1) + x); }
  /// Whether a path may continue outside of the box.
  bool leaves(std::int64_t max_x, std::int64_t max_y) const {
    bool may_continue = false;
    for (std::int64_t y = 1; y <= size_y && size_x < max_x; ++y) may_continue = may_continue || v[index(size_x, y)] > 0;
    for (std::int64_t x = 1; x <= size_x && size_y < max_y; ++x) may_continue = may_continue || v[index(x, size_y)] > 0;
    return may_continue;
  }
};

struct Start {
  std::int64_t x = 0, y = 0;  // 0: none
};

Start first_start(const Box& box, Codes main, Codes match, const Scoring& scoring, const Endpoint& end,
                  std::int64_t diagonals) {
  for (std::int64_t d = 2; d <= diagonals; ++d)
    for (std::int64_t x = std::max<std::int64_t>(1, d - box.size_y); x <= std::min(box.size_x, d - 1); ++x) {
      const std::int64_t y = d - x;
      if (box.v[box.index(x, y)] != end.score) continue;
      const std::int64_t s = pair_score(main, match, scoring, end.match - y + 1, end.main - x + 1);
      const std::int64_t before = x == 1 && y == 1 ? 0 : box.v[box.index(x - 1, y - 1)];
      if (before + s == end.score) return {x, y};
    }
  return {};
}

void append(std::vector<CigarRun>& cigar, char operation) {
  if (cigar.empty() || cigar.back().operation != operation)
    cigar.push_back({operation, 1});
  else
    ++cigar.back().length;
}

std::vector<CigarRun> trace(const Box& box, Start at, Codes main, Codes match, const Scoring& scoring,
                            const Endpoint& end) {
  const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
  std::vector<CigarRun> cigar;
  std::int64_t x = at.x, y = at.y;
  while (true) {
    const std::uint8_t a = symbol(match, end.match - y + 1), b = symbol(main, end.main - x + 1);
    const std::int64_t s = scoring.score(a, b), v = box.v[box.index(x, y)];
    if (x == 1 && y == 1) {
      append(cigar, a == b ? '=' : 'X');
      return cigar;
    }
    if (v == box.v[box.index(x - 1, y - 1)] + s) {
      append(cigar, a == b ? '=' : 'X');
      --x, --y;
    } else if (v == box.e[box.index(x, y)]) {
      bool closed = false;
      while (!closed) {
        append(cigar, 'D');
        closed = box.e[box.index(x, y)] == box.v[box.index(x - 1, y)] - open - extend;
        --x;
      }
    } else {
      bool closed = false;
      while (!closed) {
        append(cigar, 'I');
        closed = box.f[box.index(x, y)] == box.v[box.index(x, y - 1)] - open - extend;
        --y;
      }
    }
  }
}

}  // namespace

Traced scan_backward(Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& endpoints,
                     const TraceRules& rules) {
  return trace_alignments_within(std::numeric_limits<double>::infinity(), main, match, scoring, endpoints, rules);
}

Traced trace_alignments_within(double max_cells, Codes main, Codes match, const Scoring& scoring,
                               const std::vector<Endpoint>& endpoints, const TraceRules& rules) {
  Traced traced;
  double cells = 0;
  for (const Endpoint& end : endpoints) {
    if (traced.alignments.size() == rules.count) break;
    for (std::int64_t limit = 32;; limit *= 2) {
      cells += static_cast<double>(std::min(limit, end.main)) * static_cast<double>(std::min(limit, end.match));
      if (cells > max_cells) throw std::length_error("alignments too long for the reference");
      const Box box(main, match, scoring, end, std::min(limit, end.main), std::min(limit, end.match));
      const bool whole = !box.leaves(end.main, end.match);
      // A diagonal that extends beyond the box has cells that were not computed.
      const Start start = first_start(box, main, match, scoring, end, whole ? box.size_x + box.size_y : limit + 1);
      if (start.x == 0 && !whole) continue;
      const std::int64_t main_begin = end.main - start.x + 1, match_begin = end.match - start.y + 1;
      bool close = false;
      for (const LocalAlignment& a : traced.alignments)
        if (std::abs(a.main_begin - main_begin) < rules.separation &&
            std::abs(a.match_begin - match_begin) < rules.separation)
          close = true;
      if (start.x == 0)
        ++traced.without_path;
      else if (start.x == 1 && start.y == 1)
        ++traced.single_pairs;
      else if (close)
        traced.close_starts.push_back(end);
      else
        traced.alignments.push_back(
            {end.score, main_begin, end.main, match_begin, end.match, trace(box, start, main, match, scoring, end)});
      break;
    }
  }
  return traced;
}

std::vector<SimilarRegion> regions(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules) {
  struct Value {
    std::int64_t score, begin;
  };
  const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
  const auto length = static_cast<std::int64_t>(query.size());
  if (length == 0) return {};
  // The columns of V and E; x counts symbols of the query.
  std::vector<Value> v(query.size() + 1), e(query.size() + 1, {no_path, 0});
  v[0] = {0, 1};
  for (std::int64_t x = 1; x <= length; ++x) v[static_cast<std::size_t>(x)] = {-open - x * extend, 1};
  std::vector<SimilarRegion> found;
  for (std::int64_t y = 1; y <= static_cast<std::int64_t>(main.size()); ++y) {
    Value diagonal = v[0], f = {no_path, 0};
    v[0] = {0, y + 1};
    for (std::size_t x = 1; x < v.size(); ++x) {
      const Value skip_main = v[x].score - open >= e[x].score ? Value{v[x].score - open - extend, v[x].begin}
                                                              : Value{e[x].score - extend, e[x].begin};
      f = v[x - 1].score - open >= f.score ? Value{v[x - 1].score - open - extend, v[x - 1].begin}
                                           : Value{f.score - extend, f.begin};
      Value best = {diagonal.score + scoring.score(query[x - 1], symbol(main, y)), diagonal.begin};
      if (skip_main.score > best.score) best = skip_main;
      if (f.score > best.score) best = f;
      diagonal = v[x];
      v[x] = best;
      e[x] = skip_main;
    }
    const Value last = v.back();
    const auto span = static_cast<double>(y - last.begin + 1);
    if (last.score >= rules.minimum_score && span <= rules.span_factor * static_cast<double>(length))
      found.push_back({static_cast<std::int32_t>(last.score), last.begin, y});
  }
  std::sort(found.begin(), found.end(), [](const SimilarRegion& a, const SimilarRegion& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.end != b.end ? a.end < b.end : a.begin < b.begin;
  });
  return found;
}

std::vector<SimilarRegion> locate_similar(Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules) {
  std::vector<SimilarRegion> accepted;
  for (const SimilarRegion& region : regions(main, query, scoring, rules)) {
    if (accepted.size() == rules.count) break;
    bool conflict = false;
    for (const SimilarRegion& a : accepted)
      if (std::abs(a.end - region.end) < rules.separation || std::abs(a.begin - region.begin) < rules.separation)
        conflict = true;
    if (!conflict) accepted.push_back(region);
  }
  return accepted;
}

Members members(Codes main, const std::vector<SimilarRegion>& regions, Alphabet alphabet) {
  Members made;
  for (const SimilarRegion& region : regions) {
    auto& member = made.emplace_back();
    const auto n = static_cast<std::int64_t>(main.size());
    for (std::int64_t j = std::max<std::int64_t>(1, region.begin); j <= std::min(region.end, n); ++j) {
      const int code = symbol(main, j);
      if (alphabet == Alphabet::nucleotides)
        member.push_back(static_cast<std::uint8_t>(code));
      else
        for (const int base : {code / 16, code / 4 % 4, code % 4}) member.push_back(static_cast<std::uint8_t>(base));
    }
  }
  return made;
}

}  // namespace speedwell::ssca1::reference
