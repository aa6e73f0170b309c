#include "speedwell/apps/ssca1/benchmark.hpp"

#include <chrono>
#include <cstdarg>
#include <cstdio>

namespace speedwell::ssca1 {

Results run(const Problem& problem, const Data& data, const Options& options, FindEndpoints find) {
  using Clock = std::chrono::steady_clock;
  const Scoring scoring = problem.scoring();
  const Codes main = data.main.span(), match = data.match.span();
  Results results;
  auto began = Clock::now();
  const auto lap = [&](std::size_t kernel) {
    const auto now = Clock::now();
    results.seconds[kernel - 1] = std::chrono::duration<double>(now - began).count();
    began = Clock::now();
  };
  results.endpoints = find(main, match, scoring, problem.endpoints, options);
  lap(1);
  results.traced = scan_backward(main, match, scoring, results.endpoints.accepted, problem.traces, options);
  lap(2);
  const std::vector<Codes> queries = match_parts(match, results.traced.alignments);
  results.regions = locate_similar(main, queries, scoring, problem.similar, options);
  lap(3);
  std::vector<Members> sets;
  for (const auto& regions : results.regions) sets.push_back(members(main, regions, problem.data.alphabet));
  results.differences = global_align(sets, problem.costs, options);
  lap(4);
  results.stars = multiple_align(sets, results.differences, problem.costs, options);
  lap(5);
  return results;
}

namespace {

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void line(std::string& text, const char* format, ...) {
  char buffer[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
  text += '\n';
}

}  // namespace

std::string to_text(const Report& r) {
  const auto big = [](std::int64_t value) { return static_cast<long long>(value); };
  std::string text;
  line(text, "SSCA#1, main %lld x match %lld = %.6g cells", big(r.n), big(r.m), r.cells);
  line(text, "kernel 1  %.6f s  %.3f GCUPS  %lld candidates  %lld accepted", r.seconds[0], r.gcups, big(r.candidates),
       big(r.accepted));
  for (const Endpoint& e : r.best) line(text, "  %8d at main %lld, match %lld", e.score, big(e.main), big(e.match));
  line(text, "kernel 2  %.6f s  %lld alignments", r.seconds[1], big(r.alignments));
  for (const std::string& alignment : r.best_alignments) text += alignment;
  for (const StringReport& s : r.strings)
    line(text, "  string %d, score %d: %s", s.string, s.score,
         s.found        ? "found"
         : s.meaningful ? "not found"
                        : "not meant to be found with these scores");
  line(text, "kernel 3  %.6f s  %lld regions in %lld sets of %lld to %lld", r.seconds[2], big(r.regions), big(r.sets),
       big(r.smallest_set), big(r.largest_set));
  line(text, "kernel 4  %.6f s  %lld differences, sum %lld", r.seconds[3], big(r.differences),
       big(r.sum_of_differences));
  line(text, "kernel 5  %.6f s  sum of pairs %lld, mean %.3f", r.seconds[4], big(r.sum_of_pairs), r.mean_sum_of_pairs);
  text += "compared with: " + r.oracle + "\n";
  for (const std::string& message : r.messages) text += "  wrong: " + message + "\n";
  text += r.passed() ? "PASS\n" : "FAIL\n";
  return text;
}

}  // namespace speedwell::ssca1
