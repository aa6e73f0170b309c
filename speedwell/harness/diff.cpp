#include "speedwell/harness/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "speedwell/core/random.hpp"
#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::harness::diff {
namespace {

using records::Document;
using records::Run;
using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string>;

constexpr std::size_t exact_most = 20;  // values of a side, for the exact distribution
constexpr std::size_t fewest_for_interval = 6;
constexpr int resamples = 2000;

struct Entry {
  const Run* run;
  const Document* document;
};

// The latest record of each run, in the order of first appearance.
struct Side {
  std::vector<Entry> entries;
  std::map<Identity, std::size_t> index;
  explicit Side(const std::vector<Document>& documents) {
    for (const Document& document : documents)
      for (const Run& run : document.runs) {
        const Identity id{run.application, run.key, run.variant.name, run.device.kind, run.device.name};
        const auto [at, fresh] = index.try_emplace(id, entries.size());
        if (fresh)
          entries.push_back({&run, &document});
        else if (Entry& old = entries[at->second]; document.session.started >= old.document->session.started)
          old = {&run, &document};
      }
  }
};

const std::optional<records::Phase>& phase_of(const Run& run, Phase which) {
  return which == Phase::execute ? run.phases.execute : run.phases.end_to_end;
}

// 95 % of the ratio of medians, by resampling both sides: Efron and Tibshirani (1993), ch. 13. The seed is fixed, so
// that equal records give equal intervals.
std::pair<double, double> bootstrap(const std::vector<double>& base, const std::vector<double>& next) {
  std::vector<double> ratios, a(base.size()), b(next.size());
  std::uint64_t draw = 0;
  const auto resample = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (double& value : to)
      value = from[static_cast<std::size_t>(core::random_uniform(1, draw++) * static_cast<double>(from.size()))];
    const auto middle = to.begin() + static_cast<std::ptrdiff_t>(to.size() / 2);
    std::nth_element(to.begin(), middle, to.end());
    if (to.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(to.begin(), middle));
  };
  for (int i = 0; i < resamples; ++i) {
    const double old = resample(base, a), now = resample(next, b);
    if (old > 0) ratios.push_back(now / old);
  }
  if (ratios.empty()) return {0, 0};
  return {core::quantile(ratios, 0.025), core::quantile(ratios, 0.975)};
}

Comparison compare_runs(const Entry& base, const Entry& next, const Options& options) {
  Comparison c{base.run->key, base.run->variant.name, base.run->device.name, 0, 0, 1, {}, 1, 1, Change::unclear, {}};
  const auto& old = phase_of(*base.run, options.phase);
  const auto& now = phase_of(*next.run, options.phase);
  if (!old || !now || !(old->median > 0) || !(now->median > 0)) {
    c.note = "the phase was not timed on both sides";
    return c;
  }
  c.base = old->median;
  c.next = now->median;
  c.ratio = now->median / old->median;
  if (old->samples.empty() || now->samples.empty()) {
    c.note = "the records hold no samples";
    return c;
  }
  c.p = mann_whitney_p(old->samples, now->samples);
  if (std::min(old->samples.size(), now->samples.size()) < fewest_for_interval)
    c.note = fmt::format("fewer than {} samples", fewest_for_interval);
  else
    c.interval = bootstrap(old->samples, now->samples);
  return c;
}

void decide(Comparison& c, const Options& options) {
  if (c.p_corrected < options.alpha && c.ratio != 1) {
    c.change = c.ratio > 1 ? Change::slower : Change::faster;
  } else if (c.interval && c.interval->first >= 1 - options.margin && c.interval->second <= 1 + options.margin) {
    c.change = Change::same;
  }
}

std::string name_of(const Run& run) { return run.key + " " + run.variant.name + " " + run.device.name; }

// P(U <= u) for sides of sizes m and n without ties, where U counts pairs: by counting arrangements.
double exact_cumulative(std::size_t m, std::size_t n, double u) {
  // ways[j][k]: arrangements of i values of one side among j of the other with U = k, built up over i.
  const std::size_t most = m * n;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0.0));
  for (std::size_t j = 0; j <= n; ++j) ways[j][0] = 1;
  for (std::size_t i = 1; i <= m; ++i)
    for (std::size_t j = 1; j <= n; ++j) {
      // The largest value is of the first side (and beats all j of the second) or of the second.
      std::vector<double> next(most + 1, 0.0);
      for (std::size_t k = 0; k <= most; ++k) next[k] = (k >= j ? ways[j][k - j] : 0) + ways[j - 1][k];
      ways[j] = std::move(next);
    }
  const std::vector<double>& counts = ways[n];
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double below = 0;
  for (std::size_t k = 0; k <= most && static_cast<double>(k) <= u; ++k) below += counts[k];
  return below / total;
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::faster:
      return "faster";
    case Change::slower:
      return "slower";
    case Change::same:
      return "same";
    case Change::unclear:
      return "unclear";
  }
  return "";
}

double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  const double m = static_cast<double>(a.size()), n = static_cast<double>(b.size()), size = m + n;
  double ranks = 0, ties = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const double count = static_cast<double>(end - begin);
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);  // the mean of begin + 1 … end
    for (std::size_t i = begin; i < end; ++i)
      if (all[i].second) ranks += rank;
    ties += count * count * count - count;
    begin = end;
  }
  const double u = ranks - m * (m + 1) / 2, mean = m * n / 2;
  if (ties == 0 && a.size() <= exact_most && b.size() <= exact_most)
    return std::min(1.0, 2 * exact_cumulative(a.size(), b.size(), std::min(u, m * n - u)));
  const double variance = m * n / 12 * (size + 1 - ties / (size * (size - 1)));
  if (!(variance > 0)) return 1;  // every value is the same
  const double distance = std::max(0.0, std::abs(u - mean) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, p[order[k]] * static_cast<double>(p.size() - k)));
    corrected[order[k]] = largest;
  }
  return corrected;
}

Result compare(const std::vector<Document>& base, const std::vector<Document>& next, const Options& options) {
  if (!(options.alpha > 0 && options.alpha < 1)) throw std::invalid_argument("alpha must lie between 0 and 1");
  if (!(options.margin >= 0)) throw std::invalid_argument("the margin must not be negative");
  const Side old(base), now(next);
  Result result;
  for (const auto& entry : old.entries) {
    const Run& run = *entry.run;
    const auto found = now.index.find({run.application, run.key, run.variant.name, run.device.kind, run.device.name});
    if (found == now.index.end()) {
      result.only_in_base.push_back(name_of(run));
      continue;
    }
    const Entry& other = now.entries[found->second];
    if (run.timed() && other.run->timed()) {
      result.comparisons.push_back(compare_runs(entry, other, options));
      result.machines_differ = result.machines_differ || entry.document->machine->id != other.document->machine->id;
    } else if (run.status != other.run->status) {
      result.status_changes.push_back({run.key, run.variant.name, run.device.name, run.status, other.run->status,
                                       other.run->timed() ? run.reason : other.run->reason});
    }
  }
  for (const auto& entry : now.entries) {
    const Run& run = *entry.run;
    if (!old.index.contains({run.application, run.key, run.variant.name, run.device.kind, run.device.name}))
      result.only_in_next.push_back(name_of(run));
  }
  std::vector<double> p;
  for (const Comparison& c : result.comparisons) p.push_back(c.p);
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    result.comparisons[i].p_corrected = corrected[i];
    decide(result.comparisons[i], options);
  }
  return result;
}

FailOn FailOn::parse(std::string_view text) {
  if (text == "slower") return {};
  if (text.starts_with("slower:")) {
    const double percent = core::parse_real(text.substr(7));
    if (percent >= 0) return {percent};
  }
  throw std::invalid_argument(fmt::format("'{}' is not a condition (allowed: slower, slower:PERCENT)", text));
}

bool fails(const Result& result, const FailOn& condition) {
  return std::any_of(result.comparisons.begin(), result.comparisons.end(), [&](const Comparison& c) {
    if (c.change != Change::slower) return false;
    if (condition.percent == 0) return true;
    return c.interval && c.interval->first > 1 + condition.percent / 100;
  });
}

std::string text(const Result& result, const Options& options) {
  std::string out = fmt::format("time of next over time of base ({}); above 1 is slower\n",
                                options.phase == Phase::execute ? "execute" : "end to end");
  if (result.machines_differ) out += "warning: the two sides were measured on different kinds of machine\n";
  for (const Comparison& c : result.comparisons) {
    const std::string interval =
        c.interval ? fmt::format("[{:.3f}, {:.3f}]", c.interval->first, c.interval->second) : std::string("-");
    out += fmt::format("{:<8} {:>6.3f} {:<16} {:>9} {:>9}  p {:<8.2g} {} {}\n", to_string(c.change), c.ratio, interval,
                       core::format_seconds(c.base), core::format_seconds(c.next), c.p_corrected,
                       io::escape(c.key, 200), io::escape(c.variant, 80));
    if (!c.note.empty()) out += "         " + c.note + "\n";
  }
  for (const StatusChange& s : result.status_changes)
    out += fmt::format("{} -> {}: {} {}{}{}\n", to_string(s.base), to_string(s.next), io::escape(s.key, 200),
                       io::escape(s.variant, 80), s.reason.empty() ? "" : ": ", io::escape(s.reason, 200));
  for (const std::string& name : result.only_in_base) out += "only in base: " + io::escape(name, 300) + "\n";
  for (const std::string& name : result.only_in_next) out += "only in next: " + io::escape(name, 300) + "\n";
  std::map<Change, int> counts;
  for (const Comparison& c : result.comparisons) ++counts[c.change];
  return out + fmt::format("{} faster, {} slower, {} same, {} unclear; {} changed status, {} without counterpart\n",
                           counts[Change::faster], counts[Change::slower], counts[Change::same],
                           counts[Change::unclear], result.status_changes.size(),
                           result.only_in_base.size() + result.only_in_next.size());
}

std::string json(const Result& result, const Options& options) {
  nlohmann::ordered_json out = {{"schema", "speedwell-diff/1"},
                                {"phase", options.phase == Phase::execute ? "execute_s" : "end_to_end_s"},
                                {"alpha", options.alpha},
                                {"margin", options.margin},
                                {"machines_differ", result.machines_differ}};
  out["comparisons"] = nlohmann::ordered_json::array();
  for (const Comparison& c : result.comparisons) {
    nlohmann::ordered_json interval = nullptr;
    if (c.interval) interval = {c.interval->first, c.interval->second};
    out["comparisons"].push_back(
        {{"key", c.key},
         {"variant", c.variant},
         {"device", c.device},
         {"base_s", c.base},
         {"next_s", c.next},
         {"ratio", c.ratio},
         {"interval", interval},
         {"p", c.p},
         {"p_corrected", c.p_corrected},
         {"change", to_string(c.change)},
         {"note", c.note.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(c.note)}});
  }
  out["status_changes"] = nlohmann::ordered_json::array();
  for (const StatusChange& s : result.status_changes)
    out["status_changes"].push_back({{"key", s.key},
                                     {"variant", s.variant},
                                     {"device", s.device},
                                     {"base", records::to_string(s.base)},
                                     {"next", records::to_string(s.next)},
                                     {"reason", s.reason}});
  out["only_in_base"] = result.only_in_base;
  out["only_in_next"] = result.only_in_next;
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace speedwell::harness::diff
