// The evidence with which a case verifies one pair beside the reference: openmp's whole table, a second implementation,
// and alignments planted in a pair that is too large for both.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/host_bands.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::alignment {
namespace {

constexpr int strip = 2;
constexpr std::int64_t blocks = 3;

std::vector<harness::Setting> planted_pair() {
  return {{"alphabet", std::string("dna")},
          {"queries", std::int64_t{1}},
          {"subjects", std::int64_t{1}},
          {"mean_length", 7000.0},
          {"spread", 0.0},
          {"related", 0.0},
          {"planted", blocks}};
}

class PairEvidence : public testing::Test {
 protected:
  PairEvidence() {
    const harness::Application app = application();
    const auto made = app.prepare(harness::problem_with(app, planted_pair()));
    prepared = std::const_pointer_cast<AlignmentWorkload>(std::static_pointer_cast<const AlignmentWorkload>(made));
    prepared->effort = {.all_cells = 0, .sample_cells = 6e5};
    query = copy(prepared->queries.codes(0)), subject = copy(prepared->subjects.codes(0));
    got = sweep(subject);
    end = find_end(query, subject, prepared->scoring);
  }
  static test::Residues copy(Codes codes) { return {codes.begin(), codes.end()}; }
  PairChecks sweep(const test::Residues& columns) const {
    const Scoring& scoring = prepared->scoring;
    PairChecks checks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(columns.size()), strip);
    const auto window = find_window(64 * strip, 2, scoring.gap_open, scoring.gap_extend);
    test::sweep_pair<PairScores, strip>(query, columns, scoring, window.value(), {.checks = &checks});
    return checks;
  }
  core::Verdict verify_end_point(const EndPoint& at, const PairChecks& checks,
                                 AlignmentWorkload::Other other = AlignmentWorkload::Other::openmp) const {
    return prepared->verify_pair(
        at, [&] { return align(query, subject, prepared->scoring); }, false, checks, other);
  }
  /// An end that the reference's parts do not object to: another planted alignment's, not the best.
  EndPoint lesser_end() const {
    KnownCell lesser{0, 0, INT32_MAX};
    for (const KnownCell& cell : prepared->planted)
      if (cell.score < lesser.score) lesser = cell;
    return {lesser.score, static_cast<std::int32_t>(lesser.row) + 1, static_cast<std::int32_t>(lesser.column) + 1};
  }

  std::shared_ptr<AlignmentWorkload> prepared;
  test::Residues query, subject;
  PairChecks got;
  EndPoint end;
};

TEST_F(PairEvidence, SegmentsArePlantedInEveryPairOfBlocksAndTheTableHasThem) {
  ASSERT_EQ(prepared->planted.size(), static_cast<std::size_t>(blocks * blocks));
  const reference::Table table = reference::table(query, subject, prepared->scoring);
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (const KnownCell& cell : prepared->planted) {
    EXPECT_GE(cell.score, 200);  // 2 for each of 100 residues
    EXPECT_LT(cell.score, 450);
    EXPECT_GE(table.H(static_cast<std::size_t>(cell.row) + 1, static_cast<std::size_t>(cell.column) + 1), cell.score);
    places.insert({cell.row / (7000 / blocks), cell.column / (7000 / blocks)});
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(blocks * blocks));
}

TEST_F(PairEvidence, OpenmpsWholeTableRejectsOneWrongElementAndAnotherEnd) {
  const core::Verdict verdict = verify_end_point(end, got);
  EXPECT_TRUE(verdict.passed) << verdict.oracle;
  EXPECT_NE(verdict.oracle.find("openmp's end point, and its last rows"), std::string::npos) << verdict.oracle;
  PairChecks faulty = got;
  faulty.sums[got.index_of_last_row(7, 3333)] += border_hash(3333, 8, 0) - border_hash(3333, 7, 0);
  EXPECT_EQ(verify_end_point(end, faulty).error, 1);
  // The parts of the reference alone accept another good alignment's end.
  const EndPoint lesser = lesser_end();
  const auto path = [&] { return align(query, subject, prepared->scoring); };
  EXPECT_TRUE(verify_pair(query, subject, prepared->scoring, lesser, path, false, prepared->effort).passed);
  EXPECT_EQ(verify_end_point(lesser, got).error, 1);
  EXPECT_EQ(verify_end_point(lesser, {}).error, 1);  // serial: it has no checks
  EXPECT_TRUE(verify_end_point(end, {}).passed);
}

TEST_F(PairEvidence, TheSecondImplementationRejectsAnotherEnd) {
  const auto other = AlignmentWorkload::Other::cross_check;
  EXPECT_TRUE(verify_end_point(end, {}, other).passed) << verify_end_point(end, {}, other).oracle;
  EXPECT_NE(verify_end_point(end, {}, other).oracle.find("second implementation"), std::string::npos);
  EXPECT_EQ(verify_end_point(lesser_end(), {}, other).error, 1);
}

TEST_F(PairEvidence, PlantedAlignmentsRejectEachThatIsNotFound) {
  prepared->max_openmp_cells = prepared->max_cross_check_cells = 0;  // as if the pair were too large
  const core::Verdict verdict = verify_end_point(end, got);
  EXPECT_TRUE(verdict.passed) << verdict.oracle;
  EXPECT_NE(verdict.oracle.find("9 planted alignments, each found"), std::string::npos) << verdict.oracle;
  for (const KnownCell& cell : prepared->planted) {
    PairChecks faulty = got;
    faulty.maximum[got.index_of(cell.row, cell.column)] = 40;  // what unrelated residues have
    EXPECT_EQ(verify_end_point(end, faulty).error, 1) << cell.row << " " << cell.column;
    // A sweep that reads some residues of the word wrongly.
    test::Residues columns = subject;
    for (std::int64_t k = 0; k < 100; k += 10) {
      auto& residue = columns[static_cast<std::size_t>(cell.column - k)];
      residue = static_cast<std::uint8_t>((residue + 1) % 4);
    }
    EXPECT_GE(verify_end_point(end, sweep(columns)).error, 1) << cell.row << " " << cell.column;
  }
  EXPECT_EQ(verify_end_point(lesser_end(), {}).error, 1) << "a variant without checks gives the best score at least";
}

TEST(PlantedParameter, IsForOneRandomPairThatIsLongEnough) {
  const harness::Application app = application();
  const auto with = [&](harness::Setting setting) {
    auto settings = planted_pair();
    for (harness::Setting& one : settings)
      if (one.key == setting.key) one.value = setting.value;
    return harness::problem_with(app, settings);
  };
  EXPECT_NO_THROW(app.footprint(with({"queries", std::int64_t{1}})));
  EXPECT_THROW(app.footprint(with({"queries", std::int64_t{2}})), std::invalid_argument);
  EXPECT_THROW(app.footprint(with({"mean_length", 5000.0})), std::invalid_argument);  // 3 x 3 x 600 are needed
  EXPECT_THROW(app.footprint(with({"planted", std::int64_t{4}})), std::invalid_argument);
  SequenceSet one(Alphabet::dna), other(Alphabet::dna);
  EXPECT_THROW(plant_words(one, other, 2, 1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::alignment
