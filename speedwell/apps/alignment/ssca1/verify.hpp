// The judges of the five kernels, each by itself: whether an output is right for its input. They use the references and
// the definitions, and nothing of what they judge.
//
// What the references say is an oracle: it depends on the input alone, and serves any number of outputs. Where a
// reference's tables are too large it is asked for a sample. For kernels 1 and 3 that is a sample of windows of main,
// in which all candidates are computed, from so many columns before the window that no path to one of them begins
// earlier. That decides about the window: a list is the greedy choice if every element is a candidate, no two are in
// conflict, and each candidate that is left out is in conflict with one before it, or comes after the last of a full
// list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/ssca1/benchmark.hpp"

namespace speedwell::alignment::ssca1 {

/// What is wrong with a result.
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

/// Cells of the references' tables of one kernel: all of them if they are no more than `whole`, otherwise a sample of
/// about `sample`.
struct OracleEffort {
  double whole = 1e8, sample = 2e8;
};

/// Columns of main, counted from 1, both ends included.
struct Window {
  std::int64_t first = 1, last = 0;
  bool holds(std::int64_t column) const { return column >= first && column <= last; }
};

/// The most symbols of main that a path with a score of at least `least` has if it has `rows` symbols of the other
/// sequence at most: a pair gives the highest score at most, and what is left of that pays for symbols of main without
/// partner. None where those cost nothing.
std::optional<std::int64_t> longest_span(const Scoring& scoring, std::int64_t rows, std::int64_t least);

struct EndpointOracle {
  std::optional<Endpoints> whole;
  std::vector<Window> windows;
  std::vector<Endpoint> candidates;  // all that end in the windows, in the suite's order
  double box_cells = 0;              // with windows: cells in which endpoints are computed again, each by itself
  std::string text;                  // what it is, for a verdict
};
EndpointOracle endpoint_oracle(const Problem& problem, const Data& data, const OracleEffort& effort = {});
void judge_endpoints(const Problem& problem, const Data& data, const EndpointOracle& oracle, const Endpoints& found,
                     Findings& findings);

struct TraceOracle {
  std::optional<Traced> whole;
  std::string text;
};
/// `endpoints` are cells of the table.
TraceOracle trace_oracle(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                         const OracleEffort& effort = {});
void judge_traces(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                  const TraceOracle& oracle, const Traced& found, Findings& findings);

struct SimilarOracle {
  std::vector<Window> windows;                 // one with all of main: places holds the whole answer
  std::vector<std::vector<Place>> candidates;  // of each query: all that end in the windows, best first
  std::string text;
};
SimilarOracle similar_oracle(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                             const OracleEffort& effort = {});
void judge_places(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                  const SimilarOracle& oracle, const std::vector<std::vector<Place>>& found, Findings& findings);

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
void judge_differences(const Problem& problem, const std::vector<Members>& sets, const DifferenceOracle& oracle,
                       const std::vector<Differences>& found, Findings& findings);

struct StarOracle {
  std::vector<std::size_t> sets;
  std::vector<StarAlignment> stars;  // of these sets
  std::string text;
};
StarOracle star_oracle(const Problem& problem, const std::vector<Members>& sets, const OracleEffort& effort = {});
void judge_stars(const Problem& problem, const std::vector<Members>& sets, const std::vector<Differences>& differences,
                 const StarOracle& oracle, const std::vector<StarAlignment>& found, Findings& findings);

/// Whether the alignment of a validation string has its score under the problem's scoring.
bool is_meaningful(const Problem& problem, const Embedded& string);

/// Results that were computed by an independent program, with the rules and seeds that are the defaults.
struct Golden {
  std::int64_t length, candidates, accepted, alignments;
};
/// Of this problem, or null.
const Golden* golden_of(const Problem& problem);

}  // namespace speedwell::alignment::ssca1
