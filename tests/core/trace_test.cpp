// Spans of a trace: what is recorded, on which tracks, and that nothing is without a recording.
#include "speedwell/core/trace.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace speedwell::core {
namespace {

TEST(Trace, NothingIsRecordedWithoutARecording) {
  Trace trace;
  EXPECT_EQ(Trace::active(), nullptr);
  { const TraceSpan span("ignored", TraceCategory::compute); }
  {
    const TraceRecording recording(trace);
    EXPECT_EQ(Trace::active(), &trace);
  }
  EXPECT_EQ(Trace::active(), nullptr);
  EXPECT_TRUE(trace.events().empty());
}

TEST(Trace, SpansAreNestedOnTheTrackOfTheirThread) {
  Trace trace;
  {
    const TraceRecording recording(trace);
    const TraceSpan outer("outer", TraceCategory::phase);
    const TraceSpan inner("inner", TraceCategory::halo, 4096);
  }
  ASSERT_EQ(trace.events().size(), 2u);  // in the order of their ends
  const TraceEvent &inner = trace.events()[0], &outer = trace.events()[1];
  EXPECT_EQ(inner.name, "inner");
  EXPECT_EQ(inner.bytes, 4096);
  EXPECT_EQ(outer.name, "outer");
  EXPECT_LT(outer.bytes, 0);
  EXPECT_EQ(inner.track, outer.track);
  EXPECT_LE(trace.begin(), outer.begin);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.begin, inner.end);
  EXPECT_LE(inner.end, outer.end);
}

TEST(Trace, ThreadsHaveTracksOfTheirOwn) {
  Trace trace;
  {
    const TraceRecording recording(trace);
    { const TraceSpan span("here", TraceCategory::compute); }
    std::thread([] { const TraceSpan span("there", TraceCategory::compute); }).join();
  }
  ASSERT_EQ(trace.events().size(), 2u);
  EXPECT_NE(trace.events()[0].track, trace.events()[1].track);
  EXPECT_EQ(trace.tracks(), (std::vector<std::string>{"host thread 0", "host thread 1"}));
  EXPECT_EQ(trace.track("host thread 1"), 1);
  EXPECT_EQ(trace.track("device"), 2);
}

TEST(Trace, MoreEventsThanItHoldsAreCounted) {
  Trace trace;
  for (std::size_t i = 0; i < Trace::max_events + 3; ++i) trace.add({.name = "x"});
  EXPECT_EQ(trace.events().size(), Trace::max_events);
  EXPECT_EQ(trace.dropped(), 3u);
}

class LateSource final : public TraceSource {
 public:
  void resolve(Trace& trace) override {
    trace.add({.name = "late", .track = trace.track("stream")});
    trace.add_device_uncertainty(2e-6);
    trace.add_device_uncertainty(1e-6);
  }
};

TEST(Trace, ASourceAddsItsSpansLater) {
  Trace trace;
  trace.resolve();
  EXPECT_TRUE(trace.events().empty());
  trace.set_source(std::make_unique<LateSource>());
  trace.resolve();
  ASSERT_EQ(trace.events().size(), 1u);
  EXPECT_EQ(trace.tracks().at(0), "stream");
  EXPECT_DOUBLE_EQ(trace.device_uncertainty(), 2e-6);
}

}  // namespace
}  // namespace speedwell::core
