#include "speedwell/apps/ssca1/adapter_workload.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"

namespace speedwell::ssca1 {
namespace {

// Kernels 1 to 3: ten operations for a cell, as in the search of ../adapter.cpp: H + score, three maxima, the test for
// what is wanted; H - open - extend; and for each of E and F a subtraction and a maximum. Scores have 8 bits for almost
// every cell, so that a 32-bit lane does four at once. Kernels 4 and 5: equal or not, the cost of that, an addition;
// the lesser of two neighbours, an addition, a minimum; in 16 bits.
// A cell is counted as by alignment: in 8 bits, and in 11. The count of errors that proves most cells of kernel 3 of no
// interest takes eight for 32.
// On a GPU in 32 bits it is one instruction of three operands for each of E, F, H and the larger gap, and half of one
// for the maximum of two cells.
constexpr double in_32_bits_on_gpu = 4.5;
constexpr double in_32_bits = 10, in_8_bits = 10.0 / 4, in_11_bits = 3.5 / 2, counted_errors = 8.0 / 32;
constexpr double operations_per_difference_cell = 6.0 / 2;

constexpr double bytes_of_endpoint = 20, bytes_of_alignment = 36, bytes_of_region = 20, bytes_of_score = 4;

double area(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.size());
}

/// Nucleotides fill the table with candidates, of which the references keep each.
OracleEffort effort_of(const Problem& problem) {
  return problem.data.alphabet == Alphabet::codons ? OracleEffort{} : OracleEffort{.whole = 1e7, .sample = 1e7};
}

core::Verdict verdict_of(const Findings& findings, std::string oracle) {
  if (findings.failures() > 0) oracle += ": " + findings.messages().front();
  return core::Verdict::from_error(static_cast<double>(findings.failures()), 0, std::move(oracle));
}

}  // namespace

Ssca1Workload::Ssca1Workload(Problem all, int number, std::int64_t overlap_sections,
                             std::optional<std::int64_t> columns)
    : problem(std::move(all)),
      kernel(number),
      sections(overlap_sections),
      overlap(columns),
      scoring(problem.scoring()),
      data(make_data(problem.data)) {
  if (kernel == 1) return;
  endpoints = pairwise_align(main(), match(), scoring, problem.endpoints).accepted;
  if (kernel == 2) return;
  const Traced traced = scan_backward(main(), match(), scoring, endpoints, problem.traces);
  queries = match_parts(match(), traced.alignments);
  if (kernel == 3) return;
  regions_ = locate_similar(main(), queries, scoring, problem.similar);
  for (const std::vector<SimilarRegion>& set : regions_) sets.push_back(members(main(), set, problem.data.alphabet));
  if (kernel == 5) differences = global_align(sets, problem.costs);
}

KernelArguments Ssca1Workload::arguments() const {
  return {.kernel = kernel,
          .main = main(),
          .match = match(),
          .scoring = &scoring,
          .endpoint_rules = problem.endpoints,
          .endpoints = endpoints,
          .trace_rules = problem.traces,
          .queries = queries,
          .similar_rules = problem.similar,
          .sets = sets,
          .differences = differences,
          .costs = problem.costs};
}

harness::Work Ssca1Workload::work() const {
  const auto n = static_cast<double>(main().size()), m = static_cast<double>(match().size());
  harness::Work w;
  w.arithmetic = harness::Arithmetic::int32;
  if (kernel == 1) {
    w.updates = n * m;
    w.bytes_read = n + m;
    w.bytes_written = bytes_of_endpoint * static_cast<double>(problem.endpoints.count);
  } else if (kernel == 2) {
    // The rectangle from the start to the end of every alignment that there is to report.
    for (const LocalAlignment& a : scan_backward(main(), match(), scoring, endpoints, problem.traces).alignments) {
      const auto width = static_cast<double>(a.main_end - a.main_begin + 1);
      const auto height = static_cast<double>(a.match_end - a.match_begin + 1);
      w.updates += width * height;
      w.bytes_read += width + height;
      w.bytes_written += bytes_of_alignment + std::max(width, height);  // a byte for each column of the path
    }
    w.bytes_read += bytes_of_endpoint * static_cast<double>(endpoints.size());
  } else if (kernel == 3) {
    double symbols = 0;
    for (const Codes query : queries) symbols += static_cast<double>(query.size());
    w.updates = n * symbols;
    w.bytes_read = n + symbols;
    w.bytes_written = bytes_of_region * static_cast<double>(queries.size() * problem.similar.count);
  } else {
    for (std::size_t k = 0; k < sets.size(); ++k) {
      const Members& set = sets[k];
      const double pairs = static_cast<double>(set.size()) * (static_cast<double>(set.size()) - 1) / 2;
      double symbols = 0;
      for (const auto& member : set) symbols += static_cast<double>(member.size());
      w.bytes_read += symbols;
      if (kernel == 4) {
        for (std::size_t i = 0; i < set.size(); ++i)
          for (std::size_t j = i + 1; j < set.size(); ++j) w.updates += area(set[i], set[j]);
        w.bytes_written += bytes_of_score * pairs;
      } else if (set.size() > 1) {
        // The centre with each other; the rows have their members' symbols at least.
        std::vector<std::int64_t> sums(set.size(), 0);
        for (std::size_t i = 0; i < set.size(); ++i)
          for (std::size_t j = 0; j < set.size(); ++j) sums[i] += differences[k](i, j);
        const auto centre = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        for (std::size_t i = 0; i < set.size(); ++i)
          if (i != centre) w.updates += area(set[centre], set[i]);
        w.bytes_read += bytes_of_score * pairs;
        w.bytes_written += symbols;
      }
    }
  }
  w.operations = (kernel == 1   ? in_11_bits
                  : kernel == 2 ? in_8_bits
                  : kernel == 3 ? counted_errors
                                : operations_per_difference_cell) *
                 w.updates;
  if (kernel == 2 || kernel == 5)
    w.no_limit = "a hundred small tables, or as many merges, are a chain of steps that wait for each other: latency";
  w.working_set = w.bytes_read + w.bytes_written;
  return w;
}

harness::Work Ssca1Workload::work_of(std::string_view row) const {
  harness::Work w = work();
  if (row == "cuda" || row == "multi" || kernel == 2 || kernel > 3) return w;
  const bool is_step = std::any_of(std::begin(kernel1_steps), std::end(kernel1_steps),
                                   [&](const core::LadderStep& step) { return step.name == row; });
  const double of_table = is_step ? in_32_bits_on_gpu : row == "serial" ? in_32_bits : in_8_bits;
  w.operations = (kernel == 1 ? of_table : in_8_bits) * w.updates;
  if (!is_step || kernel > 1) return w;
  // Sections keep their cells on chip; the others move them for every row or diagonal.
  if (const CellTraffic traffic = step_traffic(row); traffic.read > 0) {
    w.bytes_read = traffic.read * w.updates;
    w.bytes_written = traffic.written * w.updates;
  }
  w.working_set = step_state_bytes(row, static_cast<std::int64_t>(main().size()),
                                   static_cast<std::int64_t>(match().size()), scoring, problem.endpoints);
  return w;
}

void Ssca1Workload::ask_oracle() const {
  const OracleEffort effort = effort_of(problem);
  for (const std::vector<SimilarRegion>& set : regions_)
    expected_sets_.push_back(reference::members(main(), set, problem.data.alphabet));
  if (kernel == 1) oracle_ = endpoint_oracle(problem, data, effort);
  if (kernel == 2) oracle_ = trace_oracle(problem, data, endpoints, effort);
  if (kernel == 3) oracle_ = similar_oracle(problem, data, queries, effort);
  if (kernel == 4) oracle_ = difference_oracle(problem, expected_sets_, effort);
  if (kernel == 5) oracle_ = star_oracle(problem, expected_sets_, effort);
}

core::Verdict Ssca1Workload::verify(std::span<const std::int64_t> output) const {
  std::call_once(once_, [this] { ask_oracle(); });
  Findings findings;
  KernelResult result;
  try {
    result = unflatten(kernel, output);
  } catch (const std::invalid_argument& error) {
    return core::Verdict::from_error(1, 0, std::string("the form of a result: ") + error.what());
  }
  std::string oracle = golden_of(problem) && kernel < 3 ? "rules, golden values, " : "rules, ";
  if (data.strings.size() > 0 && kernel < 3) oracle += "embedded strings, ";
  switch (kernel) {
    case 1:
      verify_kernel1(problem, data, std::get<EndpointOracle>(oracle_), std::get<Endpoints>(result), findings);
      break;
    case 2:
      verify_kernel2(problem, data, endpoints, std::get<TraceOracle>(oracle_), std::get<Traced>(result), findings);
      break;
    case 3:
      verify_kernel3(problem, data, queries, std::get<SimilarOracle>(oracle_), std::get<2>(result), findings);
      break;
    case 4:
      verify_kernel4(problem, expected_sets_, std::get<DifferenceOracle>(oracle_), std::get<3>(result), findings);
      break;
    default:
      verify_kernel5(problem, expected_sets_, differences, std::get<StarOracle>(oracle_), std::get<4>(result),
                     findings);
  }
  return verdict_of(findings, oracle + std::visit([](const auto& o) { return o.text; }, oracle_));
}

}  // namespace speedwell::ssca1
