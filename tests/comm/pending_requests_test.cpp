// PendingRequests on all ranks of a launch, each of which sends to the next one in a ring (one rank: to itself).
#include "speedwell/comm/pending_requests.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

int calls_of_wait = 0;
int failing_call = 0;  // the number of the call of MPI_Waitall that fails, from 1 on; 0: none

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

// The first call of MPI_Waitall fails.
class PendingRequestsThatFail : public testing::Test {
 protected:
  void start(PendingRequests& pending) {
    for (std::size_t i = 0; i < in_.size(); ++i)
      pending.receive(ranks(), std::span<int>(&in_[i], 1), previous(), static_cast<int>(i));
    for (std::size_t i = 0; i < out_.size(); ++i)
      pending.send(ranks(), std::span<const int>(&out_[i], 1), next(), static_cast<int>(i));
    calls_of_wait = 0;
    failing_call = 1;
  }
  ~PendingRequestsThatFail() override { failing_call = 0; }

  std::vector<int> out_ = values_of(ranks().rank(), 3), in_ = std::vector<int>(3, -1);
};

TEST_F(PendingRequestsThatFail, ThrowAndKeepTheOthers) {
  PendingRequests pending;
  start(pending);
  EXPECT_THROW(pending.wait_all(), core::DeviceError);
  EXPECT_EQ(calls_of_wait, 1);
  EXPECT_FALSE(pending.empty());
  pending.wait_all();
  EXPECT_EQ(calls_of_wait, 6) << "the five requests after the first";
  EXPECT_EQ(in_, values_of(previous(), 3));
}

TEST_F(PendingRequestsThatFail, AreGivenUpByTheDestructor) {
  {
    PendingRequests pending;
    start(pending);
  }
  EXPECT_EQ(calls_of_wait, 1);
  // The messages arrive all the same, each before a second one of its tag.
  failing_call = 0;
  std::vector<int> second(3, -1);
  PendingRequests pending;
  for (std::size_t i = 0; i < second.size(); ++i) {
    pending.receive(ranks(), std::span<int>(&second[i], 1), previous(), static_cast<int>(i));
    pending.send(ranks(), std::span<const int>(&out_[i], 1), next(), static_cast<int>(i));
  }
  pending.wait_all();
  EXPECT_EQ(in_, values_of(previous(), 3));
  EXPECT_EQ(second, values_of(previous(), 3));
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
  ranks().barrier();
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

// MPI's own profiling interface: every wait of the program comes here. The one that fails has waited.
extern "C" int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const int status = PMPI_Waitall(count, requests, statuses);
  return ++speedwell::comm::calls_of_wait == speedwell::comm::failing_call ? MPI_ERR_OTHER : status;
}
