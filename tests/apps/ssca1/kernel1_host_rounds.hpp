// The device of kernel 1 (kernel1_rounds.hpp) on the host: does what the kernels do, in their order, with HostWarp for
// the warp and vectors for the device's memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_rounds.hpp"

namespace speedwell::ssca1::test {

using alignment::HostWarp;

template <int R>
class HostDevice {
 public:
  HostDevice(const TableProblem& table, std::int32_t pairs, std::uint64_t capacity)
      : table_(table),
        pairs_(pairs),
        tiles_(static_cast<std::int32_t>((table.rows() + 32 * R - 1) / (32 * R))),
        main_(table.main.begin(), table.main.end()),
        scores_(table.scoring.scores().begin(), table.scoring.scores().end()),
        found_(capacity) {
    main_.resize((main_.size() + 1) / 2 * 2);
  }

  std::int32_t pairs() const { return pairs_; }
  std::int32_t tiles() const { return tiles_; }
  bool fits(CellWidth width) const { return width_serves(width, table_.scoring); }
  std::int32_t limit(CellWidth width) const { return score_limit(width, table_.scoring); }
  std::uint64_t capacity() const { return found_.size(); }
  std::span<const FoundCell> cells() const { return {found_.data(), static_cast<std::size_t>(summary_.found)}; }

  RoundSummary sweep(CellWidth width, const SectionRound& planned, const ThresholdChoice& choice) {
    constexpr std::uint32_t poison = 0xdeadbeefu;
    const auto spans = static_cast<std::size_t>(planned.all_spans());
    const auto tile_pairs = static_cast<std::size_t>(planned.tiles * planned.pairs);
    width_ = width;
    checkpoints_.assign(spans * state_words(R), poison);
    ends_.assign(tile_pairs * state_words(R), poison);
    maxima_.assign(spans, poison);
    borders_.assign(tile_pairs * static_cast<std::size_t>(planned.lead + planned.steps + 1),
                    Borders{{{poison, poison}, {poison, poison}}});
    round_ = with_memory(planned, {main_.data(), table_.match.data(), scores_.data(), checkpoints_.data(), ends_.data(),
                                   maxima_.data(), borders_.data(), before_.data()});
    std::vector<std::int32_t> all;
    for (std::int32_t pair = 0; pair < round_.pairs; ++pair) all.push_back(pair);
    sweep_pairs(all, false);
    return examine(choice);
  }
  RoundSummary repeat(std::uint32_t, const ThresholdChoice& choice) {
    const std::vector<std::int32_t> pairs = differing_;
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      for (const std::int32_t pair : pairs)
        for (int thread = 0; thread < 7; ++thread) begin_truly<Arithmetic, R>(round_, pair, thread, 7);
    });
    sweep_pairs(pairs, true);
    return examine(choice);
  }
  RoundSummary choose(const ThresholdChoice& choice) {
    selected_.clear();
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      std::uint64_t halves = 0;
      int bins = threshold_bins;  // with so many in them and above
      while (bins > 0 && (choice.wanted == 0 || halves + summary_.histogram[bins - 1] < choice.wanted))
        halves += summary_.histogram[--bins];
      summary_.threshold = threshold_of(choice, bins);
      for (std::int64_t span = 0; span < round_.all_spans(); ++span)
        if (is_hot<Arithmetic>(round_, span, summary_.threshold)) selected_.push_back(span);
    });
    summary_.selected = static_cast<std::uint32_t>(selected_.size());
    return refine(0, summary_.selected);
  }
  RoundSummary refine(std::uint32_t first, std::uint32_t last) {
    unsigned long long count = 0;
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      const CandidateList list{.threshold = summary_.threshold,
                               .peaks = table_.rules.mode == EndpointRules::Mode::peaks,
                               .found = found_.data(),
                               .count = &count,
                               .capacity = found_.size()};
      HostWarp warp;
      RefineMemory<R> memory;
      for (std::int32_t tile = 0; tile < tiles_; ++tile) {
        const std::vector<Words4> profile = profile_of<Arithmetic>(tile);
        for (std::uint32_t i = first; i < last; ++i)
          if (round_.tile_of(selected_[i]) == tile)
            refine_span<Arithmetic, R>(warp, round_, list, selected_[i], reinterpret_cast<const char*>(profile.data()),
                                       memory);
      }
    });
    summary_.found = count;
    return summary_;
  }
  void end_round(bool last) {
    if (last) return;
    before_.assign(static_cast<std::size_t>(tiles_) * state_words(R), 0);
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      for (std::int32_t tile = 0; tile < tiles_; ++tile)
        for (int word = 0; word < state_words(R); ++word)
          before_[static_cast<std::size_t>(tile * state_words(R) + word)] =
              round_end<Arithmetic, R>(round_, tile, word);
    });
  }

 private:
  template <class Arithmetic>
  std::vector<Words4> profile_of(std::int32_t tile) const {
    std::vector<Words4> profile(static_cast<std::size_t>(section_profile_bytes(R, round_.symbols)) / sizeof(Words4));
    for (int thread = 0; thread < 7; ++thread)
      build_section_profile<Arithmetic, R>(reinterpret_cast<char*>(profile.data()), round_, tile, thread, 7);
    return profile;
  }
  void sweep_pairs(const std::vector<std::int32_t>& pairs, bool known) {
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      HostWarp warp;
      for (std::int32_t tile = 0; tile < tiles_; ++tile) {
        const std::vector<Words4> profile = profile_of<Arithmetic>(tile);
        for (const std::int32_t pair : pairs)
          sweep_section_pair<Arithmetic, R>(warp, round_, tile, pair, known,
                                            reinterpret_cast<const char*>(profile.data()));
      }
    });
  }
  RoundSummary examine(const ThresholdChoice& choice) {
    summary_ = {};
    differing_.clear();
    with_arithmetic(width_, [&]<class Arithmetic>(Arithmetic) {
      for (std::int32_t pair = 0; pair < round_.pairs; ++pair) {
        bool differs = false;
        for (int thread = 0; thread < 7; ++thread)
          differs = begins_elsewhere<Arithmetic, R>(round_, pair, thread, 7) || differs;
        if (differs) differing_.push_back(pair);
      }
      for (std::int64_t span = 0; span < round_.all_spans(); ++span)
        for (int half = 0; half < Arithmetic::subjects; ++half) {
          const std::int32_t score = highest_in<Arithmetic>(round_, span, half);
          if (score > round_.limit) summary_.overflowed = 1;
          if (score >= choice.minimum) ++summary_.histogram[threshold_bin(choice, score)];
        }
    });
    summary_.differing = static_cast<std::uint32_t>(differing_.size());
    if (summary_.differing > 0 || summary_.overflowed) return summary_;
    return choose(choice);
  }

  const TableProblem& table_;
  std::int32_t pairs_, tiles_;
  std::vector<std::uint8_t> main_;
  std::vector<std::int16_t> scores_;
  std::vector<FoundCell> found_;
  CellWidth width_ = CellWidth::bits11;
  SectionRound round_;
  RoundSummary summary_;
  std::vector<std::uint32_t> checkpoints_, ends_, maxima_, before_;
  std::vector<Borders> borders_;
  std::vector<std::int32_t> differing_;
  std::vector<std::int64_t> selected_;
};

}  // namespace speedwell::ssca1::test
