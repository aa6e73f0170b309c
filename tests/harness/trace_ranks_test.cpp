// The trace of several ranks: the first rank has the events of all, on one clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "speedwell/harness/records/record.hpp"
#include "speedwell/harness/records/trace_file.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::harness {
namespace {

TEST(TraceOfRanks, TheFirstRankHasTheEventsOfAllOnOneClock) {
  const comm::Communicator& ranks = test::ranks();
  const ClockOffset offset = clock_offset(&ranks);
  EXPECT_EQ(offset.seconds, 0) << "the ranks of this test share a host";
  EXPECT_EQ(offset.uncertainty > 0, ranks.rank() > 0);

  core::Trace trace;
  {
    const core::TraceRecording recording(trace);
    const int other = (ranks.rank() + 1) % ranks.size(), before = (ranks.rank() + ranks.size() - 1) % ranks.size();
    double mine = ranks.rank(), received = -1;
    for (int i = 0; i < 3; ++i) {
      ranks.barrier();
      const core::TraceSpan span("between barriers", core::TraceCategory::compute);
      auto from = ranks.start_receive(std::span<double>(&received, 1), before);
      auto to = ranks.start_send(std::span<const double>(&mine, 1), other);
      from.wait();
      to.wait();
      ranks.barrier();
    }
    EXPECT_EQ(received, before);
  }
  const std::string text = trace_text(trace, &ranks, "speedwell run x");
  EXPECT_EQ(text.empty(), ranks.rank() > 0);
  if (text.empty()) return;
  const Json file = Json::parse(text);
  EXPECT_EQ(file["otherData"]["ranks"], ranks.size());
  std::map<int, std::vector<std::pair<double, double>>> spans;  // of each rank
  std::map<int, int> messages;
  for (const Json& e : file["traceEvents"]) {
    if (e["name"] == "between barriers")
      spans[e["pid"]].push_back({e["ts"], e["ts"].get<double>() + e["dur"].get<double>()});
    if (e["ph"] == "b") ++messages[e["pid"]];
  }
  ASSERT_EQ(spans.size(), static_cast<std::size_t>(ranks.size()));
  for (int i = 0; i < 3; ++i) {  // what lies between the same two barriers has an instant in common
    double last_begin = 0, first_end = 1e300;
    for (const auto& [rank, of_rank] : spans) {
      ASSERT_EQ(of_rank.size(), 3u);
      last_begin = std::max(last_begin, of_rank[static_cast<std::size_t>(i)].first);
      first_end = std::min(first_end, of_rank[static_cast<std::size_t>(i)].second);
    }
    EXPECT_LE(last_begin, first_end) << "round " << i;
  }
  for (const auto& [rank, count] : messages) EXPECT_EQ(count, 6) << "rank " << rank << ": sent and received";
}

}  // namespace
}  // namespace speedwell::harness
