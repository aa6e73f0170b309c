// The table on ranks: each holds a block of it and makes a part of the stream. Updates of other ranks' words wait in a
// bucket for each rank until one is full; then all buckets travel, and those of the round before are applied while they
// do. An update is the word of the stream alone: who receives it finds its place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::gups {

/// The blocks of a table on `ranks` ranks: as long as each other but for one word, the longer ones first.
class Blocks {
 public:
  Blocks(std::uint64_t words, int ranks);
  std::uint64_t begin(int rank) const;
  std::uint64_t size(int rank) const;
  int owner(std::uint64_t place) const {
    if (shift_ >= 0) return static_cast<int>(place >> shift_);
    return static_cast<int>(place < top_ ? place / (least_ + 1) : (place - longer_) / least_);
  }

 private:
  std::uint64_t least_, longer_, top_;  // words of a short block, blocks with one more, words of these together
  int shift_ = -1;                      // where blocks have a power of two
};

/// Updates that a bucket holds. With Rule::any as many as make messages long; with Rule::process, which Rule::thread is
/// on ranks of one thread, so few that all buckets, those that are filled and those under way, hold at most 1024.
/// Throws std::invalid_argument where there are more ranks than that allows.
std::int64_t bucket_capacity(const Problem& problem, int ranks, Rule rule);

/// One rank's part. All of it is collective.
class DistributedTable {
 public:
  /// Throws as require_valid() and bucket_capacity(), and std::bad_alloc. `ranks` outlives the object.
  DistributedTable(const comm::Communicator& ranks, const Problem& problem, Rule rule = Rule::any);

  /// T[i] = i.
  void initialise();
  /// All updates of all ranks.
  void update();
  /// The whole table, on rank 0; elsewhere `whole` may be empty.
  void gather(std::span<std::uint64_t> whole) const;

  std::int64_t capacity() const { return capacity_; }
  std::int64_t rounds() const { return rounds_; }  // of the last update()

 private:
  struct Stretch;
  std::uint64_t* bucket(core::HostBuffer<std::uint64_t>& buffer, int rank) const;
  bool fill(Stretch& stretch, core::HostBuffer<std::uint64_t>& buckets) const;
  void apply(const std::uint64_t* bucket);

  const comm::Communicator& ranks_;
  Problem problem_;
  Blocks blocks_;
  std::int64_t capacity_, rounds_ = 0;
  core::HostBuffer<std::uint64_t> block_, outgoing_[2], incoming_[2];  // of two rounds
};

}  // namespace speedwell::gups
