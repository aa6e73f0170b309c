// The line of progress on a terminal and elsewhere.
#include "speedwell/process/status_line.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace speedwell::process {
namespace {

TEST(StatusLine, IsReplacedAndErasedOnATerminal) {
  std::ostringstream out;
  {
    StatusLine line(out, true, "program: ");
    line.erase();
    EXPECT_EQ(out.str(), "") << "nothing is shown yet";
    line.show("one");
    line.show("two");
  }
  EXPECT_EQ(out.str(), "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K");
}

TEST(StatusLine, StaysOnATerminalIfItIsKept) {
  std::ostringstream out;
  {
    StatusLine line(out, true);
    line.show("done");
    line.keep();
  }
  EXPECT_EQ(out.str(), "\r\x1b[Kdone\r\x1b[Kdone\n");
}

TEST(StatusLine, IsCutToTheTerminalUntilItIsKept) {
  std::ostringstream out;
  {
    StatusLine line(out, true, "", 8);
    line.show("12.5 \u00b5s \u00b5s");  // seven characters, of eight bytes, fit
    line.keep();
  }
  EXPECT_EQ(out.str(), "\r\x1b[K12.5 \u00b5s\r\x1b[K12.5 \u00b5s \u00b5s\n");
}

TEST(StatusLine, LosesItemsBeforeTheLastWhereTheTerminalIsNarrow) {
  const std::string text = "step 9, time 6.7 of 600, dt 7.0e-03, 5.1 Mcells/s, 0:00:10 left";
  const auto shown = [&](std::size_t columns) {
    std::ostringstream out;
    StatusLine(out, true, "", columns).show(text);
    return out.str();
  };
  const std::string begin = "\r\x1b[K", end = begin;
  EXPECT_EQ(shown(80), begin + text + end);
  EXPECT_EQ(shown(text.size() + 1), begin + text + end);
  EXPECT_EQ(shown(text.size()), begin + "step 9, time 6.7 of 600, dt 7.0e-03, 0:00:10 left" + end);
  EXPECT_EQ(shown(40), begin + "step 9, time 6.7 of 600, 0:00:10 left" + end);
  EXPECT_EQ(shown(21), begin + "step 9, 0:00:10 left" + end);
  EXPECT_EQ(shown(12), begin + "step 9, 0:0" + end);
}

TEST(StatusLine, IsALineForEachTextElsewhere) {
  std::ostringstream out;
  {
    StatusLine line(out, false, "program: ");
    line.show("one");
    line.show("two");
    line.keep();
  }
  EXPECT_EQ(out.str(), "program: one\nprogram: two\n");
}

}  // namespace
}  // namespace speedwell::process
