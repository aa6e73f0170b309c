#include "speedwell/harness/tables/npb_block.hpp"

#include <gtest/gtest.h>

#include "speedwell/harness/problems.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::harness {
namespace {

class NpbBlock : public testing::Test {
 protected:
  NpbBlock() {
    toy_.npb_title = [](const Problem&) { return NpbTitle{"TY", "S", "12x12x12", 60, "floating point"}; };
    machine_.cpu.threads = 8;
    outcome_.application = &toy_;
    outcome_.variant = &toy_.variants[0];
    outcome_.problem = problems(toy_, find_size(toy_, "test"), {}, 1).front();
    outcome_.status = Status::passed;
    outcome_.device = DeviceKind::cores;
    outcome_.threads = 4;
    outcome_.execute = {{0.5, 0, false, {}}, {0.25, 1, false, {}}, {4, 2, false, {}}};
    outcome_.work.updates = 3e6;
  }
  std::string text() const { return npb_blocks({outcome_}, machine_); }

  Application toy_ = test::toy_application();
  machine::Machine machine_;
  Outcome outcome_;
};

TEST_F(NpbBlock, IsThatOfTheBenchmarks) {
  EXPECT_EQ(text(),
            "\n\n TY Benchmark Completed\n"
            " Class           =                        S\n"
            " Size            =                 12x12x12\n"
            " Iterations      =                       60\n"
            " Time in seconds =                 0.500000\n"
            " Total threads   =                        4\n"
            " Avail threads   =                        8\n"
            " Mop/s total     =                     6.00\n"
            " Mop/s/thread    =                     1.50\n"
            " Operation type  =           floating point\n"
            " Verification    =               SUCCESSFUL\n"
            " Version         =                      3.4\n"
            " Variant         =                   " +
                toy_.variants[0].name + "\n");
}

TEST_F(NpbBlock, SaysWhatFailedWithoutATime) {
  outcome_.status = Status::failed;
  outcome_.execute.clear();
  EXPECT_NE(text().find(" Verification    =             UNSUCCESSFUL\n"), std::string::npos) << text();
  EXPECT_NE(text().find(" Time in seconds =                 0.000000\n"), std::string::npos) << text();
  EXPECT_NE(text().find(" Mop/s total     =                     0.00\n"), std::string::npos) << text();
}

TEST_F(NpbBlock, NamesAGpuInPlaceOfThreads) {
  outcome_.device = DeviceKind::gpu;
  outcome_.gpu = 0;
  machine_.gpus.push_back({});
  machine_.gpus[0].name = "GPU";
  EXPECT_NE(text().find(" Device          =                  one GPU\n"), std::string::npos) << text();
  EXPECT_EQ(text().find("threads"), std::string::npos) << text();
  EXPECT_EQ(text().find("thread "), std::string::npos) << text();
}

TEST_F(NpbBlock, IsALineWhereNothingRan) {
  outcome_.status = Status::skipped;
  outcome_.reason = "no GPU here";
  EXPECT_EQ(text(), "\n " + toy_.variants[0].name + " skipped: no GPU here\n");
}

}  // namespace
}  // namespace speedwell::harness
