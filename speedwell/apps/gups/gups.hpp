// RandomAccess: words of a large table, at places that a stream of pseudo-random words names, are XORed with those
// words. The public interface on the host; the GPU's is in gpu_solver.hpp, that of ranks in distributed.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::gups {

/// The most words of a table: 2^40.
constexpr int most_log2_words = 40;

/// What may be done ahead of its turn. HPC Challenge: "a process may look ahead at most 1024", and store as many
/// updates; the GPU codes of the field read "thread" in place of "process".
enum class Rule {
  any,      // any number of updates may wait
  thread,   // 1024 for each thread of the machine
  process,  // 1024 in a process; threads that apply an update as they make it have none that waits
};
std::string to_string(Rule rule);
constexpr std::int64_t most_ahead = 1024;

/// Updates 1 ... updates of the stream: T[x_n mod words] ^= x_n.
struct Problem {
  std::uint64_t words = 1 << 10;    // of the table: a power of two
  std::uint64_t updates = 4 << 10;  // HPC Challenge: four for each word
};

/// Throws std::invalid_argument for words that are not a power of two up to 2^40 (saying which ones are near), and for
/// no updates or more than the stream's period.
void require_valid(const Problem& problem);

/// T[i] = i. All `threads` (at least 1) take part, so that pages lie near the threads.
void initialise(std::span<std::uint64_t> table, int threads);

/// Updates that have been made so far, for somebody who watches: added to now and then.
using SoFar = std::atomic<std::uint64_t>;

/// All updates of `problem` on `table`, which has its words, in their order, each read, changed and written before the
/// next. Throws as require_valid(), and for another number of words.
void update_serially(const Problem& problem, std::span<std::uint64_t> table, SoFar* so_far = nullptr);

/// The same on `threads` threads, each with a part of the stream: words are asked for ahead, 1024 updates of a thread
/// at a time (of a process: with Rule::process), and changed atomically, so that no update is lost.
void update_atomically(const Problem& problem, std::span<std::uint64_t> table, int threads, Rule rule,
                       SoFar* so_far = nullptr);

/// Updates that one of the threads makes there before it applies them. Throws std::invalid_argument where Rule::process
/// leaves each of so many threads none.
int ahead_of_thread(int threads, Rule rule);

/// The same with the updates of a stretch of the stream sorted by region of the table first, so that every region is
/// changed by one thread while it lies in its cache. Satisfies Rule::any alone.
class RegionUpdates {
 public:
  /// Throws as update_serially() does, and std::bad_alloc without bytes() of memory.
  RegionUpdates(const Problem& problem, int threads);
  void update(std::span<std::uint64_t> table, SoFar* so_far = nullptr);

  /// Updates that are sorted together, and wait.
  std::uint64_t stretch() const { return sorted_.size(); }
  /// What it takes besides the table.
  static double bytes(const Problem& problem, int threads);

 private:
  void count(std::uint64_t first, std::uint64_t last, std::uint64_t* counts) const;
  void make_room();
  void sort(std::uint64_t first, std::uint64_t last, std::uint64_t* cursors);
  void apply(std::size_t region, std::uint64_t* table) const;
  std::uint64_t region_of(std::uint64_t x) const { return (x & mask_) >> shift_; }

  Problem problem_;
  int threads_;
  std::uint64_t mask_;
  int log2_regions_, shift_;  // from a place to its region
  std::size_t regions_;
  core::HostBuffer<std::uint64_t> sorted_;     // a stretch's updates
  std::vector<std::uint64_t> cursors_, ends_;  // of a thread's updates of a region; of a region
};

}  // namespace speedwell::gups
