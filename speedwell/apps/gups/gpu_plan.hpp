// How a GPU variant divides its work, computed on the host and known without a GPU: batches of the stream, threads'
// shares of a batch, and the bins that updates wait in.
#pragma once

#include <cstdint>
#include <optional>

#include "speedwell/apps/gups/gups.hpp"

namespace speedwell::gups {

/// Where an update goes from the thread that makes it.
enum class Way {
  direct,   // to its word in memory
  windows,  // the same, of those that fall into a window of the table; the stream is made again for each window
  regions,  // to a region of the table in a block's shared memory; the stream is made again for each region
  binned,   // into a bin in memory with all others of its region, which a block later applies in shared memory
};

struct Machine {
  int multiprocessors = 132;
  int threads_of_multiprocessor = 2048;
  double free_bytes = 0;  // of memory, for the table and all else; 0: not known
};

constexpr int log2_region_words = 14;  // 128 KiB: a region's changes in shared memory
constexpr int log2_window_words = 22;  // 32 MiB: a window that stays in the second-level cache
constexpr int log2_most_bins = 11;     // of one pass of sorting
// Updates that wait in bins; twice as many where memory is known to have the room.
constexpr std::uint64_t most_batch = std::uint64_t{1} << 32;

/// How the stream is sorted: threads of a block, updates that each has at a time, and the part of the room that bins
/// are given.
struct Tuning {
  int threads = 1024;
  int each = 24;
  int blocks_of_multiprocessor = 1;
  double room = 1;  // less than 1 is for tests: the bins overflow
};

struct Plan {
  Way way = Way::direct;
  int log2_words = 0;
  std::uint64_t batch = 0;  // updates between two passes over the table; the last batch may be shorter
  std::uint64_t batches = 0;
  int blocks = 0, threads = 0;  // that make the stream
  std::uint64_t each = 0;       // updates of a thread: thread t of all has updates each t + 1 ... each (t + 1)
  std::uint64_t windows = 1;
  std::uint64_t regions = 1;  // of the table, blocks of Way::regions: `parts` for each
  int parts = 1;              // blocks that share a region's updates

  // Way::binned. Fine bins are regions. With coarse bins, updates are sorted into these first, and the coarse bins then
  // into fine ones, `group` of them at a time; without, log2_coarse is 0 and the stream is sorted into fine bins at
  // once.
  int log2_coarse = 0, log2_fine = 0;
  std::uint64_t coarse_capacity = 0, fine_capacity = 0;  // updates of a bin; what does not fit goes to memory directly
  std::uint64_t group = 1;                               // coarse bins
  Tuning tuning;

  bool coarse() const { return coarse_capacity > 0; }
  std::uint64_t coarse_bins() const { return std::uint64_t{1} << log2_coarse; }
  std::uint64_t fine_bins() const { return std::uint64_t{1} << log2_fine; }  // of a coarse one
  std::uint64_t region_words() const;
  /// Device memory for all but the table.
  double scratch_bytes() const;
};

/// Two blocks on a multiprocessor for tables in the second-level cache, where waiting costs most; one, whose longer
/// runs of a bin are worth more in memory, for larger ones.
Tuning best_tuning(const Problem& problem);

/// `problem` is valid. Rule::process is for Way::direct alone, Way::windows and Way::regions keep no update either.
/// Without a tuning, best_tuning().
Plan plan_of(Way way, const Problem& problem, Rule rule = Rule::any, const Machine& machine = {},
             const std::optional<Tuning>& tuning = {});

}  // namespace speedwell::gups
