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
