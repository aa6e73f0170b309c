// Each message of a distributed step is needed, and a fault in it is found: zeros instead of a face, an edge or a
// corner of the halo, the values of the step before, the wrong sign. The faults are planted where the messages are
// sent, in MPI_Isend, which MPI lets a program replace.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::binary_fluid {
namespace {

using test::ranks;
bool is_root() { return ranks().rank() == 0; }

// Tags of halos are below those of redistributions.
constexpr int halo_tags = 54;
enum class FaultKind { none, zeros, stale, sign };

/// What is planted, and what has been sent since it was. Only the first rank's messages are watched.
struct Planted {
  FaultKind kind = FaultKind::none;
  int tag = -1;
  std::int64_t tags_sent = 0;  // a bit for each tag
  std::map<int, int> sends;
  std::map<int, std::vector<std::byte>> previous;
  std::list<std::vector<std::byte>> replaced;  // messages that may still be under way
};
Planted planted;
constexpr int faulty_send = 2;  // the third message with the tag

const void* message_of(const void* bytes, std::size_t count, int tag) {
  if (tag >= halo_tags || !is_root()) return bytes;
  planted.tags_sent |= std::int64_t{1} << tag;
  const auto* const begin = static_cast<const std::byte*>(bytes);
  std::vector<std::byte> sent(begin, begin + count);
  const void* result = bytes;
  if (tag == planted.tag && planted.sends[tag]++ == faulty_send) {
    std::vector<std::byte>& wrong = planted.replaced.emplace_back(sent);
    if (planted.kind == FaultKind::zeros) std::fill(wrong.begin(), wrong.end(), std::byte{0});
    if (planted.kind == FaultKind::stale) {
      wrong = planted.previous.at(tag);
      wrong.resize(count);
    }
    for (std::size_t at = 0; planted.kind == FaultKind::sign && at + sizeof(double) <= count; at += sizeof(double)) {
      double value;
      std::memcpy(&value, wrong.data() + at, sizeof value);
      value = -value;
      std::memcpy(wrong.data() + at, &value, sizeof value);
    }
    result = wrong.data();
  }
  planted.previous[tag] = std::move(sent);
  return result;
}

}  // namespace
}  // namespace speedwell::binary_fluid

extern "C" int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const void* const message = speedwell::binary_fluid::message_of(bytes, static_cast<std::size_t>(count), tag);
  return PMPI_Isend(message, count, type, to, tag, comm, request);
}

namespace speedwell::binary_fluid {
namespace {

/// The state after the steps on the first rank.
State advanced(const Problem& problem, const State& start, const std::array<int, 3>& along, FaultKind kind, int tag) {
  planted = {};
  planted.kind = kind;
  planted.tag = tag;
  DistributedFluid fluid(ranks(), problem, Precision::f64, along);
  fluid.scatter(is_root() ? &start : nullptr);
  fluid.run(problem.steps);
  State state;
  fluid.gather(is_root() ? &state : nullptr);
  return state;
}

void expect_faults_to_be_found(const Problem& problem, const std::array<int, 3>& along) {
  const State start = initial(problem, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02});
  const State right = advanced(problem, start, along, FaultKind::none, -1);
  const State again = advanced(problem, start, along, FaultKind::none, -1);
  EXPECT_TRUE(again.f == right.f && again.g == right.g);
  const std::int64_t tags = ranks().broadcast(planted.tags_sent);
  EXPECT_NE(tags, 0);
  for (int tag = 0; tag < halo_tags; ++tag) {
    if ((tags >> tag & 1) == 0) continue;
    for (const FaultKind kind : {FaultKind::zeros, FaultKind::stale, FaultKind::sign}) {
      const State got = advanced(problem, start, along, kind, tag);
      if (!is_root()) continue;
      EXPECT_FALSE(got.f == right.f && got.g == right.g) << "tag " << tag << ", fault " << static_cast<int>(kind)
                                                         << ", " << along[0] << " x " << along[1] << " x " << along[2];
    }
  }
}

void expect_faults_to_be_found(const Problem& problem) {
  const int n = ranks().size();
  if (n == 1) return;  // no messages
  if (n == 8) return expect_faults_to_be_found(problem, {2, 2, 2});
  expect_faults_to_be_found(problem, {1, 1, n});
  if (n % 2 == 0 && n > 2) expect_faults_to_be_found(problem, {1, 2, n / 2});
}

constexpr Extents extents{9, 8, 10};

TEST(FaultsOfTheHalo, AreFoundInMoments) {
  for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven}) {
    Problem p{.extents = extents, .steps = 5};
    p.scheme.stencil = stencil;
    expect_faults_to_be_found(p);
  }
}

TEST(FaultsOfTheHalo, AreFoundInOneLattice) {
  for (const bool walls : {false, true}) {
    Problem p{.extents = extents, .steps = 8};
    p.scheme.collision = Collision::trt;
    p.axes[1].walls = walls;
    expect_faults_to_be_found(p);
  }
}

TEST(FaultsOfTheHalo, AreFoundWithLayers) {
  Problem p{.extents = extents, .steps = 6};
  p.fluid.energy = {.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
  p.scheme.stencil = Stencil::seven;
  expect_faults_to_be_found(p);
}

}  // namespace
}  // namespace speedwell::binary_fluid
