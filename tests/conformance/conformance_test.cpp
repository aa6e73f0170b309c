// The contract of harness/application.hpp and harness/run.hpp, tested for every application and variant that this
// build has: those of a GPU run where one is found. Tests of one application alone are in tests/apps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "speedwell/core/error.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/conformance/lifecycle.hpp"

namespace speedwell::conformance {
namespace {

using harness::Application;
using harness::Backend;
using harness::Problem;
using harness::Variant;
using harness::Workload;
using test::Fault;

/// Whether an answer with this fault is right, too, as far as roundings go.
bool is_right(const Problem& problem, Fault fault) {
  if (fault != Fault::stale && fault != Fault::off_by_one) return false;
  const std::string key = harness::key_of(problem);
  // The curl of a gradient is zero but for roundings, and the roundings of other data are as good. The solution of the
  // 27-point matrix is one everywhere.
  return key.find(" operation=curl_grad ") != std::string::npos || key.find(" matrix=27-point ") != std::string::npos;
}

bool has_equal_settings(const Problem& a, const Problem& b) {
  return std::equal(a.settings().begin(), a.settings().end(), b.settings().begin(), b.settings().end(),
                    [](const auto& x, const auto& y) { return x.value == y.value; });
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  const Application& application() const { return harness::find_application(applications(), GetParam()); }

  /// Calls body(problem, workload, variant) for all variants that can run here on all test problems.
  template <class Body>
  void for_all_variants(const Body& body) const {
    for (const Problem& problem : test_problems(application())) {
      std::shared_ptr<const Workload> workload;
      for (const Variant& variant : application().variants) {
        if (skip_reason(application(), problem, variant)) continue;
        if (!workload) workload = application().prepare(problem);
        SCOPED_TRACE(label(problem, variant));
        body(problem, workload, variant);
      }
    }
  }
};

TEST_P(Conformance, NamesAreUniqueAndSizesSetExistingParameters) {
  const Application& app = application();
  for (const std::string* text : {&app.title, &app.summary, &app.source, &app.update}) EXPECT_FALSE(text->empty());
  std::set<std::string> variants, keys, sizes;
  for (const Variant& v : app.variants) {
    EXPECT_TRUE(variants.insert(v.name).second) << v.name;
    EXPECT_FALSE(v.description.empty()) << v.name;
    EXPECT_TRUE(v.make || !v.unavailable_reason.empty()) << v.name << " is not built, and does not say why";
  }
  for (const harness::Parameter& p : app.parameters) {
    EXPECT_TRUE(keys.insert(p.key).second) << p.key;
    EXPECT_FALSE(p.description.empty()) << p.key;
    if (const auto* text = std::get_if<std::string>(&p.default_value); text && !p.choices.empty()) {
      EXPECT_TRUE(std::count(p.choices.begin(), p.choices.end(), *text)) << p.key << "=" << *text;
    }
  }
  for (const harness::Size& size : app.sizes) {
    EXPECT_TRUE(sizes.insert(size.name).second) << size.name;
    EXPECT_FALSE(size.summary.empty()) << size.name;
    for (const auto& s : size.settings) EXPECT_TRUE(keys.count(s.key)) << size.name << " sets " << s.key;
    for (const auto& s : size.sweeps) EXPECT_TRUE(keys.count(s.key)) << size.name << " sweeps " << s.key;
  }
  for (const char* name : {"test", "headline", "small", "standard", "large"})
    EXPECT_TRUE(sizes.count(name)) << "no size " << name;
}

TEST_P(Conformance, EveryProblemOfEverySizeIsValidAndFitsTheTypesOfItsParameters) {
  const Application& app = application();
  for (const harness::Size& size : app.sizes)
    for (const Problem& problem : problems_of(app, size.name)) {
      SCOPED_TRACE(harness::key_of(problem));
      EXPECT_NO_THROW(app.footprint(problem));
      for (const harness::Setting& s : problem.settings()) {
        const harness::Parameter& p = harness::find_parameter(app, s.key);
        EXPECT_EQ(s.value.index(), p.default_value.index()) << size.name << ": " << s.key << " has another type";
      }
      EXPECT_TRUE(app.work(problem).updates > 0 || app.work_of) << "without work, before and after it is prepared";
    }
}

TEST_P(Conformance, RefusalsHaveAReason) {
  for (const harness::Size& size : application().sizes)
    for (const Problem& problem : problems_of(application(), size.name))
      for (const Variant& variant : application().variants)
        if (variant.unsupported_reason)
          if (const auto reason = variant.unsupported_reason(problem)) {
            EXPECT_FALSE(reason->empty()) << label(problem, variant);
          }
}

TEST_P(Conformance, EveryVariantSupportsATestProblem) {
  const std::vector<Problem> problems = test_problems(application());
  for (const Variant& variant : application().variants)
    EXPECT_TRUE(std::any_of(problems.begin(), problems.end(),
                            [&](const Problem& problem) {
                              return (!variant.applies_to || variant.applies_to(problem)) &&
                                     !(variant.unsupported_reason && variant.unsupported_reason(problem));
                            }))
        << variant.name << " is never tested";
}

TEST_P(Conformance, EveryVariantPassesEveryTestProblem) {
  int passed = 0;
  for_all_variants([&](const Problem&, const std::shared_ptr<const Workload>& workload, const Variant& variant) {
    const auto run = variant.make(workload, {.threads = 2});
    ASSERT_NO_THROW(run_all_phases(*run));
    const core::Verdict verdict = run->verify();
    EXPECT_TRUE(verdict.passed) << verdict.oracle << ": error " << verdict.error << ", tolerance " << verdict.tolerance;
    EXPECT_TRUE(run->verify().passed) << "a verdict changes what it verifies";
    run->download();
    EXPECT_TRUE(run->verify().passed) << "a second download gives something else";
    EXPECT_FALSE(verdict.oracle.empty());
    EXPECT_FALSE(run->outputs().empty());
    for (const harness::Output& o : run->outputs()) {
      std::size_t product = 1;
      for (const std::size_t extent : o.extents) product *= extent;
      EXPECT_TRUE(o.extents.empty() || product == o.count) << o.name << ": its extents are not those of its elements";
    }
    for (const auto& [key, value] : run->choices()) EXPECT_FALSE(key.empty() || value.empty()) << key << "=" << value;
    ++passed;
  });
  EXPECT_GE(passed, 1);
}

TEST_P(Conformance, EveryVariantRejectsEveryPlantedFault) {
  std::map<std::string, std::shared_ptr<const Workload>> others;  // of another seed, by the problem's key
  std::map<std::string, std::map<Fault, int>> planted;            // by the variant's name
  for_all_variants(
      [&](const Problem& problem, const std::shared_ptr<const Workload>& workload, const Variant& variant) {
        planted[variant.name];
        const auto right = variant.make(workload, {.threads = 2});
        run_all_phases(*right);
        const auto right_bytes = bytes_of(*right);
        const auto [at, is_new] = others.try_emplace(harness::key_of(problem));
        std::shared_ptr<const Workload>& other = at->second;
        if (is_new) {
          for (const Problem& p : test_problems(application(), 7))
            if (label(p, variant) != label(problem, variant) && has_equal_settings(p, problem))
              other = application().prepare(p);
          // The first variant, on the host, has the same bits for the same data: then the seed changes nothing.
          const auto run = other ? variant.make(other, {.threads = 2}) : nullptr;
          if (run) run_all_phases(*run);
          if (run && bytes_of(*run) == right_bytes) other = nullptr;
        }
        for (const Fault fault : test::all_faults()) {
          if ((fault == Fault::stale && !other) || is_right(problem, fault)) continue;
          const auto run =
              test::with_fault(variant, fault, fault == Fault::stale ? other : nullptr).make(workload, {.threads = 2});
          run_all_phases(*run);
          if (bytes_of(*run) == right_bytes) continue;  // the same numbers in all places, or data without a seed
          EXPECT_FALSE(run->verify().passed) << "accepts " << to_string(fault);
          ++planted[variant.name][fault];
        }
      });
  EXPECT_FALSE(planted.empty());
  for (auto& [variant, faults] : planted)
    for (const Fault fault : {Fault::no_op, Fault::last_skipped, Fault::one_nan})
      EXPECT_GE(faults[fault], 1) << to_string(fault) << " was never planted in " << variant;
}

TEST_P(Conformance, DeterministicVariantsHaveTheSameBitsForAnyNumberOfThreads) {
  for_all_variants([&](const Problem&, const std::shared_ptr<const Workload>& workload, const Variant& variant) {
    std::vector<std::vector<unsigned char>> answers;
    for (const int threads : {1, 3, 3}) {
      try {
        const auto run = variant.make(workload, {.threads = threads, .deterministic = true});
        run_all_phases(*run);
        answers.push_back(bytes_of(*run));
      } catch (const core::Unavailable& refusal) {
        EXPECT_NE(std::string(refusal.what()), "");
        return;
      }
    }
    EXPECT_TRUE(answers[0] == answers[1]) << "one thread and three give different bits";
    EXPECT_TRUE(answers[1] == answers[2]) << "two runs give different bits";
  });
}

TEST_P(Conformance, MemoryStaysWithinTheFootprints) {
  const Application& app = application();
  constexpr double slack = 16 << 20;  // threads, libraries, and what is not proportional to the problem
  for (const Problem& problem : problems_of(app, "headline")) {
    const double before = heap_bytes();
    const auto workload = app.prepare(problem);
    const double inputs = app.footprint(problem).host_bytes;
    EXPECT_LE(heap_bytes() - before, 1.05 * inputs + slack) << harness::key_of(problem);
    for (const Variant& variant : app.variants) {
      if (skip_reason(app, problem, variant) || variant.max_planning) continue;
      const double prepared = heap_bytes();
      const auto run = variant.make(workload, {.threads = 2});
      run->allocate();
      run->plan();
      run->upload();
      const double declared = variant.footprint ? variant.footprint(problem).host_bytes : 0;
      // The inputs' footprint includes the oracle, which has not been computed yet.
      EXPECT_LE(heap_bytes() - before, 1.05 * (inputs + declared) + slack) << label(problem, variant);
      EXPECT_LE(heap_bytes() - prepared, 1.05 * (inputs + declared) + slack) << label(problem, variant);
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Application& a : applications()) all.push_back(a.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Conformance, testing::ValuesIn(names()), [](const auto& name) { return name.param; });

}  // namespace
}  // namespace speedwell::conformance
