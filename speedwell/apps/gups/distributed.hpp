// The distributed table: each rank holds a block of it and generates a part of the stream. Updates of other ranks'
// words are collected in one bucket per rank until one is full; then all buckets are sent, and those of the preceding
// round are applied during the communication. An update is represented by the word of the stream only, from which the
// receiver computes the index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::gups {

/// Block distribution of a table over `ranks` ranks: equal sizes, except that the first blocks may be longer by one
/// word.
class Blocks {
 public:
  Blocks(std::uint64_t words, int ranks);
  std::uint64_t begin(int rank) const;
  std::uint64_t size(int rank) const;
  int owner(std::uint64_t index) const {
    if (shift_ >= 0) return static_cast<int>(index >> shift_);
    return static_cast<int>(index < long_words_ ? index / (short_size_ + 1) : (index - num_long_) / short_size_);
  }

 private:
  std::uint64_t short_size_, num_long_,
      long_words_;  // size of a short block, number of long blocks, words of all long blocks
  int shift_ = -1;  // log2 of the block size if all blocks are an equal power of two
};

/// Capacity of a bucket in updates. With Rule::any as many as make long messages; with Rule::process (or Rule::thread,
/// which is equivalent for ranks of one thread) so few that all buckets being filled or in transit hold at most 1024
/// updates. Throws std::invalid_argument for more ranks than that permits.
std::int64_t bucket_capacity(const Problem& problem, int ranks, Rule rule);

/// One rank's part of the table. All members are collective.
class DistributedTable {
 public:
  /// Throws as require_valid() and bucket_capacity(), and std::bad_alloc. `ranks` must outlive the object.
  DistributedTable(const comm::Communicator& ranks, const Problem& problem, Rule rule = Rule::any);

  /// Sets T[i] = i.
  void initialise();
  /// Performs all updates of all ranks.
  void update();
  /// Collects the whole table on rank 0; on other ranks `whole` may be empty.
  void gather(std::span<std::uint64_t> whole) const;

  std::int64_t capacity() const { return capacity_; }
  std::int64_t rounds() const { return rounds_; }  // of the last update()

 private:
  struct StreamSegment;
  std::uint64_t* bucket(core::HostBuffer<std::uint64_t>& buffer, int rank) const;
  bool fill(StreamSegment& segment, core::HostBuffer<std::uint64_t>& buckets) const;
  void apply(const std::uint64_t* bucket);

  const comm::Communicator& ranks_;
  Problem problem_;
  Blocks blocks_;
  std::int64_t capacity_, rounds_ = 0;
  core::HostBuffer<std::uint64_t> block_, outgoing_[2], incoming_[2];  // double-buffered
};

}  // namespace speedwell::gups
