// RandomAccess: words of a large table, at indices given by a stream of pseudo-random words, are XORed with those
// words. The public interface on the host; gpu_solver.hpp has that of the GPU, distributed.hpp that of ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::gups {

/// The maximum table size: 2^40 words.
constexpr int max_log2_words = 40;

/// The look-ahead rule. HPC Challenge: "a process may look ahead at most 1024", and store as many updates; the field's
/// GPU codes read "thread" in place of "process".
enum class Rule {
  any,      // any number of updates may be stored
  thread,   // 1024 per thread of the machine
  process,  // 1024 per process; threads that apply an update as they generate it store none
};
std::string to_string(Rule rule);
constexpr std::int64_t max_look_ahead = 1024;

/// Updates 1 ... updates of the stream: T[x_n mod words] ^= x_n.
struct Problem {
  std::uint64_t words = 1 << 10;    // table size, a power of two
  std::uint64_t updates = 4 << 10;  // HPC Challenge: four per word
};

/// Throws std::invalid_argument for a table size that is not a power of two up to 2^40 (stating the nearest ones), and
/// for no updates or more than the period of the stream.
void require_valid(const Problem& problem);

/// Sets T[i] = i. All `threads` (at least 1) take part, so that pages are allocated near the threads.
void initialise(std::span<std::uint64_t> table, int threads);

/// Number of updates performed so far, incremented periodically for progress reports.
using ProgressCounter = std::atomic<std::uint64_t>;

/// Performs all updates of `problem` on `table` in order, each read, modified and written before the next. Throws as
/// require_valid(), and for a table of a different size.
void update_serially(const Problem& problem, std::span<std::uint64_t> table, ProgressCounter* progress = nullptr);

/// Performs all updates with `threads` threads, each with a part of the stream: words are prefetched ahead, up to 1024
/// updates per thread (per process with Rule::process), and modified atomically, so that no update is lost.
void update_atomically(const Problem& problem, std::span<std::uint64_t> table, int threads, Rule rule,
                       ProgressCounter* progress = nullptr);

/// Updates that a thread of update_atomically() generates before it applies them. Throws std::invalid_argument if
/// Rule::process leaves none to each of so many threads.
int look_ahead_per_thread(int threads, Rule rule);

/// Performs all updates with those of a batch of the stream sorted by region of the table first, so that every region
/// is updated by one thread while it is in its cache. Satisfies Rule::any only.
class RegionUpdates {
 public:
  /// Throws as update_serially(), and std::bad_alloc without bytes() of memory.
  RegionUpdates(const Problem& problem, int threads);
  void update(std::span<std::uint64_t> table, ProgressCounter* progress = nullptr);

  /// Number of updates that are sorted together and stored.
  std::uint64_t batch_size() const { return sorted_.size(); }
  /// Bytes of memory in addition to the table.
  static double bytes(const Problem& problem, int threads);

 private:
  std::uint64_t* cursors(int thread) { return cursors_.data() + pitch_ * static_cast<std::size_t>(thread); }
  void scan_counts();
  void apply_regions(std::size_t begin, std::size_t end, std::uint64_t* table) const;

  Problem problem_;
  int threads_;
  std::uint64_t mask_;
  int log2_regions_, shift_;  // from an index to its region
  std::size_t regions_, pitch_;
  core::HostBuffer<std::uint64_t> sorted_;   // updates of a batch
  core::HostBuffer<std::uint64_t> cursors_;  // of each thread's updates of each region, in lines of its own
  std::vector<std::uint64_t> ends_;          // of the updates of each region
};

}  // namespace speedwell::gups
