// The judge of SSCA#1. It uses the references and the definitions, and nothing of what it judges.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "speedwell/apps/alignment/ssca1/benchmark.hpp"
#include "speedwell/apps/alignment/ssca1/codons.hpp"
#include "speedwell/apps/alignment/ssca1/reference.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

/// Results that were computed by an independent program, with the rules and seeds that are the defaults.
struct Golden {
  std::int64_t length, candidates, accepted, alignments;
};
constexpr Golden golden[] = {{512, 237, 93, 6}, {2048, 208, 88, 13}};

std::size_t pairs_of(std::size_t members) { return members == 0 ? 0 : members * (members - 1) / 2; }

class Judge {
 public:
  Judge(const Problem& problem, const Data& data, const Results& results, const VerifyOptions& options)
      : problem_(problem),
        data_(data),
        results_(results),
        options_(options),
        scoring_(problem.scoring()),
        main_(data.main.span()),
        match_(data.match.span()) {}

  Report report() {
    r_.n = static_cast<std::int64_t>(main_.size());
    r_.m = static_cast<std::int64_t>(match_.size());
    r_.cells = static_cast<double>(r_.n) * static_cast<double>(r_.m);
    r_.seconds = results_.seconds;
    r_.gcups = r_.seconds[0] > 0 ? r_.cells / r_.seconds[0] * 1e-9 : 0;
    r_.oracle = "definitions of all results";
    endpoints();
    alignments();
    strings();
    places();
    differences();
    stars();
    golden_values();
    return std::move(r_);
  }

 private:
  void expect(bool right, const std::string& what) {
    if (right) return;
    ++r_.failures;
    if (r_.messages.size() < 16) r_.messages.push_back(what);
  }
  bool small_table() const { return r_.cells <= options_.table_cells; }
  std::int32_t pair(std::int64_t match, std::int64_t main) const {
    return scoring_.score(match_[static_cast<std::size_t>(match - 1)], main_[static_cast<std::size_t>(main - 1)]);
  }

  void endpoints() {
    const EndpointRules& rules = problem_.endpoints;
    const std::vector<Endpoint>& found = results_.endpoints.accepted;
    r_.candidates = results_.endpoints.candidates;
    r_.accepted = static_cast<std::int64_t>(found.size());
    r_.best.assign(found.begin(), found.begin() + std::min<std::ptrdiff_t>(10, std::ssize(found)));
    expect(found.size() <= rules.count, "more endpoints than wanted");
    const bool peaks = rules.mode == EndpointRules::Mode::peaks;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Endpoint& e = found[k];
      const std::string name = "endpoint " + std::to_string(k + 1);
      const bool inside = e.main >= 1 && e.match >= 1 && e.main <= r_.n && e.match <= r_.m;
      expect(inside, name + " is outside the table");
      expect(e.score >= rules.minimum_score, name + " has too small a score");
      expect(k == 0 || comes_before(found[k - 1], e), name + " is out of order");
      if (!inside || !peaks) continue;
      expect(pair(e.match, e.main) > 0, name + " ends with a pair that is not positive");
      expect(e.main == r_.n || e.match == r_.m || pair(e.match + 1, e.main + 1) <= 0, name + " could go on");
      for (std::size_t other = 0; other < k; ++other)
        expect(std::abs(found[other].main - e.main) >= rules.separation ||
                   std::abs(found[other].match - e.match) >= rules.separation,
               name + " is in conflict with endpoint " + std::to_string(other + 1));
    }
    if (!small_table()) return;
    expected_ = reference::find_endpoints(main_, match_, scoring_, rules);
    r_.oracle += ", serial reference of kernels 1 and 2";
    expect(found == expected_.accepted, "the endpoints are not those of the reference");
    expect(!rules.count_candidates || r_.candidates == expected_.candidates,
           std::to_string(r_.candidates) + " candidates and not " + std::to_string(expected_.candidates));
  }

  void alignments() {
    const std::vector<LocalAlignment>& found = results_.traced.alignments;
    r_.alignments = static_cast<std::int64_t>(found.size());
    std::set<std::pair<std::int64_t, std::int64_t>> ends;
    for (const Endpoint& e : results_.endpoints.accepted) ends.insert({e.main, e.match});
    for (std::size_t k = 0; k < found.size(); ++k) {
      const LocalAlignment& a = found[k];
      const std::string name = "alignment " + std::to_string(k + 1);
      try {
        expect(rescore(main_, match_, scoring_, a) == a.score, name + " has another score");
        expect(ends.contains({a.main_end, a.match_end}), name + " does not end at an endpoint");
        expect(pair(a.match_begin, a.main_begin) > 0 && pair(a.match_end, a.main_end) > 0,
               name + " has a first or last pair that is not positive");
        if (k < 6) r_.best_alignments.push_back(text_of(a));
      } catch (const std::invalid_argument& error) {
        expect(false, name + ": " + error.what());
      }
      for (std::size_t other = 0; other < k; ++other)
        expect(std::abs(found[other].main_begin - a.main_begin) >= problem_.traces.separation ||
                   std::abs(found[other].match_begin - a.match_begin) >= problem_.traces.separation,
               name + " starts near alignment " + std::to_string(other + 1));
    }
    if (small_table())
      expect(
          results_.traced == reference::trace_alignments(main_, match_, scoring_, expected_.accepted, problem_.traces),
          "the alignments are not those of the reference");
  }

  std::string text_of(const LocalAlignment& a) const {
    const bool codons = problem_.data.alphabet == Alphabet::codons;
    std::string acids[2], symbols[2];
    auto j = static_cast<std::size_t>(a.main_begin - 1), i = static_cast<std::size_t>(a.match_begin - 1);
    const auto append = [&](int row, bool present, const std::uint8_t* code) {
      if (codons) acids[row] += present ? acid_of(*code) : '-';
      symbols[row] += !present ? (codons ? "--- " : "-")
                      : codons ? codon_letters(*code) + " "
                               : std::string(1, "ACGT"[*code]);
    };
    for (const Columns& run : a.path)
      for (std::int64_t k = 0; k < run.count; ++k) {
        append(0, run.operation != 'I', main_.data() + j);
        append(1, run.operation != 'D', match_.data() + i);
        j += run.operation != 'I';
        i += run.operation != 'D';
      }
    std::string text = "  " + std::to_string(a.score) + ", main " + std::to_string(a.main_begin) + "-" +
                       std::to_string(a.main_end) + ", match " + std::to_string(a.match_begin) + "-" +
                       std::to_string(a.match_end) + "\n";
    for (int row = 0; row < 2; ++row) text += (codons ? "    " + acids[row] + "  " : "    ") + symbols[row] + "\n";
    return text;
  }

  /// A string is found at its place with its score, or inside a better alignment where neighbours happen to add to it.
  void strings() {
    const std::vector<LocalAlignment>& found = results_.traced.alignments;
    for (const Embedded& s : data_.strings) {
      StringReport report{s.string, s.score, !s.needs_similar || problem_.preset != Preset::dissertation, false};
      bool inside = false;
      for (const LocalAlignment& a : found) {
        report.found =
            report.found || (a.score == s.score && a.main_begin == s.main_begin && a.main_end == s.main_end &&
                             a.match_begin == s.match_begin && a.match_end == s.match_end);
        inside = inside || (a.score > s.score && a.main_begin <= s.main_begin && a.main_end >= s.main_end &&
                            a.match_begin <= s.match_begin && a.match_end >= s.match_end);
      }
      // Rules under which it is left out, rightly: so many better ones, or so high a least score.
      const auto full = [&](const auto& list, std::size_t count) {
        return list.size() == count && (list.empty() || list.back().score >= s.score);
      };
      const bool left_out = s.score < problem_.endpoints.minimum_score || full(found, problem_.traces.count) ||
                            full(results_.endpoints.accepted, problem_.endpoints.count) ||
                            problem_.endpoints.mode == EndpointRules::Mode::plain;
      expect(!report.meaningful || report.found || inside || left_out,
             "validation string " + std::to_string(s.string) + " was not found");
      r_.strings.push_back(report);
    }
  }

  /// The best score of all of a query with all of a part of main: a path between two corners.
  std::int64_t global_score(Codes query, Codes part) const {
    constexpr std::int64_t never = INT64_MIN / 4;
    const std::int64_t open = scoring_.gap_open(), extend = scoring_.gap_extend();
    std::vector<std::int64_t> v(part.size() + 1), f(part.size() + 1, never);
    for (std::size_t y = 0; y < v.size(); ++y) v[y] = y == 0 ? 0 : -open - static_cast<std::int64_t>(y) * extend;
    for (std::size_t x = 1; x <= query.size(); ++x) {
      std::int64_t diagonal = v[0], e = never;
      v[0] = -open - static_cast<std::int64_t>(x) * extend;
      for (std::size_t y = 1; y < v.size(); ++y) {
        e = std::max(e, v[y - 1] - open) - extend;
        f[y] = std::max(f[y], v[y] - open) - extend;
        const std::int64_t paired = diagonal + scoring_.score(query[x - 1], part[y - 1]);
        diagonal = v[y];
        v[y] = std::max({paired, e, f[y]});
      }
    }
    return v.back();
  }

  void places() {
    const SimilarRules& rules = problem_.similar;
    const std::vector<LocalAlignment>& alignments = results_.traced.alignments;
    r_.sets = static_cast<std::int64_t>(results_.places.size());
    expect(results_.places.size() == alignments.size(), "not one set of places for each alignment");
    double cells = 0;
    for (const LocalAlignment& a : alignments)
      cells += static_cast<double>(a.match_end - a.match_begin + 1) * static_cast<double>(r_.n);
    const bool all = cells <= options_.table_cells;
    if (all) r_.oracle += ", of kernel 3";
    for (std::size_t k = 0; k < std::min(results_.places.size(), alignments.size()); ++k) {
      const std::vector<Place>& set = results_.places[k];
      const auto size = static_cast<std::int64_t>(set.size());
      r_.places += size;
      r_.smallest_set = k == 0 ? size : std::min(r_.smallest_set, size);
      r_.largest_set = std::max(r_.largest_set, size);
      const std::string name = "set " + std::to_string(k + 1);
      const LocalAlignment& a = alignments[k];
      const auto first = static_cast<std::size_t>(a.match_begin - 1),
                 length = static_cast<std::size_t>(a.match_end - a.match_begin + 1);
      if (a.match_begin < 1 || a.match_end < a.match_begin || a.match_end > r_.m) continue;  // judged already
      const Codes query = match_.subspan(first, length);
      expect(set.size() <= rules.count, name + " has more places than wanted");
      for (std::size_t p = 0; p < set.size(); ++p) {
        const Place& place = set[p];
        const std::int64_t span = place.end - place.begin + 1;
        const bool inside = place.begin >= 1 && place.end <= r_.n && span >= 0;
        expect(inside && static_cast<double>(span) <= rules.span_factor * static_cast<double>(length),
               name + " has a place outside main or too long");
        expect(place.score >= rules.minimum_score, name + " has a place with too small a score");
        for (std::size_t o = 0; o < p; ++o)
          expect(std::abs(set[o].end - place.end) >= rules.separation &&
                     std::abs(set[o].begin - place.begin) >= rules.separation && set[o].score >= place.score,
                 name + " has places in conflict or out of order");
        if (inside)
          expect(global_score(query, main_.subspan(static_cast<std::size_t>(place.begin - 1),
                                                   static_cast<std::size_t>(span))) == place.score,
                 name + " has a place with another score");
      }
      if (all)
        expect(set == reference::find_similar(main_, query, scoring_, rules), name + " is not that of the reference");
    }
  }

  Members members_of(std::size_t k) const {
    Members made;
    for (const Place& place : results_.places[k]) {
      auto& member = made.emplace_back();
      for (std::int64_t j = std::max<std::int64_t>(1, place.begin); j <= std::min(place.end, r_.n); ++j) {
        const int code = main_[static_cast<std::size_t>(j - 1)];
        if (problem_.data.alphabet == Alphabet::letters)
          member.push_back(static_cast<std::uint8_t>(code));
        else
          for (const int base : {code / 16, code / 4 % 4, code % 4}) member.push_back(static_cast<std::uint8_t>(base));
      }
    }
    return made;
  }

  /// All pairs while the tables last, then the first and last of each set.
  void differences() {
    expect(results_.differences.size() == results_.places.size(), "not one table of differences for each set");
    double left = options_.table_cells;
    bool all = true;
    for (std::size_t k = 0; k < std::min(results_.differences.size(), results_.places.size()); ++k) {
      const Differences& d = results_.differences[k];
      const Members set = members_of(k);
      const std::string name = "differences of set " + std::to_string(k + 1);
      const std::size_t pairs = pairs_of(set.size());
      expect(d.members == set.size() && d.upper.size() == pairs, name + " are too many or too few");
      if (d.members != set.size() || d.upper.size() != pairs) continue;
      r_.differences += static_cast<std::int64_t>(d.upper.size());
      for (const std::int32_t value : d.upper) r_.sum_of_differences += value;
      for (std::size_t i = 0; i < set.size(); ++i)
        for (std::size_t j = i + 1; j < set.size(); ++j) {
          const bool corner = (i == 0 && j == 1) || (i + 2 == set.size() && j + 1 == set.size());
          left -= static_cast<double>(set[i].size()) * static_cast<double>(set[j].size());
          if (left < 0) all = false;
          if (left >= 0 || corner)
            expect(d(i, j) == reference::difference(set[i], set[j], problem_.costs), name + " are wrong");
        }
    }
    r_.oracle += all ? ", of kernel 4" : ", of kernel 4 for some pairs";
  }

  void stars() {
    expect(results_.stars.size() == results_.places.size(), "not one multiple alignment for each set");
    std::int64_t count = 0;
    for (std::size_t k = 0; k < std::min({results_.stars.size(), results_.differences.size(), results_.places.size()});
         ++k) {
      const StarAlignment& star = results_.stars[k];
      const Differences& d = results_.differences[k];
      const std::string name = "multiple alignment " + std::to_string(k + 1);
      if (d.upper.size() != pairs_of(d.members)) continue;  // judged already
      if (d.members < 2) {
        expect(star.rows.empty(), name + " of fewer than two members is not empty");
        continue;
      }
      const Members set = members_of(k);
      std::vector<std::size_t> order = star.order;
      std::sort(order.begin(), order.end());
      bool right = star.rows.size() == set.size() && order.size() == set.size() && d.members == set.size();
      for (std::size_t i = 0; right && i < order.size(); ++i) right = order[i] == i;
      expect(right, name + " has not one row for each member");
      if (!right) continue;
      std::vector<std::int64_t> sums(set.size(), 0);
      for (std::size_t i = 0; i < set.size(); ++i)
        for (std::size_t j = 0; j < set.size(); ++j) sums[i] += d(i, j);
      expect(star.order[0] == static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin()),
             name + " has another centre");
      std::int64_t all_pairs = 0;
      for (std::size_t r = 0; r < set.size(); ++r) {
        std::vector<std::uint8_t> without_spaces;
        for (const std::int16_t symbol : star.rows[r])
          if (symbol != space_symbol) without_spaces.push_back(static_cast<std::uint8_t>(symbol));
        expect(without_spaces == set[star.order[r]], name + " has a row that is not its member");
        expect(cost(star.rows[0], star.rows[r]) == d(star.order[0], star.order[r]),
               name + " has a row that is not best aligned with the centre");
        for (std::size_t o = 0; o < r; ++o) all_pairs += cost(star.rows[o], star.rows[r]);
      }
      std::int64_t least = 0;
      for (const std::int32_t value : d.upper) least += value;
      expect(star.sum_of_pairs == all_pairs, name + " has another sum of pairs");
      expect(all_pairs >= least, name + " is better than its pairs can be");
      r_.sum_of_pairs += star.sum_of_pairs;
      ++count;
    }
    r_.mean_sum_of_pairs = count > 0 ? static_cast<double>(r_.sum_of_pairs) / static_cast<double>(count) : 0;
  }

  std::int64_t cost(const std::vector<std::int16_t>& a, const std::vector<std::int16_t>& b) const {
    if (a.size() != b.size()) return -1;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (a[k] != b[k])
        sum += a[k] == space_symbol || b[k] == space_symbol ? problem_.costs.space : problem_.costs.mismatch;
    return sum;
  }

  void golden_values() {
    const DataOptions& d = problem_.data;
    const EndpointRules& e = problem_.endpoints;
    const bool defaults = d.alphabet == Alphabet::codons && d.validation_strings &&
                          d.main_seed == DataOptions{}.main_seed && d.match_seed == DataOptions{}.match_seed &&
                          d.main_length == d.match_length && problem_.preset == Preset::ssca1 &&
                          e.mode == EndpointRules::Mode::peaks && e.minimum_score == 20 && e.separation == 5 &&
                          e.count == 200 && problem_.traces.separation == 5 && problem_.traces.count == 100;
    if (!defaults) return;
    for (const Golden& g : golden) {
      if (g.length != d.main_length) continue;
      r_.oracle += ", golden values";
      expect(!e.count_candidates || r_.candidates == g.candidates, "the number of candidates is not the golden one");
      expect(r_.accepted == g.accepted, "the number of endpoints is not the golden one");
      expect(r_.alignments == g.alignments, "the number of alignments is not the golden one");
    }
  }

  const Problem& problem_;
  const Data& data_;
  const Results& results_;
  const VerifyOptions& options_;
  const Scoring scoring_;
  Codes main_, match_;
  Endpoints expected_;  // of a small table
  Report r_;
};

}  // namespace

Report verify(const Problem& problem, const Data& data, const Results& results, const VerifyOptions& options) {
  return Judge(problem, data, results, options).report();
}

}  // namespace speedwell::alignment::ssca1
