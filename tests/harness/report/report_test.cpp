#include "speedwell/harness/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "samples.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness::report {
namespace {

using records::Document;
using samples::Json;

std::vector<Document> parse(const Json& document) { return {records::parse_document(document.dump(), "x")}; }

// A small strict reader of HTML: every tag closed in order, every attribute quoted, text without a bare "<".
// Returns what is wrong, or nothing.
std::string structure(const std::string& html, std::set<std::string>& ids, std::vector<std::string>& references) {
  static const std::set<std::string> empty = {"meta", "rect", "path", "circle", "use", "br", "polygon"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    if (html.compare(at, 9, "<!DOCTYPE") == 0) {
      at = html.find('>', at);
      continue;
    }
    if (!open.empty() && open.back() == "style" && html.compare(at, 8, "</style>") != 0)
      return "a tag in the style sheet";
    std::size_t p = at + 1;
    const bool closing = html[p] == '/';
    if (closing) ++p;
    std::size_t end = p;
    while (end < html.size() && (std::isalnum(static_cast<unsigned char>(html[end])))) ++end;
    const std::string name = html.substr(p, end - p);
    if (name.empty()) return "a bare '<' near: " + html.substr(at, 60);
    p = end;
    bool self = false;
    while (p < html.size() && html[p] != '>') {
      if (std::isspace(static_cast<unsigned char>(html[p]))) {
        ++p;
      } else if (html[p] == '/' && html[p + 1] == '>') {
        self = true;
        ++p;
      } else {
        std::size_t stop = p;
        while (stop < html.size() && (std::isalnum(static_cast<unsigned char>(html[stop])) || html[stop] == '-'))
          ++stop;
        const std::string attribute = html.substr(p, stop - p);
        if (attribute.empty() || attribute.starts_with("on")) return "the attribute near: " + html.substr(at, 80);
        p = stop;
        while (html[p] == ' ') ++p;
        if (html[p] != '=') continue;  // "open"
        ++p;
        while (html[p] == ' ') ++p;
        const char quote = html[p];
        if (quote != '"' && quote != '\'') return "an unquoted value near: " + html.substr(at, 80);
        const std::size_t close = html.find(quote, p + 1);
        const std::string value = html.substr(p + 1, close - p - 1);
        if (attribute == "id" && !ids.insert(value).second) return "the id twice: " + value;
        if (attribute == "href" && value[0] != '#') return "a link to outside: " + value;
        if (attribute == "src") return "a source: " + value;
        if (attribute == "href") references.push_back(value.substr(1));
        if (value.starts_with("url(#")) references.push_back(value.substr(5, value.size() - 6));
        if (attribute == "aria-labelledby") {
          references.push_back(value.substr(0, value.find(' ')));
          references.push_back(value.substr(value.find(' ') + 1));
        }
        p = close + 1;
      }
    }
    if (closing) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!self && !empty.contains(name)) {
      open.push_back(name);
    }
    at = p;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

void expect_sound(const std::string& html) {
  std::set<std::string> ids;
  std::vector<std::string> references;
  EXPECT_EQ(structure(html, ids, references), "");
  for (const std::string& reference : references) EXPECT_TRUE(ids.contains(reference)) << reference;
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("http:"), std::string::npos);
  EXPECT_EQ(html.find("https:"), std::string::npos);
  EXPECT_NE(html.find("content=\"default-src 'none'; style-src 'unsafe-inline'\""), std::string::npos);
  EXPECT_LT(html.size(), 5'000'000u);
  for (const char* wrong : {">nan", ">inf", ">-nan", "Qz0"}) EXPECT_EQ(html.find(wrong), std::string::npos) << wrong;
}

TEST(Report, PagesOfAllSamplesAreSoundAndEqualRecordsGiveEqualBytes) {
  for (const Json& document : {samples::cpu_only(), samples::h200(), samples::failures(), samples::hostile()}) {
    const std::string html = render_html(parse(document));
    expect_sound(html);
    EXPECT_EQ(html, render_html(parse(document)));
  }
}

TEST(Report, WithoutGnuplotTheTablesStandAndOneSentenceSaysSo) {
  const std::string html = render_html(parse(samples::h200()), {.gnuplot = ""});
  expect_sound(html);
  EXPECT_EQ(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("gnuplot was not found"), std::string::npos);
  EXPECT_NE(html.find("Rate against n"), std::string::npos);
  EXPECT_EQ(render_html(parse(samples::h200()), {.gnuplot = "/nonexistent"}), html);
}

TEST(Report, NoRecordsIsAPageToo) { expect_sound(render_html({})); }

TEST(Report, ACommandThatFailedStandsAmongTheFailures) {
  const std::string html = render_html({records::parse_document(
      R"({"schema":"speedwell-records/1","error":{"status":4,"id":"gpu.none","message":"there is no GPU <here>"},"runs":[]})",
      "x")});
  expect_sound(html);
  EXPECT_NE(html.find("there is no GPU &lt;here&gt;"), std::string::npos);
}

// The figure of a run whose answer was wrong would be the best on the page, if it were on the page.
TEST(Report, AFailedRunEntersNoSpeedup) {
  Json document = samples::machine(true, 16);
  const Json problem = {{"n", 1000}};
  const auto add = [&](const char* name, const char* kind, double time) {
    document["runs"].push_back(
        samples::run("toy", problem, {{"name", name}, {"backend", "x"}, {"role", "plain"}}, kind, {0, 0, time, 0}));
  };
  add("serial", "core", 8);
  add("openmp", "cores", 1);
  add("cuda-right", "gpu", 0.1);
  const std::string right = render_html(parse(document), {.gnuplot = ""});
  add("cuda-wrong", "gpu", 1e-5);
  document["runs"][3]["status"] = "failed";
  document["runs"][3]["verdict"]["passed"] = false;
  const std::string html = render_html(parse(document), {.gnuplot = ""});
  EXPECT_NE(html.find("FAILED"), std::string::npos);
  EXPECT_LT(html.find("id=\"failures\""), html.find("id=\"summary\"")) << "failures come first";
  const std::regex huge("[0-9]{4,}×");  // 1 s over 10 us would be 100000 times
  EXPECT_FALSE(std::regex_search(html, huge));
  const auto sentence = [](const std::string& page) {
    const std::size_t begin = page.find("the GPU executes");
    return page.substr(begin, page.find("</p>", begin) - begin);
  };
  EXPECT_NE(sentence(right).find("×"), std::string::npos);
  EXPECT_EQ(sentence(html), sentence(right)) << "the passing one keeps its figure";
}

TEST(Report, ASkippedRowKeepsItsReason) {
  const std::string html = render_html(parse(samples::cpu_only()), {.gnuplot = ""});
  EXPECT_NE(html.find("no GPU: the driver is not loaded"), std::string::npos);
}

TEST(Report, APredictionIsShownOverWhatWasMeasured) {
  Json document = samples::failures();
  EXPECT_EQ(render_html(parse(document)).find("Predicted over measured"), std::string::npos);
  document["runs"][0]["prediction"] = {{"model", "a <model>"}, {"time_s", 0.25}, {"ratio", 1.0625}};
  const std::string html = render_html(parse(document));
  expect_sound(html);
  EXPECT_NE(html.find("Predicted over measured"), std::string::npos);
  EXPECT_NE(html.find("1.06<small>250 ms</small>"), std::string::npos);
  EXPECT_NE(html.find("the model &#39;a &lt;model&gt;&#39;"), std::string::npos);
}

TEST(Report, PredictionsOfSmallerProblemsStandWithTheirRuns) {
  Json document = samples::cpu_only();
  std::size_t passed = 0, shown = 0;
  for (Json& run : document["runs"])
    if (run["status"] == "passed") {
      run["prediction"] = {{"model", "tiles"}, {"time_s", 0.25}, {"ratio", 1.0625}};
      ++passed;
    }
  const std::string html = render_html(parse(document)), cell = "1.06<small>250 ms</small>";
  for (std::size_t at = 0; (at = html.find(cell, at)) != std::string::npos; at += cell.size()) ++shown;
  EXPECT_EQ(shown, passed);
}

TEST(Report, AFileThatWouldBeTooLargeGetsShorterAndSaysSo) {
  const std::string whole = render_html(parse(samples::h200()));
  for (const std::size_t most : {whole.size() * 2 / 3, std::size_t{120'000}, std::size_t{30'000}}) {
    const std::string html = render_html(parse(samples::h200()), {.most_bytes = most});
    expect_sound(html);
    EXPECT_LE(html.size(), most);
    EXPECT_NE(html.find("left out, so that the file stays small"), std::string::npos);
  }
}

TEST(Report, ManyRunsStayBelowTheLimit) {
  Json document = samples::machine(true, 16);
  const Json run =
      samples::run("toy", {{"n", 1}}, {{"name", "v"}, {"backend", "x"}, {"role", "plain"}}, "gpu", {0, 0, 1, 0});
  for (int i = 0; i < 12000; ++i) {
    document["runs"].push_back(run);
    Json& r = document["runs"].back();
    r["problem"]["n"] = i + 1;
    r["key"] = "toy n=" + std::to_string(i + 1);
  }
  expect_sound(render_html(parse(document)));
}

TEST(Report, PlotsCanBeSavedWithTheirData) {
  if (render_html(parse(samples::failures())).find("<svg") == std::string::npos) GTEST_SKIP() << "no gnuplot";
  const auto folder = std::filesystem::path(testing::TempDir()) / "speedwell-plots";
  std::filesystem::remove_all(folder);
  render_html(parse(samples::failures()), {.plots_folder = folder});
  std::ifstream script(folder / "plot-001.gp");
  const std::string text{std::istreambuf_iterator<char>(script), {}};
  EXPECT_NE(text.find("$bars0 << END"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder / "plot-001.svg"));
  std::filesystem::remove_all(folder);
  EXPECT_THROW(render_html(parse(samples::failures()), {.plots_folder = "/proc/nowhere"}), io::OutputError);
}

}  // namespace
}  // namespace speedwell::harness::report
