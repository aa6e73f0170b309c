// Kernel 1 on a GPU, between the sweep and the list of candidates: a comparison of the sections' initial states with
// the final states of their neighbours, the choice of a score threshold for candidates, and the spans that contain any.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_refine.hpp"

namespace speedwell::ssca1 {

inline constexpr int threshold_bins = 256;

/// The summary of a round. It is copied to the host, so that it has no padding.
struct RoundSummary {
  unsigned long long found = 0;  // candidates with a score of at least the threshold
  std::uint32_t selected = 0;    // spans with a score of at least the threshold
  std::int32_t threshold = 0;
  std::uint32_t differing = 0;   // pairs with a section whose initial state is not the final state of its neighbour
  std::uint32_t overflowed = 0;  // whether a score exceeded the limit
  std::uint32_t histogram[threshold_bins] = {};  // half spans by highest score; see ThresholdChoice
};

/// Scores of at least `minimum` matter. The threshold is the highest one that `wanted` half spans reach, but at most
/// `ceiling`; it is `minimum` if there are fewer.
struct ThresholdChoice {
  std::int32_t minimum = 1, ceiling = 1;
  std::uint32_t wanted = 0;
};

/// A word of the empty state.
template <class Arithmetic, int R>
SPEEDWELL_HD
std::uint32_t empty_word(int word, const CellConstants& k) {
  const int row = word / 32;
  const bool gap = (row >= R && row < 2 * R) || row == 2 * R + 1 || row == 2 * R + 3;
  return gap ? k.floor : Arithmetic::top(k).h;
}

/// A word of the state in which a pair of sections has to start: the final states of the previous sections.
template <class Arithmetic, int R>
SPEEDWELL_HD
std::uint32_t true_begin(const SectionRound& round, std::int32_t tile, std::int32_t pair, int word) {
  const std::uint32_t* own = round.ends + round.pair_of(tile, pair) * state_words(R) + word;
  std::uint32_t before;
  if (pair > 0)
    before = *(own - state_words(R));
  else if (round.before)
    before = round.before[std::int64_t{tile} * state_words(R) + word];
  else
    before = empty_word<Arithmetic, R>(word, round.constants);
  return Arithmetic::subjects == 1 ? before : before >> 16 | *own << 16;
}

/// Whether the initial state of a section of the pair differs in the words of this thread.
template <class Arithmetic, int R>
SPEEDWELL_HD
bool begins_elsewhere(const SectionRound& round, std::int32_t pair, int thread, int threads) {
  const bool half = Arithmetic::subjects == 2 && 2 * pair + 1 == round.sections;
  std::uint32_t differs = 0;
  for (std::int32_t tile = 0; tile < round.tiles; ++tile)
    for (int word = thread; word < state_words(R); word += threads)
      differs |= round.checkpoints[round.span_of(tile, pair, 0) * state_words(R) + word] ^
                 true_begin<Arithmetic, R>(round, tile, pair, word);
  return (half ? differs & 0xffffu : differs) != 0;
}
template <class Arithmetic, int R>
SPEEDWELL_HD
void begin_truly(const SectionRound& round, std::int32_t pair, int thread, int threads) {
  for (std::int32_t tile = 0; tile < round.tiles; ++tile)
    for (int word = thread; word < state_words(R); word += threads)
      round.checkpoints[round.span_of(tile, pair, 0) * state_words(R) + word] =
          true_begin<Arithmetic, R>(round, tile, pair, word);
}
/// A word of `before` of the next round.
template <class Arithmetic, int R>
SPEEDWELL_HD
std::uint32_t round_end(const SectionRound& round, std::int32_t tile, int word) {
  const std::uint32_t end = round.ends[round.pair_of(tile, round.pairs - 1) * state_words(R) + word];
  return Arithmetic::subjects == 2 && round.sections % 2 == 1 ? end << 16 : end;
}

/// The highest score in one half of a span; -1 if there is no section.
template <class Arithmetic>
SPEEDWELL_HD
std::int32_t highest_in(const SectionRound& round, std::int64_t span, int half) {
  const auto section = static_cast<std::int32_t>(span / round.spans % round.pairs) * Arithmetic::subjects + half;
  return section < round.sections ? Arithmetic::score(round.maxima[span], half) : -1;
}
template <class Arithmetic>
SPEEDWELL_HD
bool is_hot(const SectionRound& round, std::int64_t span, std::int32_t threshold) {
  return highest_in<Arithmetic>(round, span, 0) >= threshold ||
         highest_in<Arithmetic>(round, span, Arithmetic::subjects - 1) >= threshold;
}
/// The bin of a score: one bin per score from `minimum` on; the last bin also has all higher scores.
SPEEDWELL_HD
inline int threshold_bin(const ThresholdChoice& choice, std::int32_t score) {
  return score - choice.minimum < threshold_bins ? score - choice.minimum : threshold_bins - 1;
}
/// `bins`: the number of bins, from the lowest on, for which this bin and those above have at least `wanted` half
/// spans.
SPEEDWELL_HD
inline std::int32_t threshold_of(const ThresholdChoice& choice, int bins) {
  const std::int32_t score = choice.minimum + (bins > 0 ? bins - 1 : 0);
  return score < choice.ceiling ? score : choice.ceiling;
}

}  // namespace speedwell::ssca1
