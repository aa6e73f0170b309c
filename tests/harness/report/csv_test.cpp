#include "speedwell/harness/records/csv.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace speedwell::harness {
namespace {

using samples::Json;

// A reader of RFC 4180, straight from its grammar.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::size_t p = 0;
  while (p < text.size()) {
    std::vector<std::string> row;
    for (;;) {
      std::string field;
      if (text[p] == '"') {
        for (++p;; ++p) {
          if (text.at(p) == '"' && p + 1 < text.size() && text[p + 1] == '"')
            ++p;
          else if (text[p] == '"')
            break;
          field += text[p];
        }
        ++p;
      } else {
        while (text.at(p) != ',' && text[p] != '\r') field += text[p++];
      }
      row.push_back(field);
      if (text.at(p) != ',') break;
      ++p;
    }
    EXPECT_EQ(text.substr(p, 2), "\r\n");
    p += 2;
    rows.push_back(row);
  }
  return rows;
}

std::string cell(const std::vector<std::vector<std::string>>& rows, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < rows[0].size(); ++c)
    if (rows[0][c] == column) return rows.at(row).at(c);
  return "no column " + column;
}

TEST(Csv, HasAHeaderAndARowForEachRun) {
  const Json document = samples::failures();
  const auto rows = read_csv(csv({records::parse_document(document.dump(), "x")}));
  ASSERT_EQ(rows.size(), document["runs"].size() + 1);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(cell(rows, 1, "variant.name"), "serial");
  EXPECT_EQ(cell(rows, 1, "problem.columns"), "4096");
  EXPECT_EQ(std::stod(cell(rows, 1, "phases.execute_s.median")),
            document["runs"][0]["phases"]["execute_s"]["median"].get<double>());
  EXPECT_EQ(std::stod(cell(rows, 1, "phases.execute_s.interval.1")),
            document["runs"][0]["phases"]["execute_s"]["interval"][1].get<double>());
  EXPECT_EQ(cell(rows, 2, "phases.execute_s.interval.0"), "") << "three samples";
  EXPECT_EQ(cell(rows, 3, "status"), "failed");
  EXPECT_EQ(cell(rows, 3, "verdict.error"), "");
  EXPECT_EQ(cell(rows, 5, "reason"), "not built: cuBLAS was not found");
}

TEST(Csv, APredictionHasColumns) {
  Json document = samples::failures();
  document["runs"][0]["prediction"] = {{"model", "tiles"}, {"time_s", 0.25}, {"ratio", 1.0625}};
  const auto rows = read_csv(csv({records::parse_document(document.dump(), "x")}));
  EXPECT_EQ(cell(rows, 1, "prediction.model"), "tiles");
  EXPECT_EQ(cell(rows, 1, "prediction.time_s"), "0.25");
  EXPECT_EQ(cell(rows, 1, "prediction.ratio"), "1.0625");
  EXPECT_EQ(cell(rows, 2, "prediction.ratio"), "");
}

TEST(Csv, NoRunsIsAHeaderAlone) { EXPECT_EQ(read_csv(csv({})).size(), 1u); }

TEST(Csv, CommasQuotesAndLineEndsComeBackAsTheyWere) {
  Json document = samples::hostile();
  document["runs"][0]["reason"] = "a,b\"c\"\r\nd";
  const auto rows = read_csv(csv({records::parse_document(document.dump(), "x")}));
  EXPECT_EQ(cell(rows, 1, "reason"), "a,b\"c\"\r\nd");
  EXPECT_EQ(cell(rows, 1, "variant.adds"), document["runs"][0]["variant"]["adds"].get<std::string>());
}

// Each number of the JSON that has a column of its own comes back to the last bit.
TEST(Csv, NumbersKeepEveryDigit) {
  Json document = samples::cpu_only();
  const auto rows = read_csv(csv({records::parse_document(document.dump(), "x")}));
  for (std::size_t i = 0; i < document["runs"].size(); ++i) {
    const Json& run = document["runs"][i];
    if (run["status"] != "passed") continue;
    EXPECT_EQ(std::stod(cell(rows, i + 1, "limit.fraction")), run["limit"]["fraction"].get<double>());
    EXPECT_EQ(std::stod(cell(rows, i + 1, "work.bytes_read")), run["work"]["bytes_read"].get<double>());
  }
}

}  // namespace
}  // namespace speedwell::harness
