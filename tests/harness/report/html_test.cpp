#include "speedwell/harness/report/html.hpp"

#include <gtest/gtest.h>

#include "speedwell/harness/report/gnuplot.hpp"
#include "speedwell/harness/report/plot.hpp"

namespace speedwell::harness::report {
namespace {

using std::chrono::milliseconds;

TEST(Html, WhatHasAMeaningInHtmlIsEscapedAndWhatCannotBeSeenIsMarked) {
  EXPECT_EQ(escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape("µs × 10⁶ 数 🙂"), "µs × 10⁶ 数 🙂");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(escape(std::string("a\0b\x1b"
                               "c\x7f",
                               6)),
            "a" + mark + "b" + mark + "c" + mark);
  EXPECT_EQ(escape("a\nb\tc\rd"), "a b c" + mark + "d");
  EXPECT_EQ(escape("\xe2\x80\xae"
                   "evil\xe2\x80\x8b"),
            mark + "evil" + mark)
      << "direction and width";
  for (const char* broken : {"\xff", "\xc0\xaf", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
    EXPECT_EQ(escape(broken).find_first_not_of(mark), std::string::npos) << "not UTF-8, or not a character";
}

TEST(Html, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(escape("abcdef", 3), "abc…");
  EXPECT_EQ(escape("abc", 3), "abc");
  EXPECT_EQ(clip("µµµµ", 4), "µµµµ");
  EXPECT_EQ(clip("µµµµµ", 4), "µµµ…");
  EXPECT_EQ(length("µs 数"), 4u);
}

TEST(Html, FiguresHaveThreeDigitsAndTheRightUnit) {
  EXPECT_EQ(seconds(0), "0 s");
  EXPECT_EQ(seconds(2.5e-9), "2.5 ns");
  EXPECT_EQ(seconds(1.2345e-5), "12.3 µs");
  EXPECT_EQ(seconds(0.9999e-3), "1 ms");
  EXPECT_EQ(seconds(4321), "4321 s");
  EXPECT_EQ(seconds_interval(0.01231, {0.01228, 0.01235}), "[12.28, 12.35]");
  EXPECT_EQ(times(14.23), "14.2×");
  EXPECT_EQ(times(0.99961), "1.00×");
  EXPECT_EQ(times(1234.5), "1234×");
  EXPECT_EQ(figure(0.0523), "0.0523");
  EXPECT_EQ(figure(2.5e9), "2.50e+09");
  EXPECT_EQ(percent(0.974), "97 %");
  EXPECT_EQ(percent(0.0523), "5.2 %");
}

TEST(Html, ATableSaysHowManyRowsItLeavesOut) {
  Table table{"", {"A", "B"}, {{text("1"), value("2")}, {text("3"), missing("because")}}, false};
  EXPECT_NE(table.html(2).find("title=\"because\""), std::string::npos);
  EXPECT_EQ(table.html(2).find("left out"), std::string::npos);
  EXPECT_NE(table.html(1).find("1 more rows are left out"), std::string::npos);
}

class Gnuplot : public testing::Test {
 protected:
  void SetUp() override {
    if (!run_gnuplot("gnuplot", "print 1\n", milliseconds(20000))) GTEST_SKIP() << "no gnuplot";
  }
};

TEST(NoGnuplot, AMissingProgramIsAValueAndNotAnError) {
  EXPECT_FALSE(run_gnuplot("/nonexistent/gnuplot", "plot x\n", milliseconds(1000)));
  EXPECT_FALSE(run_gnuplot("false", "plot x\n", milliseconds(1000)));
}

TEST_F(Gnuplot, AScriptThatIsWrongOrEndlessOrTalksTooMuchGivesNothing) {
  EXPECT_FALSE(run_gnuplot("gnuplot", "plot nonsense(\n", milliseconds(20000)));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_gnuplot("gnuplot", "pause 60\n", milliseconds(300)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_FALSE(run_gnuplot("yes", "", milliseconds(20000))) << "output without end";
}

TEST_F(Gnuplot, AnSvgIsMadeFitForAPage) {
  BarChart chart{"x [s]",
                 {"a", "b"},
                 {"one", "two"},
                 {{Bar{2, {{1.5, 3}}, "n"}, std::nullopt}, {Bar{0.1, {}, "m"}, Bar{5, {}, "k"}}}};
  const Script script = bar_script(chart);
  const auto raw = run_gnuplot("gnuplot", script.gnuplot, milliseconds(20000));
  ASSERT_TRUE(raw);
  auto svg = inline_svg(*raw, "p7", "A <title>", "It's");
  ASSERT_TRUE(svg);
  script.restore(*svg);
  for (const char* absent : {"<script", "<?xml", "<!DOCTYPE", "xlink", "font-family", "Gnuplot", "GNUPLOT", "Qz",
                             "rgb(", "'black'", "id='gp", "url(#gp", "'#gp"})
    EXPECT_EQ(svg->find(absent), std::string::npos) << absent;
  for (const char* present : {"<title id=\"p7t\">A &lt;title&gt;</title>", "<desc id=\"p7d\">It&#39;s</desc>",
                              "var(--c0)", "var(--c1)", "x [s]", ">two</text>", "url(#p7gpPat"})
    EXPECT_NE(svg->find(present), std::string::npos) << present;
}

TEST_F(Gnuplot, NoTextOfAChartReachesTheScript) {
  const std::string evil = "'\"`touch /tmp/speedwell-pwned`'; system('x') @m \\";
  BarChart bars{evil, {evil}, {evil}, {{Bar{2, {}, evil}}}};
  CurveChart curves{evil, evil, {{evil, {{1, 2, {}}, {3, 4, {}}}, Curve::Look::joined}}};
  StackChart stack{evil, {evil}, {evil}, {evil}, {{100}}};
  for (const Script& script : {bar_script(bars), curve_script(curves), stack_script(stack)}) {
    EXPECT_EQ(script.gnuplot.find_first_of("`@\\\""), std::string::npos);
    EXPECT_EQ(script.gnuplot.find("touch"), std::string::npos);
    const auto raw = run_gnuplot("gnuplot", script.gnuplot, milliseconds(20000));
    ASSERT_TRUE(raw);
    auto svg = inline_svg(*raw, "p", "t", "d");
    ASSERT_TRUE(svg);
    script.restore(*svg);
    EXPECT_NE(svg->find("touch"), std::string::npos) << "but the reader sees it";
  }
}

TEST_F(Gnuplot, ExtremeAndEqualValuesCanBeDrawn) {
  for (const double factor : {1e-300, 1e-12, 1.0, 1e12, 1e300}) {
    const CurveChart chart{
        "x", "y", {{"a", {{factor, factor, {}}, {factor, factor, {}}, {0, 1, {}}, {-1, 1, {}}}, Curve::Look::joined}}};
    EXPECT_TRUE(run_gnuplot("gnuplot", curve_script(chart).gnuplot, milliseconds(20000))) << factor;
    const BarChart bars{"x", {"s"}, {"r"}, {{Bar{factor, {}, ""}}}};
    EXPECT_TRUE(run_gnuplot("gnuplot", bar_script(bars).gnuplot, milliseconds(20000))) << factor;
  }
  EXPECT_TRUE(run_gnuplot("gnuplot", curve_script({"x", "y", {}}).gnuplot, milliseconds(20000))) << "nothing to draw";
}

TEST(InlineSvg, WhatIsNoSvgGivesNothing) {
  for (const char* text : {"", "<svg", "<svg></svg>", "</svg><svg viewBox=\"0 0 1 1\">", "hello"})
    EXPECT_FALSE(inline_svg(text, "p", "t", "d")) << text;
  const auto svg = inline_svg("<svg viewBox=\"0 0 1 1\">a<script>x</script>b<script>y</svg>", "p", "t", "d");
  ASSERT_TRUE(svg);
  EXPECT_EQ(svg->find("script"), std::string::npos);
}

}  // namespace
}  // namespace speedwell::harness::report
