// Work division of the GPU variants, computed on the host without a GPU: batches of the stream, shares of threads, and
// the bins in which updates are collected.
#pragma once

#include <cstdint>
#include <optional>

#include "speedwell/apps/gups/gups.hpp"

namespace speedwell::gups {

/// Method of applying updates.
enum class Method {
  direct,   // an atomic operation on its word in memory
  windows,  // the same, restricted to a window of the table; the stream is regenerated for each window
  regions,  // in a block's shared memory, for one region of the table; the stream is regenerated for each region
  binned,   // collected in a bin per region in memory, which a block then applies in shared memory
  parts,    // the same for one part of the table after another, for each of which the stream's words are found by jumps
};

struct Machine {
  int multiprocessors = 132;
  int threads_of_multiprocessor = 2048;
  double free_bytes = 0;  // free device memory for table and workspace; 0: unknown
};

constexpr int log2_region_words = 14;  // 128 KiB: the accumulated updates of a region in shared memory
constexpr int log2_window_words = 22;  // 32 MiB: a window that stays in the second-level cache
constexpr int log2_max_bins = 11;      // of one partitioning pass
constexpr int log2_max_parts = 6;      // of a table on one GPU: words of a part are then rarer than a jump is long
// Maximum number of updates in bins; twice as many if the device memory permits.
constexpr std::uint64_t max_batch = std::uint64_t{1} << 32;

/// Configuration of the partitioning: threads per block, updates per thread of a tile, and the fraction of the computed
/// capacity that bins are given.
struct Tuning {
  int threads = 1024;
  int updates_per_thread = 24;
  int blocks_of_multiprocessor = 1;
  double capacity_fraction = 1;  // less than 1 is for tests of overflowing bins
};

/// Parts of a table of 2^log2_parts parts of equal size, `count` from `first` on.
struct Parts {
  int log2_parts = 0;
  std::uint64_t first = 0, count = 1;
};
/// The parts of rank `rank` of `ranks`, each of which has consecutive parts: as many as the others for a number of
/// ranks that is a power of two, else about 1/16 more or less. None for some ranks if the table has fewer words.
Parts parts_of_rank(const Problem& problem, int ranks, int rank);

struct Plan {
  Method method = Method::direct;
  int log2_words = 0;       // of the whole table
  Parts parts;              // those that are updated
  std::uint64_t batch = 0;  // words of the stream between two passes over the table; the last batch may be shorter
  std::uint64_t batches = 0;
  int blocks = 0, threads = 0;           // of the kernels that generate the stream
  std::uint64_t updates_per_thread = 0;  // global thread t has updates u t + 1 ... u (t + 1) for u updates per thread
  std::uint64_t windows = 1;
  std::uint64_t regions = 1;  // of the table; Method::regions has `blocks_per_region` blocks for each
  int blocks_per_region = 1;  // blocks that share the updates of a region

  // Method::binned and Method::parts. Fine bins are regions. With coarse bins, updates are first partitioned into
  // these, and the coarse bins then into fine ones, `coarse_group` of them at a time; otherwise log2_coarse is 0 and
  // the stream is partitioned directly into fine bins.
  int log2_coarse = 0, log2_fine = 0;
  std::uint64_t coarse_capacity = 0,
                fine_capacity = 0;  // updates per bin; overflowing updates are applied directly to memory
  std::uint64_t coarse_group = 1;   // coarse bins
  int multiprocessors = 1;          // one block of each updates regions in turn, if these are many
  Tuning tuning;

  bool coarse() const { return coarse_capacity > 0; }
  std::uint64_t coarse_bins() const { return std::uint64_t{1} << log2_coarse; }
  std::uint64_t fine_bins() const { return std::uint64_t{1} << log2_fine; }  // per coarse bin
  bool is_binned() const { return method == Method::binned || method == Method::parts; }
  int log2_part_words() const { return log2_words - parts.log2_parts; }
  std::uint64_t words() const { return parts.count << log2_part_words(); }  // of the parts that are updated
  std::uint64_t region_words() const;
  /// Updates of a part that a batch has in the mean, which are stored.
  std::uint64_t stored_updates() const;
  /// Bytes of device memory of the workspace, without the table.
  double scratch_bytes() const;
};

/// Two blocks per multiprocessor for tables in the second-level cache, where latency dominates; one, with longer runs
/// per bin, for larger tables in memory.
Tuning best_tuning(const Problem& problem);

/// `problem` must be valid. Rule::process permits Method::direct only; Method::windows and Method::regions store no
/// update, either. Without a tuning, best_tuning() is used. Method::parts divides the table into parts whose regions
/// fit one partitioning pass.
Plan plan_of(Method method, const Problem& problem, Rule rule = Rule::any, const Machine& machine = {},
             const std::optional<Tuning>& tuning = {});
/// Method::parts of `parts` only. Throws std::invalid_argument for none.
Plan plan_of(const Parts& parts, const Problem& problem, Rule rule = Rule::any, const Machine& machine = {},
             const std::optional<Tuning>& tuning = {});

}  // namespace speedwell::gups
