#include "speedwell/harness/problems.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

const Application toy = test::toy_application();

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Problems, ASizeIsTheProductOfItsSweeps) {
  const auto all = problems(toy, find_size(toy, "small"), {}, 7);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(key_of(all[0]), "toy n=10 scale=1 precision=f64 seed=7");
  EXPECT_EQ(key_of(all[3]), "toy n=20 scale=1 precision=f32 seed=7");
}

TEST(Problems, AQuietParameterIsNamedOnlyWhereItIsChanged) {
  Application hidden_if_default = toy;
  for (Parameter& p : hidden_if_default.parameters) p.hidden_if_default = p.key == "scale";
  EXPECT_EQ(key_of(problems(hidden_if_default, find_size(hidden_if_default, "small"), {}, 7)[0]),
            "toy n=10 precision=f64 seed=7");
  const auto changed = problems(hidden_if_default, find_size(hidden_if_default, "small"),
                                {parse_setting(hidden_if_default, "scale=2")}, 7);
  EXPECT_EQ(key_of(changed[0]), "toy n=10 scale=2 precision=f64 seed=7");
  EXPECT_EQ(changed[0].settings().size(), hidden_if_default.parameters.size())
      << "whoever asks for it finds it all the same";
}

TEST(Problems, AKeyThatTheUserSetsIsNotSwept) {
  const auto all = problems(toy, find_size(toy, "small"), {parse_setting(toy, "n=2^20")}, 1);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].get<std::int64_t>("n"), 1 << 20);
}

TEST(Problems, AUserSweepsWhatTheSizeDoesNot) {
  const Sweep n = parse_sweep(toy, "n=64,2^7,100");
  EXPECT_EQ(n.values, (std::vector<Value>{std::int64_t{64}, std::int64_t{128}, std::int64_t{100}}));
  const auto all = swept_problems(toy, find_size(toy, "small"), {n, parse_sweep(toy, "scale=2")}, 1);
  ASSERT_EQ(all.size(), 6u) << "three of n, two of precision, which the size sweeps";
  EXPECT_EQ(key_of(all[0]), "toy n=64 scale=2 precision=f64 seed=1");
  EXPECT_EQ(key_of(all[5]), "toy n=100 scale=2 precision=f32 seed=1");
  const auto last =
      swept_problems(toy, find_size(toy, "small"), {n, parse_sweep(toy, "n=5"), parse_sweep(toy, "precision=f32")}, 1);
  ASSERT_EQ(last.size(), 1u) << "of a key the last counts";
  EXPECT_EQ(last[0].get<std::int64_t>("n"), 5);
  EXPECT_EQ(message_of([] { parse_sweep(toy, "n=64,2^6"); }), "toy: n=64 is named twice");
  EXPECT_EQ(message_of([] { parse_sweep(toy, "n=64,"); }),
            "toy: n: '' is not a count (allowed: 1000, 1e8, 2^28, 64Mi, 64M; below 2^63)");
  EXPECT_EQ(message_of([] { parse_sweep(toy, "n"); }), "'n' is not a setting (allowed: KEY=VALUE)");
  Application files = toy;
  files.parameters.push_back({.key = "file", .default_value = std::string()});
  EXPECT_EQ(parse_sweep(files, "file=a,b.mtx").values, (std::vector<Value>{std::string("a,b.mtx")})) << "a path is one";
}

TEST(Problems, SweepsOfTooManyProblemsAreRefused) {
  Sweep n{"n", {}}, scale{"scale", {}};
  for (int i = 1; i <= 400; ++i) n.values.emplace_back(std::int64_t{i}), scale.values.emplace_back(double(i));
  EXPECT_EQ(message_of([&] {
              swept_problems(toy, find_size(toy, "small"), {n, scale}, 1);
            }),
            "toy: these are more than 100000 problems");
}

TEST(Problems, ADefaultOutsideTheRangeCanBeSet) {
  Application app = toy;
  app.parameters.push_back(integer("open", -1, "gap open penalty; where not set (-1): usual", {0, 10}));
  EXPECT_EQ(std::get<std::int64_t>(parse_setting(app, "open=-1").value), -1);
  EXPECT_THROW(parse_setting(app, "open=-2"), std::invalid_argument);
  EXPECT_THROW(parse_setting(app, "open=11"), std::invalid_argument);
}

TEST(Problems, EveryMistakeNamesTheNearest) {
  EXPECT_EQ(message_of([] { find_size(toy, "smal"); }), "unknown size of toy 'smal'; the nearest is 'small'");
  EXPECT_EQ(message_of([] { parse_setting(toy, "presicion=f32"); }),
            "unknown parameter of toy 'presicion'; the nearest is 'precision'");
  EXPECT_EQ(message_of([] { parse_setting(toy, "precision=f46"); }),
            "toy: precision=f46: allowed: f64, f32; the nearest is 'f64'");
  EXPECT_EQ(message_of([] { parse_setting(toy, "n=0"); }), "toy: n=0: the least is 1");
  EXPECT_EQ(message_of([] { parse_setting(toy, "n=2e9"); }), "toy: n=2e9: the most is 1000000000");
  EXPECT_EQ(message_of([] { parse_setting(toy, "n=ten"); }),
            "toy: n: 'ten' is not a count (allowed: 1000, 1e8, 2^28, 64Mi, 64M; below 2^63)");
  EXPECT_EQ(message_of([] { parse_setting(toy, "scale=nan"); }), "toy: scale: 'nan' is not a number");
  EXPECT_EQ(message_of([] { parse_setting(toy, "n"); }), "'n' is not a setting (allowed: KEY=VALUE)");
  EXPECT_EQ(message_of([] { select_variants(toy, "seriel"); }),
            "unknown variant of toy 'seriel'; the nearest is 'serial'");
}

TEST(Problems, AMachineIsDescribedByTheProjectorsParameters) {
  Application modelled = toy;
  EXPECT_EQ(message_of([&] { parse_machine(modelled, "ranks=4"); }),
            "toy has no model that could be projected to another machine");
  modelled.projector = Projector{.parameters = {{.key = "ranks", .default_value = std::int64_t{1}, .minimum = 1},
                                                {.key = "latency_us", .default_value = 1.0}},
                                 .project = {}};
  const Problem machine = parse_machine(modelled, "latency_us=2.5,ranks=64");
  EXPECT_EQ(machine.get<std::int64_t>("ranks"), 64);
  EXPECT_EQ(machine.get<double>("latency_us"), 2.5);
  EXPECT_EQ(parse_machine(modelled, "ranks=2").get<double>("latency_us"), 1.0);
  EXPECT_EQ(message_of([&] { parse_machine(modelled, "rank=4"); }),
            "unknown parameter of toy --project 'rank'; the nearest is 'ranks'");
  EXPECT_EQ(message_of([&] { parse_machine(modelled, "ranks=2,,"); }), "'' is not a setting (allowed: KEY=VALUE)");
}

TEST(Problems, GlobsSelectInTheOrderOfTheTable) {
  const auto some = select_variants(toy, "s*,openmp");
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[0]->name, "serial");
  EXPECT_EQ(some[1]->name, "openmp");
  EXPECT_EQ(some[2]->name, "slow");
  EXPECT_EQ(select_variants(toy, "").size(), toy.variants.size());
}

TEST(Problems, HaveTheVariantsThatBelongToThem) {
  Application mine = test::toy_application();
  const Problem problem = problems(mine, find_size(mine, "test"), {}, 1).front();
  const auto names = [&](std::string_view globs) {
    std::string text;
    for (const Variant* v : variants_of(problem, select_variants(mine, globs), globs)) text += v->name + " ";
    return text;
  };
  mine.variants[0].applies_to = [](const Problem&) { return false; };
  mine.variants[1].applies_to = [](const Problem&) { return true; };
  EXPECT_EQ(names(""), "openmp slow drifts throws cuda ");
  EXPECT_EQ(names("s*"), "slow ");
  EXPECT_EQ(names("serial,openmp"), "serial openmp ");  // named: listed with its reason
  EXPECT_EQ(names("seri*"), "serial ");                 // nothing else is left
}

TEST(Problems, BindingAnUnknownRowIsABug) {
  Application a = toy;
  EXPECT_THROW(bind_variants(a, {{"cuda-fast", {}}}), std::logic_error);
}

}  // namespace
}  // namespace speedwell::harness
