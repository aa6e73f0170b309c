// Kernel 2: the recurrence runs backwards from an endpoint, one anti-diagonal after the other, over the cells that a
// path from the endpoint reaches with a positive score. V(x,y) is the best score of a path with x symbols of main and y
// of match, including the endpoint's pair (1,1); E and F are gaps that skip symbols of main and of match. The search is
// not limited to a box: a diagonal is as wide as its positive cells, and two diagonals without any end the search.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::int32_t unreachable = INT32_MIN / 2;

/// The cells x = first … first + v.size() - 1 of one anti-diagonal; all others are not positive.
struct Diagonal {
  std::int64_t first = 1;
  std::vector<std::int32_t> v, e, f;

  std::int64_t end() const { return first + static_cast<std::int64_t>(v.size()); }
  bool empty() const { return v.empty(); }
  std::int32_t at(const std::vector<std::int32_t>& values, std::int64_t x) const {
    return x < first || x >= end() ? unreachable : values[static_cast<std::size_t>(x - first)];
  }
};

// The origins of a cell's values.
enum : std::uint8_t { from_pair = 0, from_e = 1, from_f = 2, source = 3, e_closes = 4, f_closes = 8 };

struct Cell {
  std::int64_t x = 0, y = 0;
};

/// The origins of the cells of consecutive anti-diagonals.
class Directions {
 public:
  void restart(std::int64_t diagonal) {
    begin_ = diagonal;
    rows_.clear();
    cells_.clear();
  }
  /// The cells x = first … first + width - 1 of the next anti-diagonal.
  std::span<std::uint8_t> append(std::int64_t first, std::size_t width) {
    rows_.push_back({first, cells_.size()});
    cells_.resize(cells_.size() + width);
    return std::span(cells_).last(width);
  }
  std::uint8_t at(Cell cell) const {
    const Row& row = rows_[static_cast<std::size_t>(cell.x + cell.y - begin_)];
    return cells_[row.offset + static_cast<std::size_t>(cell.x - row.first)];
  }

 private:
  struct Row {
    std::int64_t first;
    std::size_t offset;
  };
  std::int64_t begin_ = 2;
  std::vector<Row> rows_;
  std::vector<std::uint8_t> cells_;
};

class Backwards {
 public:
  Backwards(Codes main, Codes match, const Scoring& scoring, const Endpoint& end)
      : main_(main), match_(match), scoring_(scoring), end_(end) {}

  std::uint8_t main_symbol(std::int64_t x) const { return main_[static_cast<std::size_t>(end_.main - x)]; }
  std::uint8_t match_symbol(std::int64_t y) const { return match_[static_cast<std::size_t>(end_.match - y)]; }

  /// Computes anti-diagonal d = x + y from the previous two, with its directions if requested. Stops at the first cell
  /// that is a start and returns it.
  std::optional<Cell> step(std::int64_t d, const Diagonal& two_before, const Diagonal& before, Diagonal& made,
                           Directions* directions) const {
    const std::int32_t open = scoring_.gap_open(), extend = scoring_.gap_extend();
    std::int64_t first =
        std::min(before.empty() ? INT64_MAX : before.first, two_before.empty() ? INT64_MAX : two_before.first + 1);
    std::int64_t last = std::max(before.empty() ? 0 : before.end(), two_before.empty() ? 0 : two_before.end());
    if (d == 2) first = last = 1;
    first = std::max({first, std::int64_t{1}, d - end_.match});
    last = std::min({last, end_.main, d - 1});
    if (first <= last) {  // a diagonal reaches at most one symbol of each sequence that no earlier one has reached
      require_symbol(scoring_, main_symbol(last));
      require_symbol(scoring_, match_symbol(d - first));
    }
    made.first = first;
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(0, last - first + 1));
    made.v.assign(width, unreachable);
    made.e.assign(width, unreachable);
    made.f.assign(width, unreachable);
    const std::span<std::uint8_t> origins = directions ? directions->append(first, width) : std::span<std::uint8_t>();
    for (std::int64_t x = first; x <= last; ++x) {
      const std::int64_t y = d - x;
      const auto k = static_cast<std::size_t>(x - first);
      const std::int32_t s = scoring_.score(match_symbol(y), main_symbol(x));
      const std::int32_t paired = d == 2 ? s : two_before.at(two_before.v, x - 1) + s;
      const std::int32_t open_e = before.at(before.v, x - 1) - open, longer_e = before.at(before.e, x - 1);
      const std::int32_t open_f = before.at(before.v, x) - open, longer_f = before.at(before.f, x);
      const std::int32_t e = std::max(open_e, longer_e) - extend, f = std::max(open_f, longer_f) - extend;
      const std::int32_t v = std::max({paired, e, f});
      if (v <= 0) continue;  // not part of a best alignment
      made.v[k] = v;
      made.e[k] = std::max(e, unreachable);
      made.f[k] = std::max(f, unreachable);
      if (directions)
        origins[k] =
            static_cast<std::uint8_t>((v == paired ? from_pair
                                       : v == e    ? from_e
                                                   : from_f) |
                                      (open_e >= longer_e ? e_closes : 0) | (open_f >= longer_f ? f_closes : 0));
      if (v == end_.score && v == paired) return Cell{x, y};
    }
    trim(made);
    return std::nullopt;
  }

 private:
  static void trim(Diagonal& diagonal) {
    const auto is_reached = [](std::int32_t v) { return v > 0; };
    const auto first = std::find_if(diagonal.v.begin(), diagonal.v.end(), is_reached) - diagonal.v.begin();
    const auto last = diagonal.v.rend() - std::find_if(diagonal.v.rbegin(), diagonal.v.rend(), is_reached);
    for (std::vector<std::int32_t>* values : {&diagonal.v, &diagonal.e, &diagonal.f}) {
      if (last <= first) {
        values->clear();
        continue;
      }
      values->erase(values->begin() + last, values->end());
      values->erase(values->begin(), values->begin() + first);
    }
    diagonal.first += first;
  }

  Codes main_, match_;
  const Scoring& scoring_;
  Endpoint end_;
};

/// The diagonals d - 2 and d - 1 before a diagonal d.
struct Front {
  Diagonal two_before, before;
};

constexpr std::int64_t block = 512;  // diagonals between checkpoints

/// The start of the endpoint's alignment, or (0, 0). Stores the directions of the first `block` diagonals if
/// `directions` is not null, and a checkpoint before every `block`-th diagonal if `kept` is not null.
Cell find_start(const Backwards& backwards, Directions* directions, std::vector<Front>* kept) {
  Front front;
  Diagonal made;
  if (directions) directions->restart(2);
  for (std::int64_t d = 2;; ++d) {
    if (kept && (d - 2) % block == 0) kept->push_back(front);
    if (d == 2 + block) directions = nullptr;
    if (const auto start = backwards.step(d, front.two_before, front.before, made, directions)) return *start;
    if (d > 2 && made.empty() && front.before.empty()) return {};
    std::swap(front.two_before, front.before);
    std::swap(front.before, made);
  }
}

/// The search from an endpoint.
struct Search {
  Cell start;             // (0, 0) if there is no path
  Directions directions;  // of the first `block` diagonals
};

/// The path from the start to the endpoint. If the search has more than `block` diagonals, it is repeated for
/// checkpoints, from which directions are recomputed block by block; search.directions are overwritten.
std::vector<CigarRun> trace(const Backwards& backwards, Search& search) {
  Cell at = search.start;
  Directions& directions = search.directions;
  std::int64_t loaded = 0;
  std::vector<Front> kept;
  if (at.x + at.y >= 2 + block) find_start(backwards, nullptr, &kept);
  const auto direction = [&](Cell cell) {
    const std::int64_t wanted = (cell.x + cell.y - 2) / block;
    if (wanted != loaded) {
      Front front = kept[static_cast<std::size_t>(wanted)];
      Diagonal made;
      const std::int64_t first = 2 + wanted * block;
      directions.restart(first);
      // The block of the start ends at the start itself: later cells are not needed.
      for (std::int64_t d = first; d < first + block; ++d) {
        if (backwards.step(d, front.two_before, front.before, made, &directions)) break;
        std::swap(front.two_before, front.before);
        std::swap(front.before, made);
      }
      loaded = wanted;
    }
    return directions.at(cell);
  };

  std::vector<CigarRun> cigar;
  const auto append = [&](char operation) {
    if (cigar.empty() || cigar.back().operation != operation) cigar.push_back({operation, 0});
    ++cigar.back().length;
  };
  char state = 'V';
  while (true) {
    const std::uint8_t here = direction(at);
    if (state == 'V') {
      if ((here & source) == from_pair) {
        append(backwards.main_symbol(at.x) == backwards.match_symbol(at.y) ? '=' : 'X');
        if (at.x == 1 && at.y == 1) return cigar;
        --at.x, --at.y;
        continue;
      }
      state = (here & source) == from_e ? 'E' : 'F';
    }
    if (state == 'E') {
      append('D');
      if (here & e_closes) state = 'V';
      --at.x;
    } else {
      append('I');
      if (here & f_closes) state = 'V';
      --at.y;
    }
  }
}

}  // namespace

Traced scan_backward(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
                     const TraceRules& rules, const Options& options) {
  require_bounded(scoring, main.size(), match.size());
  for (const Endpoint& end : endpoints)
    if (end.score < 1 || end.main < 1 || end.match < 1 || end.main > static_cast<std::int64_t>(main.size()) ||
        end.match > static_cast<std::int64_t>(match.size()))
      throw std::invalid_argument("endpoint (" + std::to_string(end.score) + ", " + std::to_string(end.main) + ", " +
                                  std::to_string(end.match) + ") of sequences of " + std::to_string(main.size()) +
                                  " and " + std::to_string(match.size()) + " symbols");
  Traced traced;
  // Starts are searched for a batch of endpoints at a time, and accepted in order.
  const auto batch = static_cast<std::size_t>(core::resolve_threads(options.threads)) * 8;
  std::vector<Search> searches(std::min(batch, endpoints.size()));
  std::vector<std::size_t> accepted;  // of a batch
  const auto backwards = [&](const Endpoint& end) { return Backwards(main, match, scoring, end); };
  for (std::size_t first = 0; first < endpoints.size() && traced.alignments.size() < rules.count; first += batch) {
    const auto ends = endpoints.subspan(first, std::min(batch, endpoints.size() - first));
    for_each_item(static_cast<std::int64_t>(ends.size()), options.threads, [&](std::int64_t k) {
      Search& search = searches[static_cast<std::size_t>(k)];
      search.start = find_start(backwards(ends[static_cast<std::size_t>(k)]), &search.directions, nullptr);
    });
    const std::size_t before = traced.alignments.size();
    accepted.clear();
    for (std::size_t k = 0; k < ends.size() && traced.alignments.size() < rules.count; ++k) {
      const Endpoint& end = ends[k];
      const Cell start = searches[k].start;
      const std::int64_t main_begin = end.main - start.x + 1, match_begin = end.match - start.y + 1;
      const auto close = [&](const LocalAlignment& a) {
        return std::abs(a.main_begin - main_begin) < rules.separation &&
               std::abs(a.match_begin - match_begin) < rules.separation;
      };
      if (start.x == 0) {
        ++traced.without_path;
      } else if (start.x == 1 && start.y == 1) {
        ++traced.single_pairs;
      } else if (std::any_of(traced.alignments.begin(), traced.alignments.end(), close)) {
        traced.close_starts.push_back(end);
      } else {
        accepted.push_back(k);
        traced.alignments.push_back({end.score, main_begin, end.main, match_begin, end.match, {}});
      }
    }
    for_each_item(static_cast<std::int64_t>(accepted.size()), options.threads, [&](std::int64_t k) {
      const std::size_t a = accepted[static_cast<std::size_t>(k)];
      traced.alignments[before + static_cast<std::size_t>(k)].cigar = trace(backwards(ends[a]), searches[a]);
    });
  }
  return traced;
}

std::int64_t rescore(Codes main, Codes match, const Scoring& scoring, const LocalAlignment& alignment) {
  const auto fail = [](const char* what) { throw std::invalid_argument(what); };
  const auto n = static_cast<std::int64_t>(main.size()), m = static_cast<std::int64_t>(match.size());
  std::int64_t j = alignment.main_begin, i = alignment.match_begin, score = 0;
  if (i < 1 || j < 1) fail("an alignment that begins before its sequences");
  for (const CigarRun& run : alignment.cigar) {
    if (run.length < 1) fail("a run of an alignment that is not positive");
    const bool uses_main = run.operation != 'I', uses_match = run.operation != 'D';
    if ((uses_main && run.length > n - j + 1) || (uses_match && run.length > m - i + 1))
      fail("an alignment that leaves its sequences");
    switch (run.operation) {
      case 'D':
      case 'I':
        score -= scoring.gap_open() + run.length * scoring.gap_extend();
        break;
      case '=':
      case 'X':
        for (std::int64_t k = 0; k < run.length; ++k) {
          const std::uint8_t a = match[static_cast<std::size_t>(i - 1 + k)],
                             b = main[static_cast<std::size_t>(j - 1 + k)];
          if ((a == b) != (run.operation == '='))
            fail("an alignment that calls different symbols equal, or equal ones not");
          score += scoring.score(a, b);
        }
        break;
      default:
        fail("an alignment with an unknown operation");
    }
    if (uses_main) j += run.length;
    if (uses_match) i += run.length;
  }
  if (j != alignment.main_end + 1 || i != alignment.match_end + 1) fail("an alignment that does not end where it says");
  return score;
}

}  // namespace speedwell::ssca1
