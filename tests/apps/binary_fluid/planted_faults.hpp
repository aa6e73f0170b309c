// Faults in the messages of distributed steps: zeros instead of a face, an edge or a corner of the halo, the values of
// the message before, the wrong sign. They are planted where messages are sent, in MPI_Isend, which MPI lets a program
// replace (planted_faults.cpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::binary_fluid::test_faults {

enum class Kind { none, zeros, stale, sign };

/// Tags of halos are below those of redistributions.
constexpr int halo_tags = 54;

/// From now on, the third message of doubles with this tag from the first rank has the fault.
void plant(Kind kind, int tag);
/// The tags of the halo with which the first rank has sent since then: a bit for each.
std::int64_t tags_sent();

/// advanced(kind, tag) is the state of the first rank after the steps with a fault. Expects that each message is
/// needed.
inline void expect_to_be_found(const std::function<State(Kind, int)>& advanced, const std::string& what) {
  const State right = advanced(Kind::none, -1), again = advanced(Kind::none, -1);
  EXPECT_TRUE(again.f == right.f && again.g == right.g);
  const std::int64_t tags = test::ranks().broadcast(tags_sent());
  EXPECT_NE(tags, 0);
  for (int tag = 0; tag < halo_tags; ++tag) {
    if ((tags >> tag & 1) == 0) continue;
    for (const Kind kind : {Kind::zeros, Kind::stale, Kind::sign}) {
      const State got = advanced(kind, tag);
      if (test::ranks().rank() != 0) continue;
      EXPECT_FALSE(got.f == right.f && got.g == right.g)
          << "tag " << tag << ", fault " << static_cast<int>(kind) << ", " << what;
    }
  }
}

}  // namespace speedwell::binary_fluid::test_faults
