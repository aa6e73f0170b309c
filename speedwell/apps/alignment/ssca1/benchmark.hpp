// The whole of SSCA#1: a problem, its data, the five kernels in turn with the time of each, and the judge of all of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/ssca1/data.hpp"
#include "speedwell/apps/alignment/ssca1/ssca1.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::alignment::ssca1 {

struct Problem {
  DataOptions data;
  Preset preset = Preset::ssca1;
  EndpointRules endpoints;
  TraceRules traces;
  SimilarRules similar;
  DifferenceCosts costs;

  Scoring scoring() const { return ssca1::scoring(preset, data.alphabet); }
};

/// What the kernels found; set k of the last three belongs to alignment k.
struct Results {
  Endpoints endpoints;
  Traced traced;
  std::vector<std::vector<Place>> places;
  std::vector<Differences> differences;
  std::vector<StarAlignment> stars;
  std::array<double, 5> seconds{};  // of each kernel; data and verification are not timed
};

/// Kernels 1 to 5, each on the results of those before. `find` is find_endpoints or that of a table variant.
using FindEndpoints = decltype(&find_endpoints);
Results run(const Problem& problem, const Data& data, const Options& options = {}, FindEndpoints find = find_endpoints);

struct StringReport {
  int string = 0;  // 1 … 6
  std::int32_t score = 0;
  bool meaningful = true;  // its score holds under this scoring
  bool found = false;      // at its place and with its score
};

struct Report {
  std::int64_t n = 0, m = 0;
  double cells = 0, gcups = 0;  // n m, and cells of kernel 1 in 1e9 a second
  std::array<double, 5> seconds{};
  std::int64_t candidates = 0, accepted = 0;
  std::vector<Endpoint> best;  // ten
  std::int64_t alignments = 0;
  std::vector<std::string> best_alignments;  // six, in symbols and, of codons, in acids
  std::vector<StringReport> strings;
  std::int64_t sets = 0, places = 0, smallest_set = 0, largest_set = 0;
  std::int64_t differences = 0, sum_of_differences = 0;
  std::int64_t sum_of_pairs = 0;
  double mean_sum_of_pairs = 0;
  std::string oracle;                 // what the results were held against
  std::int64_t failures = 0;          // checks that failed
  std::vector<std::string> messages;  // of the first sixteen
  bool passed() const { return failures == 0; }
  core::Verdict verdict() const { return core::Verdict::judge(static_cast<double>(failures), 0, oracle); }
};

struct VerifyOptions {
  double table_cells = 1e8;   // of a kernel's tables that its reference computes in whole
  double sample_cells = 2e8;  // about, of the sample that it computes where they are larger
};

/// Holds results against the definitions: the embedded strings at their places, every alignment scored again, every
/// place, difference and multiple alignment checked by itself, golden values where the problem is one that has them,
/// and all lists against the serial references, where the tables are large in a sample (verify.hpp: also each kernel by
/// itself).
Report verify(const Problem& problem, const Data& data, const Results& results, const VerifyOptions& options = {});

/// The report as text, the last line PASS or FAIL.
std::string to_text(const Report& report);

}  // namespace speedwell::alignment::ssca1
