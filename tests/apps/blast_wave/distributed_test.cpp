// A blast on ranks has the bits of the solver of one process, and each message that it sends is needed.
#include "speedwell/apps/blast_wave/distributed.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/blast_wave/ranks/slab.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"
#include "tests/apps/blast_wave/fields.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::blast_wave {
namespace {

using test::is_root;
using test::ranks;

/// A fault of a message to a neighbour: the first rank sends zeros instead of the message with this number.
struct PlantedFault {
  int message = -1;  // of those that are sent; -1: none
  int sent = 0;
  std::list<std::vector<double>> replaced;  // messages that may still be under way
};
PlantedFault planted;
/// Tags of halos are below this; those of redistributions are above.
constexpr int halo_tags = 10;

Answer on_ranks(const Problem& problem, const State& start, int threads = 1) {
  DistributedSolver solver(ranks(), problem, threads);
  solver.scatter(is_root() ? &start : nullptr);
  Answer answer;
  answer.history = solver.run(problem.steps);
  solver.gather(is_root() ? &answer.state : nullptr);
  return answer;
}

void expect_same_bits(const History& expected, const History& got) {
  EXPECT_EQ(expected.stop_reason, got.stop_reason);
  EXPECT_EQ(expected.point, got.point);
  EXPECT_EQ(expected.density, got.density);
  EXPECT_EQ(expected.pressure, got.pressure);
  ASSERT_EQ(expected.steps.size(), got.steps.size());
  for (std::size_t s = 0; s < expected.steps.size(); ++s) {
    const StepRecord &one = expected.steps[s], &several = got.steps[s];
    EXPECT_EQ(one.dt, several.dt) << s;
    EXPECT_EQ(one.right_hand_side, several.right_hand_side) << s;
    EXPECT_EQ(one.residual, several.residual) << s;
    EXPECT_EQ(one.true_residual, several.true_residual) << s;
    EXPECT_EQ(one.change, several.change) << s;
    EXPECT_EQ(one.iterations, several.iterations) << s;
  }
}

// Every rank computes what one process does; the state is compared on the first.
void expect_bits_of_one_process(const Problem& problem, const State& start, int threads = 1) {
  const Extents& e = problem.extents;
  SCOPED_TRACE(std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz) + " points");
  const Answer expected = on_one_core(problem, start), got = on_ranks(problem, start, threads);
  expect_same_bits(expected.history, got.history);
  if (!is_root()) return;
  EXPECT_EQ(expected.state.q, got.state.q);
  EXPECT_EQ(expected.state.time, got.state.time);
  EXPECT_EQ(expected.state.step, got.state.step);
}

bool is_divisible(const Extents& e) {
  try {
    require_divisible(e, ranks().size());
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

TEST(DistributedBlast, HasTheBitsOfOneProcess) {
  // Planes of fewer points than a tile, of a tile, and of one more; slabs that end in the middle of a row.
  int divided = 0;
  for (const Extents& e : {Extents{5, 5, 5}, Extents{5, 5, 11}, Extents{7, 5, 9}, Extents{17, 17, 16},
                           Extents{33, 6, 13}, Extents{8, 8, 9}, Extents{11, 3 * 5, 10}, Extents{6, 6, 40}}) {
    const Problem problem{.extents = e, .steps = 3};
    if (!is_divisible(e)) {
      EXPECT_THROW(DistributedSolver(ranks(), problem), std::invalid_argument);
      continue;
    }
    ++divided;
    expect_bits_of_one_process(problem, moving_blast(problem));
  }
  EXPECT_GE(divided, 4);
}

TEST(DistributedBlast, HasThemForOtherMethodsAndThreads) {
  Problem problem{.extents = {13, 9, 12}, .cfl = 5, .theta = 0.5, .max_squared_residual = 1e-12, .steps = 2};
  problem.gas.reynolds = 50;
  expect_bits_of_one_process(problem, moving_blast(problem));
  problem.gas.viscous = false;
  problem.kappa4 = 0;
  problem.dt = 0.01;
  expect_bits_of_one_process(problem, moving_blast(problem));
  // More tiles than one thread takes.
  const Problem larger{.extents = {40, 33, 17}, .steps = 1};
  expect_bits_of_one_process(larger, moving_blast(larger), 2);
}

TEST(DistributedBlast, IsAcceptedByTheReference) {
  const Problem problem{.extents = {9, 10, 11}, .steps = 3};
  const State start = blast(problem);
  const Answer got = on_ranks(problem, start);
  if (!is_root()) return;
  Answer expected{start, {}};
  expected.history = reference::advance(problem, expected.state);
  const core::Verdict verdict = verify(problem, start, expected, got);
  EXPECT_TRUE(verdict.passed) << verdict.error << " " << verdict.oracle;
}

TEST(DistributedBlast, FailsAsOneProcessDoes) {
  const Problem limited{.extents = {9, 8, 10}, .max_iterations = 2, .steps = 3};
  expect_bits_of_one_process(limited, blast(limited));
  // A step that is too long for so strong a blast empties a point.
  Problem problem{.extents = {9, 8, 10}, .dt = 0.05, .max_squared_residual = 1e-12, .steps = 5};
  problem.blast.pressure = 100;
  problem.blast.density = 4;
  const Answer one = on_one_core(problem, blast(problem));
  EXPECT_EQ(one.history.stop_reason, StopReason::not_admissible);
  EXPECT_GE(one.history.point, 0);
  expect_bits_of_one_process(problem, blast(problem));
}

TEST(DistributedBlast, ContinuesFromAState) {
  Problem problem{.extents = {9, 8, 11}, .steps = 4};
  const State start = moving_blast(problem);
  const Answer whole = on_ranks(problem, start);
  problem.steps = 2;
  const Answer half = on_ranks(problem, start);
  const Answer rest = on_ranks(problem, half.state);
  if (is_root()) {
    EXPECT_EQ(whole.state.q, rest.state.q);
    EXPECT_EQ(rest.state.step, 4);
  }
}

TEST(DistributedBlast, RefusesAStateOnAllRanks) {
  const Problem problem{.extents = {9, 8, 11}};
  DistributedSolver solver(ranks(), problem);
  State state = blast(problem);
  state.q[17] = -1;
  EXPECT_THROW(solver.scatter(is_root() ? &state : nullptr), std::invalid_argument);
}

TEST(DistributedBlast, RefusesMoreRanksThanThereArePairsOfPlanes) {
  const Extents e{8, 8, 9};
  EXPECT_NO_THROW(DistributedSolver::require_ranks(e, 4));
  EXPECT_THROW(DistributedSolver::require_ranks(e, 5), std::invalid_argument);
  EXPECT_THROW(DistributedSolver::require_ranks(e, 1000), std::invalid_argument);
}

TEST(DistributedBlast, NeedsEachMessage) {
  if (ranks().size() == 1) return;  // sends none
  const Problem problem{.extents = {7, 6, 13}, .steps = 1};
  const State start = moving_blast(problem);
  const auto advanced = [&](int message) {
    planted = {.message = message, .sent = 0, .replaced = {}};
    Answer answer = on_ranks(problem, start);
    planted.message = -1;
    return answer;
  };
  const Answer right = advanced(-1);
  // The state, and the first vectors of both products: ten messages each.
  for (int message = 0; message < 3 * halo_tags; ++message) {
    const Answer wrong = advanced(message);
    if (!is_root()) continue;
    EXPECT_GT(planted.sent, message);
    EXPECT_NE(right.state.q, wrong.state.q) << "message " << message;
    EXPECT_FALSE(verify(problem, start, right, wrong).passed) << "message " << message;
  }
}

}  // namespace

const void* message_of(const void* bytes, std::size_t count, int tag) {
  if (tag >= halo_tags || ranks().rank() != 0) return bytes;
  if (planted.sent++ != planted.message) return bytes;
  return planted.replaced.emplace_back(count / sizeof(double), 0.0).data();
}

}  // namespace speedwell::blast_wave

// MPI lets a program replace its functions.
extern "C" int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const void* const message = speedwell::blast_wave::message_of(bytes, static_cast<std::size_t>(count), tag);
  return PMPI_Isend(message, count, type, to, tag, comm, request);
}
