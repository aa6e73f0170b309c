#include "speedwell/harness/records/record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

Outcome an_outcome(const Application& toy) {
  Outcome o;
  o.application = &toy;
  o.variant = &toy.variants[0];
  o.problem = problems(toy, find_size(toy, "test"), {}, 1).front();
  o.status = Status::passed;
  o.verdict = core::Verdict::from_error(0, 0, "x + x");
  for (int i = 0; i < 6; ++i) o.execute.push_back({1.0 + i, i, false, 1000 + i});
  o.execute.push_back({100, 5, true, 500});
  o.prepare = o.allocate = o.first_execute = {1, 1};
  o.device_bytes = 4096;
  o.end_to_end = {2, 3};
  o.work = toy.work(o.problem);
  return o;
}

TEST(Record, ValuesAreThoseOfTheOutcome) {
  const Application toy = test::toy_application();
  const Json r = record_of(an_outcome(toy), {});
  EXPECT_EQ(r["phases"]["execute_s"]["median"], 3.5);
  EXPECT_EQ(r["phases"]["execute_s"]["interval"], Json::array({1, 6}));
  EXPECT_EQ(r["phases"]["execute_s"]["samples"].size(), 7u) << "the throttled one is kept";
  EXPECT_EQ(r["phases"]["execute_s"]["n"], 6);
  EXPECT_EQ(r["phases"]["execute_s"]["passes"], 6);
  EXPECT_EQ(r["phases"]["execute_s"]["sample_pass"], Json::array({0, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(r["phases"]["execute_s"]["sample_throttled"], Json::array({6}));
  EXPECT_EQ(r["phases"]["execute_s"]["sample_clock_MHz"][6], 500);
  EXPECT_EQ(r["phases"]["first_execute_s"]["median"], 1);
  EXPECT_EQ(r["device_bytes"], 4096);
  EXPECT_TRUE(r["phases"]["end_to_end_s"]["interval"].is_null()) << "two samples have no interval";
  EXPECT_EQ(r["key"], "toy n=100 scale=1 precision=f64 seed=1");
  EXPECT_DOUBLE_EQ(r["rates"]["bandwidth_GBps"].get<double>(), 1600 / 3.5 / 1e9);
}

TEST(Record, APredictionStandsBesideItsRatioToTheMedian) {
  const Application toy = test::toy_application();
  Outcome o = an_outcome(toy);
  EXPECT_TRUE(record_of(o, {})["prediction"].is_null());
  o.prediction = Prediction{7, "toy's model"};
  const Json r = record_of(o, {});
  EXPECT_EQ(r["prediction"]["model"], "toy's model");
  EXPECT_EQ(r["prediction"]["time_s"], 7);
  EXPECT_EQ(r["prediction"]["ratio"], 2);
  EXPECT_TRUE(r["prediction_reason"].is_null());
}

TEST(Record, WhatIsNotFiniteIsNull) {
  const Application toy = test::toy_application();
  Outcome o = an_outcome(toy);
  o.status = Status::failed;
  o.verdict->error = NAN;
  const std::string text = dump(record_of(o, {}));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_TRUE(record_of(o, {})["verdict"]["error"].is_null());
  EXPECT_TRUE(record_of(o, {})["phases"].is_null()) << "a failed run has no times";
}

TEST(Record, TextThatIsNotUtf8DoesNotBreakTheDocument) {
  Json j = {{"file", "\xff\xfe"}};
  EXPECT_NO_THROW(Json::parse(dump(j)));
}

TEST(Record, ArraysOfNumbersAndTextsAreOnOneLine) {
  const Json json = {{"samples", {1.5, 2, 1e-7}},
                     {"none", Json::array()},
                     {"names", {"a", "b\"c"}},
                     {"runs", {{{"n", nullptr}}, Json::object()}},
                     {"pairs", {{1, 2}, {3, 4}}}};
  const std::string text = R"({
  "samples": [1.5, 2, 1e-07],
  "none": [],
  "names": ["a", "b\"c"],
  "runs": [
    {
      "n": null
    },
    {}
  ],
  "pairs": [
    [1, 2],
    [3, 4]
  ]
})";
  EXPECT_EQ(dump(json), text);
  EXPECT_EQ(Json::parse(dump(json)), json);
  EXPECT_EQ(dump(json, -1), json.dump());
}

TEST(Record, TheBinaryHoldsTheSchemaOfTheTree) {
  std::ifstream file(SPEEDWELL_SCHEMA);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), records_schema());
  EXPECT_NO_THROW(Json::parse(records_schema()));
}

TEST(Record, ADigestOfTheSourcesIsKnownForEveryApplication) {
  EXPECT_EQ(source_digest("stream", false).size(), 16u);
  EXPECT_EQ(source_digest("stream", true).size(), 16u);
  EXPECT_NE(source_digest("stream", true), source_digest("stream", false));
  EXPECT_NE(source_digest("stream", false), source_digest("matvec", false));
  EXPECT_NE(source_digest("ssca1", false), source_digest("alignment", false));
  EXPECT_EQ(source_digest("no such application", false), "");
}

}  // namespace
}  // namespace speedwell::harness
