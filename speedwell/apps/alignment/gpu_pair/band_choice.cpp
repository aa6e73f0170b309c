#include "speedwell/apps/alignment/gpu_pair/band_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "speedwell/apps/alignment/gpu_pair/band_plan.hpp"

namespace speedwell::alignment {
namespace {

/// Relative time of a pair: that of full rounds of bands, of the last round, and of the bands that wait at the begin.
double expected_time(const BandVariant& variant, int warps, int multiprocessors, std::int64_t rows,
                     std::int64_t chunks) {
  // The time of a multiprocessor for a chunk of each of its bands: few warps do not saturate it. The constants were
  // fitted to pairs of 4 * 10^6 residues on an H200; only the choice of the kernel depends on them.
  const auto turn = [&](double warps_at_work) {
    return (variant.strip_rows + 1.5) * warps_at_work / (1 - std::exp(-warps_at_work / 2.7));
  };
  const std::int64_t band_rows = 64 * variant.strip_rows, bands = (rows + band_rows - 1) / band_rows;
  const std::int64_t resident = std::int64_t{warps} * multiprocessors, rounds = bands / resident;
  const auto per_multiprocessor = [&](std::int64_t of) { return static_cast<double>(of) / multiprocessors; };
  double time = static_cast<double>(rounds * chunks) * turn(warps);
  if (const std::int64_t last = bands % resident; last > 0)
    time += static_cast<double>(chunks) * turn(std::max(per_multiprocessor(last), 1.0));
  constexpr double faster_at_the_begin = 0.6;  // when there are few
  const auto first = static_cast<double>(std::min(bands, resident));
  return time + faster_at_the_begin * chunks_ahead * first *
                    turn(std::clamp(per_multiprocessor(bands), 1.0, static_cast<double>(warps)));
}

}  // namespace

BandChoice choose_bands(const BandChoiceInput& input, const Scoring& scoring, const GpuPairTuning& tuning) {
  std::optional<BandChoice> best;
  double best_time = 0;
  for (const BandVariant& variant : band_variants()) {
    if (variant.pair_table != (input.classes <= PairScores::max_classes)) continue;
    if (tuning.strip_rows > 0 && variant.strip_rows != tuning.strip_rows) continue;
    const int fit = warps_of_block(variant, input.classes, input.shared_bytes);
    const int warps = tuning.block_warps > 0 ? tuning.block_warps : fit;
    if (fit < 1 || warps > fit) continue;
    const std::optional<Window> window =
        find_window(64 * variant.strip_rows, input.highest, scoring.gap_open, scoring.gap_extend);
    if (!window) continue;
    const double time = expected_time(variant, warps, input.multiprocessors, input.rows, band_chunks(input.columns));
    if (!best || time < best_time) {
      best = BandChoice{variant, warps, *window};
      best_time = time;
    }
  }
  if (!best)
    throw std::invalid_argument("scores up to " + std::to_string(input.highest) + " with gap costs " +
                                std::to_string(scoring.gap_open) + ", " + std::to_string(scoring.gap_extend) +
                                " are too far apart for 16 bits, or no kernel has the strips and warps asked for");
  return *best;
}

}  // namespace speedwell::alignment
