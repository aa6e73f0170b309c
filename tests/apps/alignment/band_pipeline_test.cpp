// The pipeline of bands over several GPUs with a host thread for each warp: bands in turn, flags and rows in the memory
// of the next GPU, and random delays. A row that is replaced too early, or a band that does not wait long enough, gives
// another end point or another checksum; a thread sanitizer sees the race itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/host_bands.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

using test::HostPair;
using test::Options;
using test::Residues;

/// The memory of one GPU that the preceding one writes to.
struct HostGpu {
  HostGpu(std::size_t bands, std::size_t gpus) : progress(bands), known_from(gpus) {}
  std::atomic<std::int64_t> next_band{0};
  std::deque<std::atomic<std::int64_t>> progress;
  std::deque<std::atomic<unsigned long long>> known_from;
};
using HostGpus = std::deque<HostGpu>;

/// As DeviceLinks of the kernel (band_kernel.cu) for several GPUs.
struct ThreadLinks {
  ThreadLinks(HostGpus& all, std::size_t of, std::uint64_t seed) : gpus(all), gpu(of), random(seed) {}

  HostGpus& gpus;
  std::size_t gpu;
  test::Random random;
  std::int64_t seen = 0;
  unsigned long long known = 0;

  static unsigned long long key(std::int64_t score, std::int64_t band) {
    return static_cast<unsigned long long>(score) << 32 | (0xffffffffull - static_cast<unsigned long long>(band));
  }
  void delay() {
    for (std::size_t n = random.below(8) == 0 ? random.below(20) : 0; n > 0; --n) std::this_thread::yield();
  }
  void wait(std::int64_t band, std::int64_t wanted) {
    const auto& progress = gpus[gpu].progress[static_cast<std::size_t>(band)];
    while (seen < wanted) {
      seen = progress.load(std::memory_order_acquire);
      if (seen < wanted) std::this_thread::yield();
    }
    delay();
  }
  void publish(std::int64_t band, std::int64_t chunks) {
    delay();
    gpus[(gpu + 1) % gpus.size()].progress[static_cast<std::size_t>(band)].store(chunks, std::memory_order_release);
  }
  std::int64_t ready() const { return seen; }
  void refresh() {
    for (const auto& from : gpus[gpu].known_from) known = std::max(known, from.load(std::memory_order_relaxed));
  }
  std::int64_t known_score() const { return static_cast<std::int64_t>(known >> 32); }
  bool may_win(std::int64_t score, std::int64_t band) const { return key(score, band) >= known; }
  void found(std::int64_t score, std::int64_t band) {
    auto& own = gpus[gpu].known_from[gpu];
    unsigned long long before = own.load(std::memory_order_relaxed);
    while (before < key(score, band) && !own.compare_exchange_weak(before, key(score, band))) {
    }
    if (before >= key(score, band)) return;
    for (HostGpu& other : gpus)
      if (&other != &gpus[gpu]) other.known_from[gpu].store(key(score, band), std::memory_order_relaxed);
  }
};

constexpr int strip = 2;

BandBest sweep_by_threads(const Residues& query, const Residues& subject, const Scoring& scoring, Window window,
                          const Options& options, int warps, std::uint64_t seed) {
  const HostPair<PairScores, strip> pair(query, subject, scoring, window, options);
  HostGpus gpus;
  for (std::size_t gpu = 0; gpu < options.gpus; ++gpu)
    gpus.emplace_back(static_cast<std::size_t>(pair.bands()), options.gpus);
  std::vector<BandBest> results(static_cast<std::size_t>(pair.bands()));
  const auto warp = [&](std::size_t gpu, std::uint64_t number) {
    const auto memory = std::make_unique<BandMemory<strip>>();
    std::vector<std::uint32_t> candidate(BandMemory<strip>::saved_words);
    for (;;) {
      const std::int64_t band =
          gpus[gpu].next_band++ * static_cast<std::int64_t>(options.gpus) + static_cast<std::int64_t>(gpu);
      if (band >= pair.bands()) return;
      ThreadLinks links(gpus, gpu, seed + 1000 * number + static_cast<std::uint64_t>(band));
      links.refresh();
      results[static_cast<std::size_t>(band)] = pair.sweep(band, links, *memory, candidate.data());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t gpu = 0; gpu < options.gpus; ++gpu)
      for (int w = 0; w < warps; ++w) threads.emplace_back(warp, gpu, gpu * 100 + static_cast<std::uint64_t>(w));
  }
  BandBest best;
  for (const BandBest& result : results)
    if (result.score > best.score) best = result;
  return best;
}

TEST(BandPipeline, EndPointsAndChecksDependNeitherOnGpusNorOnWarps) {
  test::Random random(31);
  const Scoring scoring{match_mismatch(2, -3), 5, 2};
  for (int round = 0; round < 3; ++round) {
    Residues query(static_cast<std::size_t>(900 + 400 * round));
    for (auto& code : query) code = static_cast<std::uint8_t>(random.below(4));
    Residues unrelated(700);
    for (auto& code : unrelated) code = static_cast<std::uint8_t>(random.below(4));
    for (const Residues& subject : {random.relative(query), unrelated}) {
      const std::optional<Window> window = find_window(64 * strip, 2, scoring.gap_open, scoring.gap_extend);
      ASSERT_TRUE(window);
      const reference::Best expected = reference::best(query, subject, scoring);
      const auto checks_of = [&] {
        return PairChecks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(subject.size()), strip);
      };
      PairChecks of_one = checks_of();
      test::sweep_pair<PairScores, strip>(query, subject, scoring, *window, {.checks = &of_one});
      for (const std::size_t gpus : {1, 2, 3, 4})
        for (const int warps : {1, 2, 3})
          for (const std::int64_t known : {-1, 0}) {
            PairChecks checks = checks_of();
            const BandBest best =
                sweep_by_threads(query, subject, scoring, *window, {.known = known, .checks = &checks, .gpus = gpus},
                                 warps, static_cast<std::uint64_t>(round));
            EXPECT_EQ(best.score, expected.score) << gpus << " GPUs of " << warps << " warps";
            EXPECT_EQ(best.row, static_cast<std::int64_t>(expected.query_end));
            EXPECT_EQ(best.column, static_cast<std::int64_t>(expected.subject_end));
            if (known >= 0) continue;  // what is pruned depends on the order
            EXPECT_EQ(checks.sums, of_one.sums) << gpus << " GPUs of " << warps << " warps";
          }
    }
  }
}

}  // namespace
}  // namespace speedwell::alignment
