// Multithreaded updates sorted by region: a batch of the stream is generated twice, first to count the updates of each
// region, then to write them grouped by region; then each region is updated by one thread that holds it in its cache.
// Updates are transferred from and to memory as long runs, and the table once per batch.
#include <algorithm>
#include <bit>
#include <utility>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {
namespace {

constexpr int log2_region = 15;               // words: 256 KiB, fits in a core's second-level cache
constexpr int max_log2_regions = 11;          // more regions would exceed the reach of the TLB while writing
constexpr std::uint64_t min_batch = 1 << 20;  // updates

std::uint64_t batch_size_of(const Problem& problem) {
  return std::min(problem.updates, std::max(problem.words, min_batch));
}

int log2_regions_of(const Problem& problem) {
  return std::clamp(std::countr_zero(problem.words) - log2_region, 0, max_log2_regions);
}

}  // namespace

RegionUpdates::RegionUpdates(const Problem& problem, int threads)
    : problem_((require_valid(problem), problem)), threads_(threads), mask_(problem.words - 1) {
  require_threads(threads);
  log2_regions_ = log2_regions_of(problem);
  shift_ = std::countr_zero(problem.words) - log2_regions_;
  regions_ = std::size_t{1} << log2_regions_;
  sorted_ = core::HostBuffer<std::uint64_t>(batch_size_of(problem), core::Pages::large);
  cursors_.resize(regions_ * static_cast<std::size_t>(threads));
  ends_.resize(regions_);
}

double RegionUpdates::bytes(const Problem& problem, int threads) {
  const double regions = static_cast<double>(std::uint64_t{1} << log2_regions_of(problem));
  return 8.0 * (static_cast<double>(batch_size_of(problem)) + regions * (threads + 1));
}

void RegionUpdates::count(std::uint64_t first, std::uint64_t last, std::uint64_t* counts) const {
  std::fill_n(counts, regions_, 0);
  std::uint64_t x = word(first);
  for (std::uint64_t n = first; n < last; ++n) {
    x = next(x);
    ++counts[region_of(x)];
  }
}

// Exclusive scan: counts become the offsets at which the updates begin, ordered by region and then by thread.
void RegionUpdates::scan_counts() {
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < regions_; ++r) {
    for (std::size_t offset = r; offset < cursors_.size(); offset += regions_)
      sum += std::exchange(cursors_[offset], sum);
    ends_[r] = sum;
  }
}

void RegionUpdates::sort(std::uint64_t first, std::uint64_t last, std::uint64_t* cursors) {
  std::uint64_t x = word(first);
  for (std::uint64_t n = first; n < last; ++n) {
    x = next(x);
    sorted_[cursors[region_of(x)]++] = x;
  }
}

void RegionUpdates::apply(std::size_t region, std::uint64_t* table) const {
  for (std::uint64_t i = region > 0 ? ends_[region - 1] : 0; i < ends_[region]; ++i)
    table[sorted_[i] & mask_] ^= sorted_[i];
}

void RegionUpdates::update(std::span<std::uint64_t> table, ProgressCounter* progress) {
  require_table(problem_, table);
  const auto all_regions = static_cast<std::int64_t>(regions_);
  for (std::uint64_t first = 0; first < problem_.updates; first += sorted_.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(sorted_.size(), problem_.updates - first);
    const auto part = [&](int t) { return stream_range(length, threads_, t); };
    const auto cursors = [&](int t) { return cursors_.data() + regions_ * static_cast<std::size_t>(t); };
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static)
      for (int t = 0; t < threads_; ++t) count(first + part(t).first, first + part(t).last, cursors(t));
#pragma omp single
      scan_counts();
#pragma omp for schedule(static)
      for (int t = 0; t < threads_; ++t) sort(first + part(t).first, first + part(t).last, cursors(t));
#pragma omp for schedule(dynamic)
      for (std::int64_t r = 0; r < all_regions; ++r) apply(static_cast<std::size_t>(r), table.data());
    }
    if (progress) progress->fetch_add(length, std::memory_order_relaxed);
  }
}

}  // namespace speedwell::gups
