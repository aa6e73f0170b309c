// The order of sampled transforms on several GPUs: whatever the order in which ranks and streams come, no slab is
// overwritten that is still needed, and no rank waits forever.
#include "speedwell/numerics/fft/ranks/sample_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace speedwell::fft::gpu {
namespace {

enum class Streams { two, one };

/// The work of all ranks, of which one operation after another begins or ends in a random order.
class Simulation {
 public:
  using Edit = std::function<bool(const SampleOperation&)>;  // whether an operation is kept

  Simulation(int ranks, const std::vector<TransformNumber>& calls, Streams streams, unsigned seed, const Edit& kept)
      : random_(seed), ranks_(static_cast<std::size_t>(ranks)) {
    for (Rank& rank : ranks_) {
      rank.content[0].assign(ranks_.size(), 0);
      rank.content[1] = rank.content[0];
      TransformNumber done = 0;
      for (int call = 0; call < static_cast<int>(calls.size()); ++call) {
        const auto queue = [&](bool on_link) -> std::vector<Item>& {
          return rank.queue[on_link && streams == Streams::two ? 1 : 0];
        };
        queue(false).push_back({Item::Kind::use_work_space, {}, call});
        queue(false).push_back({Item::Kind::begin_call, {}, call});
        queue(true).push_back({Item::Kind::wait_for_begin, {}, call});
        for (const SampleOperation& operation : sample_schedule(done, calls[static_cast<std::size_t>(call)]))
          if (kept(operation)) queue(is_on_link(operation.action)).push_back({Item::Kind::operation, operation, call});
        queue(true).push_back({Item::Kind::end_link, {}, call});
        queue(false).push_back({Item::Kind::wait_for_link, {}, call});
        done += calls[static_cast<std::size_t>(call)];
      }
      rank.last = done;
    }
  }

  /// What went wrong; empty if nothing did.
  std::string run() {
    while (error_.empty()) {
      std::vector<std::pair<Rank*, int>> ready;
      bool is_finished = true;
      for (Rank& rank : ranks_)
        for (int q = 0; q < 2; ++q) {
          if (rank.at[q] < rank.queue[q].size()) {
            is_finished = false;
            if (rank.is_running[q] || can_begin(rank, rank.queue[q][rank.at[q]])) ready.emplace_back(&rank, q);
          }
        }
      if (is_finished) break;
      if (ready.empty()) return "all wait";
      const auto [rank, q] = ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(random_)];
      advance(*rank, q);
    }
    for (const Rank& rank : ranks_)
      if (error_.empty() && rank.transformed != rank.last) return "transforms are missing";
    return error_;
  }

 private:
  struct Item {
    enum class Kind { use_work_space, begin_call, wait_for_begin, operation, end_link, wait_for_link } kind;
    SampleOperation operation;
    int call;
  };
  struct Rank {
    std::vector<Item> queue[2];
    std::size_t at[2] = {};
    bool is_running[2] = {};
    TransformNumber stored = 0, free = 0;       // what it has told
    std::vector<TransformNumber> content[2];    // of each slab: the transform of which a sender's columns are there
    std::optional<TransformNumber> storing;     // under way, into the slabs of all
    std::optional<TransformNumber> reading;     // under way, of its own slab
    TransformNumber transformed = 0, last = 0;  // the latest transform that is finished, and that of all calls
    int begun_calls = 0, ended_links = 0;
  };

  bool can_begin(const Rank& rank, const Item& item) const {
    const auto all = [&](const auto& holds) { return std::all_of(ranks_.begin(), ranks_.end(), holds); };
    switch (item.kind) {
      case Item::Kind::wait_for_begin:
        return rank.begun_calls > item.call;
      case Item::Kind::wait_for_link:
        return rank.ended_links > item.call;
      case Item::Kind::operation:
        if (item.operation.action == SampleAction::wait_until_free)
          return all([&](const Rank& r) { return r.free >= item.operation.number; });
        if (item.operation.action == SampleAction::wait_until_stored)
          return all([&](const Rank& r) { return r.stored >= item.operation.number; });
        return true;
      default:
        return true;
    }
  }
  void fail_if(bool wrong, const char* what) {
    if (wrong && error_.empty()) error_ = what;
  }
  bool is_being_overwritten(int slab) const {
    return std::any_of(ranks_.begin(), ranks_.end(),
                       [&](const Rank& r) { return r.storing && slab_of_transform(*r.storing) == slab; });
  }
  /// Begins the operation at the head of a queue, or ends it if it takes time and has begun.
  void advance(Rank& rank, int q) {
    const Item& item = rank.queue[q][rank.at[q]];
    const bool takes_time =
        item.kind == Item::Kind::operation && (item.operation.action == SampleAction::store_columns ||
                                               item.operation.action == SampleAction::transform_planes);
    if (takes_time && !rank.is_running[q]) {
      begin(rank, item.operation);
      rank.is_running[q] = true;
      return;
    }
    end(rank, item);
    rank.is_running[q] = false;
    ++rank.at[q];
  }
  void begin(Rank& rank, const SampleOperation& operation) {
    const TransformNumber number = operation.number;
    const int slab = slab_of_transform(number);
    if (operation.action == SampleAction::store_columns) {
      for (const Rank& receiver : ranks_) {
        fail_if(receiver.transformed + 2 < number, "a slab is overwritten before it has been read");
        fail_if(receiver.reading && slab_of_transform(*receiver.reading) == slab, "a slab is overwritten and read");
      }
      rank.storing = number;
    } else {
      for (const TransformNumber from : rank.content[slab]) fail_if(from != number, "columns have not arrived");
      fail_if(is_being_overwritten(slab), "a slab is read while it is overwritten");
      rank.reading = number;
    }
  }
  void end(Rank& rank, const Item& item) {
    const TransformNumber number = item.operation.number;
    const auto sender = static_cast<std::size_t>(&rank - ranks_.data());
    switch (item.kind) {
      case Item::Kind::use_work_space:
        fail_if(is_being_overwritten(0), "work space is overwritten");
        for (TransformNumber& from : rank.content[0]) from = 0;
        return;
      case Item::Kind::begin_call:
        ++rank.begun_calls;
        return;
      case Item::Kind::end_link:
        ++rank.ended_links;
        return;
      case Item::Kind::operation:
        break;
      default:
        return;
    }
    switch (item.operation.action) {
      case SampleAction::tell_free:
        fail_if(number < rank.free, "a number falls");
        rank.free = number;
        return;
      case SampleAction::tell_stored:
        fail_if(number < rank.stored, "a number falls");
        rank.stored = number;
        return;
      case SampleAction::store_columns:
        for (Rank& receiver : ranks_) receiver.content[slab_of_transform(number)][sender] = number;
        rank.storing.reset();
        return;
      case SampleAction::transform_planes:
        fail_if(is_being_overwritten(slab_of_transform(number)), "a slab was overwritten while it was read");
        rank.transformed = number;
        rank.reading.reset();
        return;
      default:
        return;
    }
  }

  std::mt19937 random_;
  std::vector<Rank> ranks_;
  std::string error_;
};

bool all_operations(const SampleOperation&) { return true; }

// Calls of no transform, of one and of as many as slabs; several calls, between which the caller uses a slab.
TEST(SampleSchedule, IsSafeInEveryOrderOfRanksAndStreams) {
  for (const int ranks : {1, 2, 3, 5})
    for (const std::vector<TransformNumber>& calls :
         {std::vector<TransformNumber>{1}, {2}, {3}, {0}, {7}, {1, 1, 1, 1}, {3, 2, 0, 1, 4}})
      for (const Streams streams : {Streams::two, Streams::one})
        for (unsigned seed = 0; seed < 100; ++seed)
          ASSERT_EQ(Simulation(ranks, calls, streams, seed, all_operations).run(), "")
              << ranks << " ranks, call of " << calls.front() << ", seed " << seed;
}

// The simulation sees what each number is for: without it something goes wrong in some order.
TEST(SampleSchedule, NeedsEachOfItsNumbers) {
  using enum SampleAction;
  for (const SampleAction left_out : {wait_until_free, wait_until_stored, tell_free, tell_stored}) {
    int failures = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const auto kept = [&](const SampleOperation& o) { return o.action != left_out; };
      failures += !Simulation(3, {3, 3}, Streams::two, seed, kept).run().empty();
    }
    EXPECT_GT(failures, 0) << static_cast<int>(left_out);
  }
}

// Otherwise the link would be idle while planes are transformed: the columns of a transform are stored before the
// planes of the one before are waited for.
TEST(SampleSchedule, StoresTheNextColumnsBesideTheTransformOfPlanes) {
  const std::vector<SampleOperation> all = sample_schedule(4, 3);
  std::vector<TransformNumber> order;
  for (const SampleOperation& o : all)
    if (o.action == SampleAction::store_columns || o.action == SampleAction::transform_planes)
      order.push_back(o.number);
  EXPECT_EQ(order, (std::vector<TransformNumber>{5, 6, 5, 7, 6, 7}));
  EXPECT_NE(slab_of_transform(5), slab_of_transform(6));
}

}  // namespace
}  // namespace speedwell::fft::gpu
