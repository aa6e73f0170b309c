// SSCA#1 as a whole: a problem, its data, the five kernels with their times, and the verification.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/data.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::ssca1 {

struct Problem {
  DataOptions data;
  Preset preset = Preset::ssca1;
  EndpointRules endpoints;
  TraceRules traces;
  SimilarRules similar;
  DifferenceCosts costs;

  Scoring scoring() const { return ssca1::scoring(preset, data.alphabet); }
};

/// The results of the kernels; set k of the last three belongs to alignment k.
struct Results {
  Endpoints endpoints;
  Traced traced;
  std::vector<std::vector<SimilarRegion>> regions;
  std::vector<Differences> differences;
  std::vector<StarAlignment> stars;
  std::array<double, 5> seconds{};  // per kernel; generation of data and verification are not timed
};

/// Runs kernels 1 to 5, each with the results of the previous ones. `find` is pairwise_align or another table variant.
using FindEndpoints = decltype(&pairwise_align);
Results run(const Problem& problem, const Data& data, const Options& options = {}, FindEndpoints find = pairwise_align);

struct StringReport {
  int string = 0;  // 1 … 6
  std::int32_t score = 0;
  bool meaningful = true;  // whether its score is the expected one under this scoring
  bool found = false;      // whether it was found at its position and with its score
};

struct Report {
  std::int64_t n = 0, m = 0;
  double cells = 0, gcups = 0;  // n m, and 10^9 cells of kernel 1 per second
  std::array<double, 5> seconds{};
  std::int64_t candidates = 0, accepted = 0;
  std::vector<Endpoint> best;  // the ten best
  std::int64_t alignments = 0;
  std::vector<std::string> best_alignments;  // the six best, as symbols and, for codons, as amino acids
  std::vector<StringReport> strings;
  std::int64_t sets = 0, regions = 0, smallest_set = 0, largest_set = 0;
  std::int64_t differences = 0, sum_of_differences = 0;
  std::int64_t sum_of_pairs = 0;
  double mean_sum_of_pairs = 0;
  std::string oracle;                 // the oracle that the results were compared with
  std::int64_t failures = 0;          // checks that failed
  std::vector<std::string> messages;  // of the first sixteen failures
  bool passed() const { return failures == 0; }
  core::Verdict verdict() const { return core::Verdict::from_error(static_cast<double>(failures), 0, oracle); }
};

struct VerifyOptions {
  double table_cells = 1e8;   // maximum cells of the tables of a kernel for a complete reference
  double sample_cells = 2e8;  // approximate cells of a sample of larger tables
};

/// Verifies results against the definitions: the positions of the embedded strings, every alignment rescored, every
/// region, difference and multiple alignment by itself, golden values for problems that have them, and all lists
/// against the serial references, for large tables in a sample (verify/verify.hpp, which also verifies each kernel by
/// itself).
Report verify(const Problem& problem, const Data& data, const Results& results, const VerifyOptions& options = {});

/// The report as text, the last line PASS or FAIL.
std::string to_text(const Report& report);

}  // namespace speedwell::ssca1
