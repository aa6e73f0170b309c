#include "speedwell/harness/table.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "speedwell/harness/problems.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

// Outcomes of the toy: one for each variant that is added, with an execute of so many seconds in each of six passes.
class Tables : public testing::Test {
 protected:
  void add(const std::string& name, DeviceKind device, double seconds, const std::string& algorithm = "",
           Role role = Role::plain) {
    variants_.push_back({.name = name,
                         .backend = device == DeviceKind::gpu ? Backend::cuda : Backend::openmp,
                         .role = role,
                         .algorithm = algorithm});
    Outcome o;
    o.application = &toy_;
    o.variant = &variants_.back();
    o.problem = problems(toy_, find_size(toy_, "test"), {}, 1).front();
    o.status = Status::passed;
    o.device = device;
    for (int pass = 0; pass < 6; ++pass) o.execute.push_back({seconds, pass, false, {}});
    o.end_to_end = {2 * seconds};
    o.work = toy_.work(o.problem);
    outcomes_.push_back(o);
  }
  // The cells of the summary's only row, and what stands under the table.
  std::string summary() { return summary_table({outcomes_}, machine_); }

  Application toy_ = test::toy_application();
  std::deque<Variant> variants_;
  std::vector<Outcome> outcomes_;
  machine::Machine machine_;
};

TEST_F(Tables, TheSummaryComparesOneAlgorithmAndNamesTheBestWhereItIsAnother) {
  add("openmp", DeviceKind::cores, 8);
  add("openmp-stored", DeviceKind::cores, 6, "stored");
  add("cuda", DeviceKind::gpu, 2);
  const std::string text = summary();
  EXPECT_NE(text.find("  4.00     4.00    3.00  "), std::string::npos) << text;
  EXPECT_NE(text.find("best of toy: cuda against openmp-stored\n"), std::string::npos) << text;
}

TEST_F(Tables, TheSummaryCountsPeersAmongTheBest) {
  add("openmp", DeviceKind::cores, 8);
  add("cuda", DeviceKind::gpu, 2);
  EXPECT_EQ(summary().find("best of"), std::string::npos) << "the pair that is shown is the best";
  add("cublas", DeviceKind::gpu, 1, "", Role::peer);
  const std::string text = summary();
  EXPECT_NE(text.find("  4.00     4.00    8.00  "), std::string::npos) << text;
  EXPECT_NE(text.find("best of toy: cublas against openmp\n"), std::string::npos) << text;
}

TEST_F(Tables, AnAlgorithmThatOneDeviceLacksHasNoSpeedup) {
  add("openmp", DeviceKind::cores, 8);
  add("cuda", DeviceKind::gpu, 2, "stored");
  const std::string text = summary();
  EXPECT_NE(text.find("  -        -    4.00  "), std::string::npos) << text;
}

}  // namespace
}  // namespace speedwell::harness
