// The file of a trace on one rank: it parses, its spans are nested and in order, and names are escaped.
#include "speedwell/harness/records/trace_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {
namespace {

Json written(const core::Trace& trace) { return Json::parse(trace_text(trace, nullptr, "speedwell run \"x\"")); }

TEST(TraceFile, AnEmptyTraceIsAFile) {
  const Json file = written(core::Trace());
  EXPECT_EQ(file["otherData"]["command_line"], "speedwell run \"x\"");
  EXPECT_EQ(file["otherData"]["ranks"], 1);
  EXPECT_EQ(file["otherData"]["clock_uncertainty_us_between_ranks"], 0);
  for (const Json& e : file["traceEvents"]) EXPECT_EQ(e["ph"], "M");
}

TEST(TraceFile, NamesAreEscaped) {
  core::Trace trace;
  const std::string name = "a \"quoted\"\\ name\n\xc3\xa4 \x01";
  trace.add({.name = name, .track = trace.track("track \"1\""), .begin = trace.begin(), .end = trace.begin()});
  trace.add({.name = "not UTF-8 \xff", .track = 0, .begin = trace.begin(), .end = trace.begin()});
  const Json file = written(trace);
  std::vector<std::string> names, threads;
  for (const Json& e : file["traceEvents"]) {
    if (e["ph"] == "X") names.push_back(e["name"]);
    if (e["name"] == "thread_name") threads.push_back(e["args"]["name"]);
  }
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], name);
  EXPECT_EQ(threads, std::vector<std::string>{"track \"1\""});
}

TEST(TraceFile, SpansAreInOrderAndNested) {
  core::Trace trace;
  {
    const core::TraceRecording recording(trace);
    for (int i = 0; i < 100; ++i) {
      const core::TraceSpan outer("outer", core::TraceCategory::phase);
      const core::TraceSpan inner("inner", core::TraceCategory::compute);
      const core::TraceSpan innermost("innermost", core::TraceCategory::copy, 8);
    }
  }
  double last = 0;
  std::vector<double> open;  // ends of the spans around
  int spans = 0, with_bytes = 0;
  const Json file = written(trace);
  for (const Json& e : file["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    constexpr double rounding = 1e-6;  // of sums of decimal fractions
    EXPECT_GE(begin, last);
    EXPECT_GE(e["dur"], 0);
    last = begin;
    while (!open.empty() && open.back() <= begin + rounding && end > open.back() + rounding) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end, open.back() + rounding);
    }
    open.push_back(end);
    ++spans;
    with_bytes += e.contains("args") && e["args"]["bytes"] == 8;
  }
  EXPECT_EQ(spans, 300);
  EXPECT_EQ(with_bytes, 100);
}

TEST(TraceFile, MessagesUnderWayAreAsynchronous) {
  core::Trace trace;
  const double t = trace.begin();
  trace.add({.name = "message to rank 1", .begin = t + 1e-3, .end = t + 3e-3, .bytes = 80});
  trace.add({.name = "message to rank 1", .begin = t + 2e-3, .end = t + 4e-3, .bytes = 80});
  std::map<std::string, std::vector<double>> of_id;
  const Json file = written(trace);
  for (const Json& e : file["traceEvents"])
    if (e["ph"] == "b" || e["ph"] == "e") of_id[e["id"]].push_back(e["ts"]);
  ASSERT_EQ(of_id.size(), 2u);
  EXPECT_EQ(of_id.begin()->second, (std::vector<double>{1000, 3000}));
}

}  // namespace
}  // namespace speedwell::harness
