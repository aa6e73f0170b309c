#include "speedwell/apps/gups/distributed.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/stream.hpp"
#include "speedwell/comm/pending_requests.hpp"

namespace speedwell::gups {
namespace {

constexpr std::int64_t max_bucket = 16384;  // words: messages of 128 KiB

// Format of a bucket in a message: a header word with the number of updates and a flag whether its sender has no more,
// then the updates.
constexpr std::uint64_t last_bit = std::uint64_t{1} << 63;
std::uint64_t count_of(std::uint64_t head) { return head & ~last_bit; }

const Problem& valid(const Problem& problem) {
  require_valid(problem);
  return problem;
}

}  // namespace

Blocks::Blocks(std::uint64_t words, int ranks)
    : short_size_(words / static_cast<std::uint64_t>(ranks)),
      num_long_(words % static_cast<std::uint64_t>(ranks)),
      long_words_((short_size_ + 1) * num_long_) {
  if (num_long_ == 0 && std::has_single_bit(short_size_)) shift_ = std::countr_zero(short_size_);
}

std::uint64_t Blocks::begin(int rank) const {
  const auto r = static_cast<std::uint64_t>(rank);
  return short_size_ * r + std::min(r, num_long_);
}

std::uint64_t Blocks::size(int rank) const { return short_size_ + (static_cast<std::uint64_t>(rank) < num_long_); }

std::int64_t bucket_capacity(const Problem& problem, int ranks, Rule rule) {
  if (rule == Rule::any)
    return static_cast<std::int64_t>(std::clamp<std::uint64_t>(problem.updates / static_cast<std::uint64_t>(ranks), 64,
                                                               static_cast<std::uint64_t>(max_bucket)));
  // The buckets of this round, and those that are in transit to others.
  const std::int64_t capacity = max_look_ahead / (2 * ranks - 1);
  if (capacity < 1)
    throw std::invalid_argument("gups: " + std::to_string(ranks) +
                                " ranks; with 1024 stored updates per process "
                                "the maximum is " +
                                std::to_string((max_look_ahead + 1) / 2));
  return capacity;
}

/// The remaining part of a rank's stream.
struct DistributedTable::StreamSegment {
  std::uint64_t x, left;
};

DistributedTable::DistributedTable(const comm::Communicator& ranks, const Problem& problem, Rule rule)
    : ranks_(ranks),
      problem_(valid(problem)),
      blocks_(problem.words, ranks.size()),
      capacity_(bucket_capacity(problem, ranks.size(), rule)),
      block_(blocks_.size(ranks.rank()), core::Pages::large) {
  const std::size_t words = static_cast<std::size_t>(ranks.size()) * static_cast<std::size_t>(capacity_ + 1);
  for (auto* buffers : {&outgoing_, &incoming_})
    for (auto& buffer : *buffers) buffer = core::HostBuffer<std::uint64_t>(words);
}

std::uint64_t* DistributedTable::bucket(core::HostBuffer<std::uint64_t>& buffer, int rank) const {
  return buffer.data() + rank * (capacity_ + 1);
}

void DistributedTable::initialise() {
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = blocks_.begin(ranks_.rank()) + i;
}

// Generates updates until a bucket is full or the stream ends; returns true in the latter case.
bool DistributedTable::fill(StreamSegment& segment, core::HostBuffer<std::uint64_t>& buckets) const {
  for (int r = 0; r < ranks_.size(); ++r) *bucket(buckets, r) = 0;
  const std::uint64_t mask = problem_.words - 1;
  while (segment.left > 0) {
    segment.x = next(segment.x);
    --segment.left;
    std::uint64_t* const to = bucket(buckets, blocks_.owner(segment.x & mask));
    to[++*to] = segment.x;
    if (*to == static_cast<std::uint64_t>(capacity_)) break;
  }
  if (segment.left > 0) return false;
  for (int r = 0; r < ranks_.size(); ++r) *bucket(buckets, r) |= last_bit;
  return true;
}

void DistributedTable::apply(const std::uint64_t* bucket) {
  constexpr std::uint64_t ahead = 32;
  const std::uint64_t mask = problem_.words - 1, begin = blocks_.begin(ranks_.rank()), count = count_of(*bucket);
  const std::uint64_t* const updates = bucket + 1;
  for (std::uint64_t i = 0; i < std::min(ahead, count); ++i)
    __builtin_prefetch(&block_[(updates[i] & mask) - begin], 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i + ahead < count) __builtin_prefetch(&block_[(updates[i + ahead] & mask) - begin], 1);
    block_[(updates[i] & mask) - begin] ^= updates[i];
  }
}

void DistributedTable::update() {
  const int rank = ranks_.rank(), size = ranks_.size();
  const StreamRange part = stream_range(problem_.updates, size, rank);
  StreamSegment segment{word(part.first), part.last - part.first};
  const auto length = static_cast<std::size_t>(capacity_ + 1);
  comm::PendingRequests sends[2], receives[2];
  bool exhausted[2] = {};  // whether this rank had no more updates after a round
  // Applies the buckets received in a round; returns true if no rank has more updates.
  const auto finish = [&](int round) {
    receives[round].wait_all();
    bool all_exhausted = exhausted[round];
    for (int r = 0; r < size; ++r) {
      if (r == rank) continue;
      const std::uint64_t* const received = bucket(incoming_[round], r);
      apply(received);
      all_exhausted = all_exhausted && (*received & last_bit) != 0;
    }
    sends[round].wait_all();
    return all_exhausted;
  };
  for (rounds_ = 0;; ++rounds_) {
    const int now = static_cast<int>(rounds_ % 2);
    for (int r = 0; r < size; ++r)
      if (r != rank) receives[now].receive(ranks_, std::span<std::uint64_t>(bucket(incoming_[now], r), length), r, now);
    exhausted[now] = fill(segment, outgoing_[now]);
    for (int r = 0; r < size; ++r)
      if (r != rank) sends[now].send(ranks_, std::span<const std::uint64_t>(bucket(outgoing_[now], r), length), r, now);
    apply(bucket(outgoing_[now], rank));
    // All ranks receive the same flags of a round and hence leave together; the buckets of this round are empty then.
    if (rounds_ > 0 && finish(1 - now)) {
      finish(now);
      return;
    }
  }
}

void DistributedTable::gather(std::span<std::uint64_t> whole) const {
  if (ranks_.rank() > 0) {
    if (block_.size() > 0) ranks_.send(block_.span(), 0);
    return;
  }
  if (whole.size() != problem_.words)
    throw std::invalid_argument("gups: a table of " + std::to_string(whole.size()) + " words, the problem has " +
                                std::to_string(problem_.words));
  std::copy(block_.begin(), block_.end(), whole.begin());
  for (int r = 1; r < ranks_.size(); ++r)
    if (blocks_.size(r) > 0) ranks_.receive(whole.subspan(blocks_.begin(r), blocks_.size(r)), r);
}

}  // namespace speedwell::gups
