// Verification of the five kernels, each by itself: whether an output is correct for its input. It uses the references
// and the definitions, and no code that it verifies.
//
// The results of the references are an oracle: it depends only on the input, and serves any number of outputs. If the
// tables of a reference are too large, the oracle is a sample. For kernels 1 and 3 that is a sample of windows of main,
// in which all candidates are computed, starting so many columns before the window that no path to one of them begins
// earlier. This decides about the window: a list is the greedy selection if every element is a candidate, no two are in
// conflict, and each candidate that is not in the list is in conflict with a preceding element, or follows the last
// element of a full list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/benchmark.hpp"

namespace speedwell::ssca1 {

/// The failed checks of a result.
class Findings {
 public:
  void expect(bool right, const std::string& what) {
    if (right) return;
    ++failures_;
    if (messages_.size() < 16) messages_.push_back(what);
  }
  std::int64_t failures() const { return failures_; }
  const std::vector<std::string>& messages() const { return messages_; }  // the first sixteen

 private:
  std::int64_t failures_ = 0;
  std::vector<std::string> messages_;
};

/// The cells of the references' tables of one kernel: all of them if they are at most `whole`, otherwise a sample of
/// about `sample`.
struct OracleEffort {
  double whole = 1e8, sample = 2e8;
};

/// Columns of main, counted from 1, both ends included.
struct Window {
  std::int64_t first = 1, last = 0;
  bool holds(std::int64_t column) const { return column >= first && column <= last; }
};

/// The maximum number of symbols of main in a path with a score of at least `minimum` and at most `rows` symbols of the
/// other sequence: a pair yields at most the highest score, and the excess pays for unpaired symbols of main. None if
/// these cost nothing.
std::optional<std::int64_t> longest_span(const Scoring& scoring, std::int64_t rows, std::int64_t minimum);

struct EndpointOracle {
  std::optional<Endpoints> whole;
  std::vector<Window> windows;
  std::vector<Endpoint> candidates;  // all candidates that end in the windows, in the suite's order
  double box_cells = 0;              // with windows: the budget of cells in which endpoints are recomputed individually
  std::string text;                  // description for the verdict
};
EndpointOracle endpoint_oracle(const Problem& problem, const Data& data, const OracleEffort& effort = {});
void verify_kernel1(const Problem& problem, const Data& data, const EndpointOracle& oracle, const Endpoints& found,
                    Findings& findings);

struct TraceOracle {
  std::optional<Traced> whole;
  std::string text;
};
/// `endpoints` are cells of the table.
TraceOracle trace_oracle(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                         const OracleEffort& effort = {});
void verify_kernel2(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                    const TraceOracle& oracle, const Traced& found, Findings& findings);

struct SimilarOracle {
  std::vector<Window> windows;                         // a single window with all of main: candidates are complete
  std::vector<std::vector<SimilarRegion>> candidates;  // for each query, all that end in the windows, best first
  std::string text;
};
SimilarOracle similar_oracle(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                             const OracleEffort& effort = {});
void verify_kernel3(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                    const SimilarOracle& oracle, const std::vector<std::vector<SimilarRegion>>& found,
                    Findings& findings);

struct DifferenceOracle {
  struct Pair {
    std::size_t set, i, j;
    std::int64_t difference;
  };
  std::vector<Pair> pairs;
  std::string text;
};
DifferenceOracle difference_oracle(const Problem& problem, const std::vector<Members>& sets,
                                   const OracleEffort& effort = {});
void verify_kernel4(const Problem& problem, const std::vector<Members>& sets, const DifferenceOracle& oracle,
                    const std::vector<Differences>& found, Findings& findings);

struct StarOracle {
  std::vector<std::size_t> sets;
  std::vector<StarAlignment> stars;  // one for each of these sets
  std::string text;
};
StarOracle star_oracle(const Problem& problem, const std::vector<Members>& sets, const OracleEffort& effort = {});
void verify_kernel5(const Problem& problem, const std::vector<Members>& sets,
                    const std::vector<Differences>& differences, const StarOracle& oracle,
                    const std::vector<StarAlignment>& found, Findings& findings);

/// Whether the alignment of a validation string has its score under the problem's scoring.
bool is_meaningful(const Problem& problem, const Embedded& string);

/// Results of an independent program with the default rules and seeds.
struct Golden {
  std::int64_t length, candidates, accepted, alignments;
};
/// The golden values of this problem, or null.
const Golden* golden_of(const Problem& problem);

}  // namespace speedwell::ssca1
