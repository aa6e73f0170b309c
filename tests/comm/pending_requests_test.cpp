// PendingRequests on all ranks of a launch, each of which sends to the next one in a ring (one rank: to itself).
#include "speedwell/comm/pending_requests.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

int next() { return (ranks().rank() + 1) % ranks().size(); }
int previous() { return (ranks().rank() + ranks().size() - 1) % ranks().size(); }

std::vector<int> values_of(int rank, std::size_t length) {
  std::vector<int> values(length);
  std::iota(values.begin(), values.end(), 1000 * rank);
  return values;
}

class PendingRequestsOfLength : public testing::TestWithParam<std::size_t> {};

TEST_P(PendingRequestsOfLength, DeliverBothDirectionsOfARing) {
  const std::size_t length = GetParam();
  const auto up = values_of(ranks().rank(), length), down = values_of(ranks().rank() + 100, length);
  std::vector<int> from_previous(length, -1), from_next(length, -1);
  PendingRequests pending;
  EXPECT_TRUE(pending.empty());
  for (int repetition = 0; repetition < 3; ++repetition) {  // a list is used again
    pending.receive(ranks(), std::span<int>(from_previous), previous(), 0);
    pending.receive(ranks(), std::span<int>(from_next), next(), 1);
    pending.send(ranks(), std::span<const int>(up), next(), 0);
    pending.add(ranks().start_send(std::span<const int>(down), previous(), 1));
    EXPECT_FALSE(pending.empty());
    pending.wait_all();
    EXPECT_TRUE(pending.empty());
    EXPECT_EQ(from_previous, values_of(previous(), length));
    EXPECT_EQ(from_next, values_of(next() + 100, length));
    from_previous.assign(length, -1);
    from_next.assign(length, -1);
  }
}

TEST_P(PendingRequestsOfLength, ProgressTellsWhenAllHaveCompleted) {
  const auto out = values_of(ranks().rank(), GetParam());
  std::vector<int> in(out.size(), -1);
  PendingRequests pending;
  EXPECT_TRUE(pending.progress()) << "nothing is in transfer";
  pending.receive(ranks(), std::span<int>(in), previous());
  EXPECT_FALSE(pending.progress()) << "its sender waits in the barrier";
  ranks().barrier();
  pending.send(ranks(), std::span<const int>(out), next());
  while (!pending.progress()) {
  }
  EXPECT_EQ(in, values_of(previous(), out.size()));
  EXPECT_FALSE(pending.empty()) << "until it is waited for";
  pending.wait_all();
}

TEST_P(PendingRequestsOfLength, DestructorWaits) {
  const auto out = values_of(ranks().rank(), GetParam());
  std::vector<int> in(out.size(), -1);
  {
    PendingRequests first;
    first.receive(ranks(), std::span<int>(in), previous());
    first.send(ranks(), std::span<const int>(out), next());
    const PendingRequests moved(std::move(first));
    EXPECT_FALSE(moved.empty());
  }
  EXPECT_EQ(in, values_of(previous(), out.size()));
}

// Short messages are stored by MPI at once, long ones when the receiver asks for them.
INSTANTIATE_TEST_SUITE_P(Sizes, PendingRequestsOfLength, testing::Values(0, 1, 100, 1'000'000));

// MPI fails for a message that is longer than its receiver's span.
class PendingRequestsThatFail : public testing::Test {
 protected:
  void start(PendingRequests& pending) {
    pending.receive(ranks(), std::span<int>(too_short_), previous(), 0);
    pending.receive(ranks(), std::span<int>(enough_), previous(), 1);
    pending.send(ranks(), std::span<const int>(out_), next(), 0);
    pending.send(ranks(), std::span<const int>(out_), next(), 1);
  }

  std::vector<int> out_ = values_of(ranks().rank(), 8), too_short_ = std::vector<int>(4, -1),
                   enough_ = std::vector<int>(8, -1);
};

TEST_F(PendingRequestsThatFail, ThrowAndKeepTheOthers) {
  PendingRequests pending;
  start(pending);
  EXPECT_THROW(pending.wait_all(), core::DeviceError);
  EXPECT_FALSE(pending.empty());
  pending.wait_all();  // the request that failed has ended
  EXPECT_EQ(enough_, values_of(previous(), 8));
}

TEST_F(PendingRequestsThatFail, DoNotLeaveTheDestructor) {
  {
    PendingRequests pending;
    start(pending);
  }
  // The destructor gave the message of tag 1 up; it arrives all the same, before a second one of this tag.
  std::vector<int> second(8, -1);
  const auto answer = values_of(ranks().rank() + 100, 8);
  PendingRequests pending;
  pending.receive(ranks(), std::span<int>(second), previous(), 1);
  pending.send(ranks(), std::span<const int>(answer), next(), 1);
  pending.wait_all();
  EXPECT_EQ(second, values_of(previous() + 100, 8));
}

TEST(PendingRequests, AreNotWaitedForWhenAnExceptionEndsTheJob) {
  int late = 0;
  const int value = 1000 + ranks().rank();
  const auto fail = [&] {
    PendingRequests pending;
    pending.receive(ranks(), std::span<int>(&late, 1), previous(), 2);
    throw std::runtime_error("this rank fails");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(late, 0);
  // The message is sent after all, and overtakes none of its tag, so that MPI does not write to memory of another test.
  int second = 0;
  PendingRequests pending;
  pending.receive(ranks(), std::span<int>(&second, 1), previous(), 2);
  for (int n = 0; n < 2; ++n) pending.send(ranks(), std::span<const int>(&value, 1), next(), 2);
  pending.wait_all();
  EXPECT_EQ(second, 1000 + previous());
}

}  // namespace
}  // namespace speedwell::comm
