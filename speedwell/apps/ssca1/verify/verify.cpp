// Verification of a whole run: the result of each kernel, given the results of the previous ones, is compared with the
// oracle of that kernel; and the report.
#include "speedwell/apps/ssca1/verify/verify.hpp"

#include <algorithm>

#include "speedwell/apps/ssca1/codons.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"

namespace speedwell::ssca1 {
namespace {

/// An alignment in symbols and, for codons, in amino acids.
std::string text_of(const Data& data, const LocalAlignment& a) {
  const bool codons = data.alphabet == Alphabet::codons;
  std::string acids[2], symbols[2];
  const std::uint8_t* const sequence[2] = {data.main.data(), data.match.data()};
  std::size_t at[2] = {static_cast<std::size_t>(a.main_begin - 1), static_cast<std::size_t>(a.match_begin - 1)};
  const auto append = [&](int row, bool present) {
    const int code = present ? sequence[row][at[row]++] : 0;
    if (codons) acids[row] += present ? acid_of(code) : '-';
    symbols[row] += !present ? (codons ? "--- " : "-")
                    : codons ? codon_bases(code) + " "
                             : std::string(1, "ACGT"[code]);
  };
  for (const CigarRun& run : a.cigar)
    for (std::int64_t k = 0; k < run.length; ++k) {
      append(0, run.operation != 'I');
      append(1, run.operation != 'D');
    }
  std::string text = "  " + std::to_string(a.score) + ", main " + std::to_string(a.main_begin) + "-" +
                     std::to_string(a.main_end) + ", match " + std::to_string(a.match_begin) + "-" +
                     std::to_string(a.match_end) + "\n";
  for (int row = 0; row < 2; ++row) text += (codons ? "    " + acids[row] + "  " : "    ") + symbols[row] + "\n";
  return text;
}

bool is_at_its_position(const LocalAlignment& a, const Embedded& s) {
  return a.score == s.score && a.main_begin == s.main_begin && a.main_end == s.main_end &&
         a.match_begin == s.match_begin && a.match_end == s.match_end;
}

/// The parts of match in alignments; empty for an alignment that leaves match.
std::vector<Codes> queries_of(const Data& data, const std::vector<LocalAlignment>& alignments) {
  std::vector<Codes> queries;
  const Codes match = data.match.span();
  for (const LocalAlignment& a : alignments) {
    const bool inside = a.match_begin >= 1 && a.match_end >= a.match_begin && a.match_end <= std::ssize(match);
    queries.push_back(inside ? match.subspan(static_cast<std::size_t>(a.match_begin - 1),
                                             static_cast<std::size_t>(a.match_end - a.match_begin + 1))
                             : Codes{});
  }
  return queries;
}

void count(const Problem& problem, const Data& data, const Results& results, Report& r) {
  r.n = static_cast<std::int64_t>(data.main.size());
  r.m = static_cast<std::int64_t>(data.match.size());
  r.cells = static_cast<double>(r.n) * static_cast<double>(r.m);
  r.seconds = results.seconds;
  r.gcups = r.seconds[0] > 0 ? r.cells / r.seconds[0] * 1e-9 : 0;
  const std::vector<Endpoint>& endpoints = results.endpoints.accepted;
  r.candidates = results.endpoints.candidates;
  r.accepted = std::ssize(endpoints);
  r.best.assign(endpoints.begin(), endpoints.begin() + std::min<std::ptrdiff_t>(10, std::ssize(endpoints)));
  const std::vector<LocalAlignment>& alignments = results.traced.alignments;
  r.alignments = std::ssize(alignments);
  for (const Embedded& s : data.strings) {
    const bool found = std::any_of(alignments.begin(), alignments.end(),
                                   [&](const LocalAlignment& a) { return is_at_its_position(a, s); });
    r.strings.push_back({s.string, s.score, is_meaningful(problem, s), found});
  }
  r.sets = std::ssize(results.regions);
  for (std::size_t k = 0; k < results.regions.size(); ++k) {
    const auto size = std::ssize(results.regions[k]);
    r.regions += size;
    r.smallest_set = k == 0 ? size : std::min<std::int64_t>(r.smallest_set, size);
    r.largest_set = std::max<std::int64_t>(r.largest_set, size);
  }
  for (const Differences& d : results.differences) {
    r.differences += std::ssize(d.upper);
    for (const std::int32_t value : d.upper) r.sum_of_differences += value;
  }
  std::int64_t stars = 0;
  for (const StarAlignment& star : results.stars) {
    r.sum_of_pairs += star.sum_of_pairs;
    stars += !star.rows.empty();
  }
  r.mean_sum_of_pairs = stars > 0 ? static_cast<double>(r.sum_of_pairs) / static_cast<double>(stars) : 0;
}

}  // namespace

Report verify(const Problem& problem, const Data& data, const Results& results, const VerifyOptions& options) {
  const OracleEffort effort{options.table_cells, options.sample_cells};
  const std::vector<Endpoint>& endpoints = results.endpoints.accepted;
  Report r;
  count(problem, data, results, r);
  Findings findings;
  const EndpointOracle first = endpoint_oracle(problem, data, effort);
  verify_kernel1(problem, data, first, results.endpoints, findings);
  TraceOracle second{{}, "not compared with a reference"};  // the reference requires cells of the table
  if (findings.failures() == 0) second = trace_oracle(problem, data, endpoints, effort);
  verify_kernel2(problem, data, endpoints, second, results.traced, findings);
  if (findings.failures() == 0)
    for (std::int64_t k = 0; k < std::min<std::int64_t>(6, r.alignments); ++k)
      r.best_alignments.push_back(text_of(data, results.traced.alignments[static_cast<std::size_t>(k)]));
  const std::vector<Codes> queries = queries_of(data, results.traced.alignments);
  const SimilarOracle third = similar_oracle(problem, data, queries, effort);
  verify_kernel3(problem, data, queries, third, results.regions, findings);
  std::vector<Members> sets;
  for (const std::vector<SimilarRegion>& regions : results.regions)
    sets.push_back(reference::members(data.main.span(), regions, problem.data.alphabet));
  const DifferenceOracle fourth = difference_oracle(problem, sets, effort);
  verify_kernel4(problem, sets, fourth, results.differences, findings);
  const StarOracle fifth = star_oracle(problem, sets, effort);
  verify_kernel5(problem, sets, results.differences, fifth, results.stars, findings);
  r.oracle = "definitions of all results";
  int kernel = 0;
  for (const std::string& text : {first.text, second.text, third.text, fourth.text, fifth.text})
    r.oracle += "; kernel " + std::to_string(++kernel) + ": " + text;
  if (golden_of(problem)) r.oracle += "; golden values";
  r.failures = findings.failures();
  r.messages = findings.messages();
  return r;
}

}  // namespace speedwell::ssca1
