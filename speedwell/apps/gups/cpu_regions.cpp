// Multithreaded updates sorted by region: a batch of the stream is generated twice, first to count the updates of each
// region, then to write them grouped by region; then each region is updated by one thread that holds it in its cache.
// Updates are transferred from and to memory as long runs, and the table once per batch.
#include <algorithm>
#include <bit>
#include <utility>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/cpu_sort.hpp"
#include "speedwell/apps/gups/stream.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::gups {

SPEEDWELL_IN_EACH_ISA(extern const SortKernels kernels;)

SortKernels sort_kernels(core::Isa isa) { return SPEEDWELL_OF_ISA(isa, kernels); }

Segment segment_of(std::uint64_t first, std::uint64_t last) {
  Segment segment{.steps = (last - first) / Segment::lanes, .rest = (last - first) % Segment::lanes};
  const std::uint64_t part = word(segment.steps);
  std::uint64_t x = word(first);
  for (std::uint64_t& before : segment.before) {
    before = x;
    x = product(x, part);
  }
  segment.before_rest = x;
  return segment;
}

namespace {

constexpr int log2_region = 15;               // words: 256 KiB, fits in a core's second-level cache
constexpr int log2_smallest_region = 6;       // words
constexpr int max_log2_regions = 11;          // more regions would exceed the reach of the TLB while writing
constexpr std::uint64_t min_batch = 1 << 20;  // updates
constexpr std::size_t of_line = 16;           // words of two cache lines, which processors load together

std::uint64_t batch_size_of(const Problem& problem) {
  return std::min(problem.updates, std::max(problem.words, min_batch));
}

// Regions that fit in the cache, and of a small table smaller ones, four for each thread.
int log2_regions_of(const Problem& problem, int threads) {
  const int log2_words = std::countr_zero(problem.words);
  const int for_threads = std::bit_width(4 * static_cast<unsigned>(threads) - 1);
  return std::clamp(std::max(log2_words - log2_region, std::min(for_threads, log2_words - log2_smallest_region)), 0,
                    max_log2_regions);
}

std::size_t pitch_of(std::size_t regions) { return (regions + of_line - 1) / of_line * of_line; }

}  // namespace

RegionUpdates::RegionUpdates(const Problem& problem, int threads)
    : problem_((require_valid(problem), problem)), threads_(threads), mask_(problem.words - 1) {
  require_threads(threads);
  log2_regions_ = log2_regions_of(problem, threads);
  shift_ = std::countr_zero(problem.words) - log2_regions_;
  regions_ = std::size_t{1} << log2_regions_;
  pitch_ = pitch_of(regions_);
  sorted_ = core::HostBuffer<std::uint64_t>(batch_size_of(problem), core::Pages::large);
  cursors_ = core::HostBuffer<std::uint64_t>(pitch_ * static_cast<std::size_t>(threads));
  ends_.resize(regions_);
}

double RegionUpdates::bytes(const Problem& problem, int threads) {
  const std::size_t regions = std::size_t{1} << log2_regions_of(problem, threads);
  return 8.0 * (static_cast<double>(batch_size_of(problem)) + static_cast<double>(regions) +
                static_cast<double>(pitch_of(regions)) * threads);
}

// Exclusive scan: counts become the offsets at which the updates begin, ordered by region and then by thread.
void RegionUpdates::scan_counts() {
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < regions_; ++r) {
    for (int t = 0; t < threads_; ++t) sum += std::exchange(cursors(t)[r], sum);
    ends_[r] = sum;
  }
}

// Updates one region after the other. Where regions fit in the cache, the lines of the next one are loaded meanwhile:
// the order in which updates touch them is no help to the processor's own prefetches. Else the words of updates ahead
// are.
void RegionUpdates::apply_regions(std::size_t begin, std::size_t end, std::uint64_t* table) const {
  constexpr std::uint64_t line = 8, ahead = 64;
  const std::uint64_t size = std::uint64_t{1} << shift_;
  const std::uint64_t* const updates = sorted_.data();
  const auto apply = [&](std::uint64_t i) { table[updates[i] & mask_] ^= updates[i]; };
  std::uint64_t i = begin > 0 ? ends_[begin - 1] : 0;
  if (shift_ > log2_region) {
    for (; i + ahead < ends_[end - 1]; ++i) {
      __builtin_prefetch(&table[updates[i + ahead] & mask_], 1);
      apply(i);
    }
    for (; i < ends_[end - 1]; ++i) apply(i);
    return;
  }
  const std::uint64_t* loaded = table + begin * size;
  for (std::uint64_t w = 0; w < size; w += line, loaded += line) __builtin_prefetch(loaded, 1);
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint64_t* const all = table + (std::min(r + 2, end)) * size;
    for (; i + line <= ends_[r]; i += line) {
      if (loaded < all) __builtin_prefetch(std::exchange(loaded, loaded + line), 1);
      for (std::uint64_t u = 0; u < line; ++u) apply(i + u);
    }
    for (; i < ends_[r]; ++i) apply(i);
  }
}

void RegionUpdates::update(std::span<std::uint64_t> table, ProgressCounter* progress) {
  require_table(problem_, table);
  const SortKernels kernel = sort_kernels(core::best_isa());
  const Regions regions{.mask = mask_, .shift = shift_};
  std::vector<Segment> segments(static_cast<std::size_t>(threads_));
  // Regions next to each other, several groups of them for each thread.
  const std::size_t group = std::max<std::size_t>(regions_ / (8 * static_cast<std::size_t>(threads_)), 1);
  const auto groups = static_cast<std::int64_t>((regions_ + group - 1) / group);
  for (std::uint64_t first = 0; first < problem_.updates; first += sorted_.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(sorted_.size(), problem_.updates - first);
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static)
      for (int t = 0; t < threads_; ++t) {
        const StreamRange part = stream_range(length, threads_, t);
        segments[static_cast<std::size_t>(t)] = segment_of(first + part.first, first + part.last);
        std::fill_n(cursors(t), regions_, 0);
        kernel.count(segments[static_cast<std::size_t>(t)], regions, cursors(t));
      }
#pragma omp single
      scan_counts();
#pragma omp for schedule(static)
      for (int t = 0; t < threads_; ++t)
        kernel.sort(segments[static_cast<std::size_t>(t)], regions, cursors(t), sorted_.data());
#pragma omp for schedule(dynamic)
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::size_t begin = static_cast<std::size_t>(g) * group;
        apply_regions(begin, std::min(begin + group, regions_), table.data());
      }
    }
    if (progress) progress->fetch_add(length, std::memory_order_relaxed);
  }
}

}  // namespace speedwell::gups
