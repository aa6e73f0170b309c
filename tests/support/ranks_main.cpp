// main() of test programs that all ranks of a launch run together: the first rank reports, and a failure of
// one rank is a failure of all.
#include <gtest/gtest.h>

#include "tests/support/ranks.hpp"

namespace speedwell::test {
namespace {

const comm::Environment* environment = nullptr;

// Tests of a program are taken by all ranks in the same order; one that fails on a rank fails on all.
class Together : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    const bool failed = test.result()->Failed();
    const auto failures = ranks().reduce(std::int64_t{failed}, comm::Reduction::sum);
    if (failures > 0 && !failed) ADD_FAILURE() << "failed on " << failures << " other ranks";
  }
};

}  // namespace

const comm::Communicator& ranks() { return environment->world(); }

}  // namespace speedwell::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const speedwell::comm::Environment begun;
  speedwell::test::environment = &begun;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (speedwell::test::ranks().rank() > 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new speedwell::test::Together);
  return RUN_ALL_TESTS();
}
