// The model of scaling: what the largest part of a division does, and the time that follows from it.
#include "speedwell/harness/division_model.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/scaling.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

constexpr LinkRates link{.latency = 1e-6, .bandwidth = 1e9, .sum = 2e-6};

TEST(DivisionModel, ItemsAreDividedIntoNearlyEqualParts) {
  EXPECT_DOUBLE_EQ(division_of_items(10, 1).share, 1);
  EXPECT_DOUBLE_EQ(division_of_items(10, 4).share, 0.3) << "3, 3, 2 and 2";
  EXPECT_EQ(division_of_items(10, 4).messages, 0);
  EXPECT_THROW(division_of_items(3, 4), std::invalid_argument);
}

TEST(DivisionModel, SlabsOfABox) {
  const comm::GlobalBox box{.extents = {8, 4, 2}, .periodic = {true, false, false}, .halo = {1, 0, 0}};
  const Division d = division_of_box(comm::Decomposition(2, box, {2, 1, 1}), comm::HaloShape::faces,
                                     {.exchanges = 3, .bytes_per_cell = 4, .hidden = true});
  EXPECT_DOUBLE_EQ(d.share, 0.5);
  EXPECT_DOUBLE_EQ(d.hiding, 0.5) << "two of four planes read no halo";
  EXPECT_DOUBLE_EQ(d.messages, 6) << "to both sides, three times";
  EXPECT_DOUBLE_EQ(d.bytes, 3 * 2 * 8 * 4) << "two planes of eight cells";
  const Division before = division_of_box(comm::Decomposition(2, box, {2, 1, 1}), comm::HaloShape::faces,
                                          {.exchanges = 3, .bytes_per_cell = 4, .hidden = false});
  EXPECT_EQ(before.hiding, 0);
  const comm::GlobalBox alone{.extents = {8, 4, 2}, .periodic = {true, true, true}, .halo = {0, 0, 0}};
  const Division whole = division_of_box(comm::Decomposition(1, alone), comm::HaloShape::faces, {});
  EXPECT_DOUBLE_EQ(whole.share, 1);
  EXPECT_EQ(whole.messages, 0);
  EXPECT_EQ(whole.bytes, 0);
}

TEST(DivisionModel, WhatIsNotHiddenIsAdded) {
  const MeasuredDivision one{.division = {}, .updates = 100, .compute_seconds = 1e-3};
  const PredictedTime independent = predict(one, {.share = 0.25}, 100, 4, link);
  EXPECT_DOUBLE_EQ(independent.seconds, 2.5e-4);
  EXPECT_EQ(independent.exposed, 0);
  // 2 us of latencies and 8 us of bytes.
  const Division exposed{.share = 0.5, .hiding = 0, .messages = 2, .bytes = 8000};
  EXPECT_DOUBLE_EQ(predict(one, exposed, 100, 2, link).seconds, 5e-4 + 10e-6);
  EXPECT_DOUBLE_EQ(predict(one, exposed, 100, 2, link).exposed, 10e-6);
  Division hidden = exposed;
  hidden.hiding = 0.01;  // 5 us of the computation
  EXPECT_DOUBLE_EQ(predict(one, hidden, 100, 2, link).exposed, 5e-6);
  hidden.hiding = 0.5;
  EXPECT_EQ(predict(one, hidden, 100, 2, link).exposed, 0);
}

TEST(DivisionModel, SumsTakeTheLogarithmOfTheParts) {
  const MeasuredDivision one{.division = {}, .updates = 1, .compute_seconds = 1};
  const Division d{.share = 0, .sums = 10};
  EXPECT_EQ(predict(one, d, 1, 1, link).exposed, 0);
  EXPECT_DOUBLE_EQ(predict(one, d, 1, 2, link).exposed, 20e-6);
  EXPECT_DOUBLE_EQ(predict(one, d, 1, 8, link).exposed, 60e-6);
  EXPECT_DOUBLE_EQ(predict(one, d, 1, 192, link).exposed, 160e-6);
}

TEST(DivisionModel, ALargerProblemTakesLonger) {
  const MeasuredDivision two{.division = {.share = 0.5}, .updates = 200, .compute_seconds = 1e-3};
  EXPECT_DOUBLE_EQ(predict(two, {.share = 0.25}, 400, 4, link).seconds, 1e-3) << "weak scaling from two parts";
}

TEST(DivisionModel, LinksComeFromTheCeilingsOfAMachine) {
  records::Machine machine;
  EXPECT_FALSE(link_rates(machine, true));
  machine.ceilings = {{.name = "link.store", .value = 370, .unit = "GB/s"},
                      {.name = "link.flag", .value = 3, .unit = "us"},
                      {.name = "link.all_reduce", .value = 0.8, .unit = "us"},
                      {.name = "mpi.latency", .value = 0.5, .unit = "us"},
                      {.name = "mpi.bandwidth", .value = 12, .unit = "GB/s"}};
  const auto gpus = link_rates(machine, true), ranks = link_rates(machine, false);
  ASSERT_TRUE(gpus && ranks);
  EXPECT_DOUBLE_EQ(gpus->latency, 1.5e-6);
  EXPECT_DOUBLE_EQ(gpus->bandwidth, 370e9);
  EXPECT_DOUBLE_EQ(gpus->sum, 0.8e-6);
  EXPECT_DOUBLE_EQ(ranks->latency, 0.5e-6);
  EXPECT_DOUBLE_EQ(ranks->bandwidth, 12e9);
  machine.ceilings.push_back({.name = "link.store_both", .value = 300, .unit = "GB/s"});
  EXPECT_DOUBLE_EQ(link_rates(machine, true)->bandwidth, 300e9) << "both ways at once, as in an exchange";
}

TEST(DivisionModel, AnApplicationGivesItToScaleAndToCompare) {
  Application toy = test::toy_application();
  EXPECT_EQ(division_model(toy), nullptr);
  Variant mpi = toy.variants.front();
  mpi.name = "mpi";
  mpi.backend = Backend::mpi;
  toy.variants.push_back(mpi);
  set_division_model(toy, [](const Problem& p, const Variant&, int parts) {
    return division_of_items(p.get<std::int64_t>("n"), parts);
  });
  const DivisionModel* const model = division_model(toy);
  ASSERT_NE(model, nullptr);
  const Problem problem = problems(toy, find_size(toy, "test"), {}, 1).front();
  EXPECT_DOUBLE_EQ(model->divide(problem, mpi, 3).share, 0.34);
  const auto made = toy.projector->project(problem, parse_machine(toy, "ranks=3"), {});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].table[1][0], "3");
  EXPECT_EQ(made[0].table[1][1], "34 %");
  EXPECT_THROW(toy.projector->project(problem, parse_machine(toy, ""), {}), std::invalid_argument);
  EXPECT_THROW(toy.projector->project(problem, parse_machine(toy, "ranks=101"), {}), std::invalid_argument);
  EXPECT_THROW(toy.projector->project(problem, parse_machine(toy, "gpus=2"), {}), std::invalid_argument);
}

TEST(DivisionModel, PredictedRowsAreMarked) {
  records::Run run;
  run.status = records::Status::passed;
  run.work = records::Work{.updates = 100, .update = "cell"};
  run.phases.execute = records::Phase{.median = 1e-3, .n = 3, .passes = 3};
  const std::vector<ScalingPoint> measured{{.ranks = 1, .run = run, .compared = {}}};
  const std::string table = scaling_table(
      measured, {},
      {{.ranks = 4, .updates = 100, .time = PredictedTime{.seconds = 5e-4, .exposed = 1e-4}, .reason = {}},
       {.ranks = 999, .updates = 100, .time = {}, .reason = "999 parts of 100"}});
  for (const char* text : {"predicted", "2.00", "50.0 %", "20.0 %", "not predicted: 999 parts of 100", "500 us"})
    EXPECT_NE(table.find(text), std::string::npos) << text << " in\n" << table;
}

}  // namespace
}  // namespace speedwell::harness
