// The verdict on one pair: the right end point passes, what is beside it does not, whole and where the reference sees
// only parts of the table.
#include <gtest/gtest.h>

#include "speedwell/apps/alignment/verify/verify.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

class PairVerdict : public testing::TestWithParam<OracleEffort> {
 protected:
  std::vector<std::uint8_t> random_residues(std::size_t length) {
    std::vector<std::uint8_t> made(length);
    for (auto& code : made) code = static_cast<std::uint8_t>(random.below(4));
    return made;
  }
  core::Verdict verify_end_point(const EndPoint& end, bool always_align = false) const {
    return verify_pair(
        query, subject, scoring, end, [&] { return found; }, always_align, GetParam());
  }
  void expect_right_alone() {
    found = align(query, subject, scoring);
    const EndPoint right = find_end(query, subject, scoring);
    for (const bool always_align : {false, true}) {
      EXPECT_TRUE(verify_end_point(right, always_align).passed) << verify_end_point(right, always_align).oracle;
      for (const int by : {-1, 1}) {
        EXPECT_FALSE(verify_end_point({right.score + by, right.query_end, right.subject_end}, always_align).passed);
        EXPECT_FALSE(verify_end_point({right.score, right.query_end + by, right.subject_end}, always_align).passed);
        EXPECT_FALSE(verify_end_point({right.score, right.query_end, right.subject_end + by}, always_align).passed);
      }
      EXPECT_FALSE(verify_end_point({}, always_align).passed);
      EXPECT_FALSE(verify_end_point({-1, -1, -1}, always_align).passed);
      EXPECT_FALSE(verify_end_point({0x7f7f7f7f, 0x7f7f7f7f, 0x7f7f7f7f}, always_align).passed);
      EXPECT_FALSE(verify_end_point({right.score, 0x7f7f7f7f, right.subject_end}, always_align).passed);
    }
    found.cigar.front().length += 1;
    EXPECT_FALSE(verify_end_point(right, true).passed);
  }

  test::Random random{20261122};
  Scoring scoring{match_mismatch(2, -3), 5, 2};
  std::vector<std::uint8_t> query = random_residues(1500), subject;
  Alignment found;
};

TEST_P(PairVerdict, UnrelatedSequences) {
  subject = random_residues(1200);
  expect_right_alone();
}
TEST_P(PairVerdict, RelativesThatAlignAlmostWhole) {
  subject = random.relative(query);
  expect_right_alone();
}
TEST_P(PairVerdict, NothingInCommon) {
  subject.assign(700, 14);
  EXPECT_TRUE(verify_end_point({}).passed);
  EXPECT_TRUE(verify_end_point({}, true).passed);
  EXPECT_FALSE(verify_end_point({1, 1, 1}).passed);
}

INSTANTIATE_TEST_SUITE_P(Efforts, PairVerdict,
                         testing::Values(OracleEffort{}, OracleEffort{.all_cells = 0, .sample_cells = 6e5}));

}  // namespace
}  // namespace speedwell::alignment
