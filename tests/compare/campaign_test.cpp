// Many pairs, random and real, of lengths from 1 to 35,000, related or not, under published and odd scoring systems:
// the same scores and ends as parasail, from the processor's searches and pairs and, where there is a GPU, from its.
//
// ctest compares a few thousand pairs. The campaign, which prints the same table:
//   SPEEDWELL_COMPARE_PAIRS=100000 campaign_test
// SPEEDWELL_COMPARE_SEED (1) makes other sets; a failure names seed and set, and SPEEDWELL_COMPARE_SET=N with
// SPEEDWELL_COMPARE_PAIRS=1 compares that set alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/compare/campaign_gpu.hpp"
#include "tests/compare/campaign_sets.hpp"
#include "tests/compare/sequences.hpp"

namespace speedwell {
namespace {

using alignment::EndPoint;

std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::stoul(text) : otherwise;
}

// Scores at which vectors of so many bits must be replaced by wider ones, and the pairs at or above each.
constexpr std::array<std::int32_t, 4> bounds = {1, 1 << 8, 1 << 11, 1 << 16};

struct Tally {
  std::size_t sets = 0, pairs = 0;
  double cells = 0;
  std::array<std::size_t, bounds.size()> scores{};
  std::int32_t highest = 0;
};

struct Contestant {
  const char* name;
  std::size_t compared = 0, different = 0, refused = 0;
};

class Campaign {
 public:
  Campaign(std::uint64_t seed, int threads) : seed_(seed), threads_(threads), gpu_(campaign_gpu()) {}

  /// Returns the number of pairs compared.
  std::size_t compare(std::size_t number) {
    const CampaignSet set = campaign_set(seed_, number);
    const bool dna = set.kind == Kind::random_dna || set.kind == Kind::real_dna || set.kind == Kind::dna_made_table;
    const auto alphabet = dna ? alignment::Alphabet::dna : alignment::Alphabet::protein;
    const auto queries = set_of(alphabet, set.queries), subjects = set_of(alphabet, set.subjects);
    const auto expected = parasail::ends(set.queries, set.subjects, set.system, threads_);
    count(set, expected);

    using alignment::Vectors;
    constexpr Vectors ways[] = {Vectors::fastest, Vectors::lanes, Vectors::stripes};
    std::vector<std::int32_t> scores(expected.size());
    const auto counts = alignment::search_scores(queries, subjects, set.scoring, scores,
                                                 {.threads = threads_, .vectors = ways[number / kinds % 3]});
    in_16_bits_ += counts.in_16_bits;
    in_32_bits_ += counts.in_32_bits;
    alone_ += counts.alone;
    std::vector<std::int32_t> on_gpu;
    if (gpu_) on_gpu = gpu_->search(queries, subjects, set.scoring, number / kinds);

    for (std::size_t pair = 0; pair < expected.size(); ++pair) {
      const std::size_t q = pair / subjects.size(), s = pair % subjects.size();
      const auto query = queries.codes(q), subject = subjects.codes(s);
      const auto check = [&](Contestant& contestant, std::int32_t score, std::optional<EndPoint> end) {
        ++contestant.compared;
        const parasail::End& e = expected[pair];
        const bool ends_differ =
            end && e.score > 0 && (end->query_end != e.query_end || end->subject_end != e.subject_end);
        if (score == e.score && !ends_differ) return;
        if (++contestant.different > 5) return;
        const auto reference = alignment::reference::best(query, subject, set.scoring);
        ADD_FAILURE() << contestant.name << ": seed " << seed_ << ", set " << number << " ("
                      << kind_names[static_cast<std::size_t>(set.kind)] << ", " << set.scoring.matrix.name()
                      << ", gaps " << set.scoring.gap_open << "," << set.scoring.gap_extend << "), query " << q
                      << ", subject " << s << ", " << query.size() << " x " << subject.size() << " residues: score "
                      << score << (end ? " at " + place(end->query_end, end->subject_end) : "") << ", parasail "
                      << e.score << " at " << place(e.query_end, e.subject_end) << ", the reference " << reference.score
                      << " at " << place(reference.query_end, reference.subject_end);
      };
      check(search_, scores[pair], {});
      const EndPoint end = alignment::find_end(query, subject, set.scoring, {.threads = threads_});
      check(pair_, end.score, end);
      if (!gpu_) continue;
      check(gpu_search_, on_gpu[pair], {});
      const std::optional<EndPoint> gpu_end = gpu_->find_end(query, subject, set.scoring);
      if (gpu_end)
        check(gpu_pair_, gpu_end->score, gpu_end);
      else
        ++gpu_pair_.refused;
    }
    return expected.size();
  }

  void print() const {
    std::printf("%-22s %5s %8s %9s %9s %9s %9s %9s %9s\n", "sequences", "sets", "pairs", "cells", "positive", ">= 2^8",
                ">= 2^11", ">= 2^16", "highest");
    Tally all;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      print(kind_names[kind], tallies_[kind]);
      add(all, tallies_[kind]);
    }
    print("all", all);
    std::printf("search_scores computed %zu pairs again in 16 bits, %zu in 32 bits, and %zu alone\n", in_16_bits_,
                in_32_bits_, alone_);
    for (const Contestant* c : {&search_, &pair_, &gpu_search_, &gpu_pair_})
      if (c->compared + c->refused > 0)
        std::printf("%-14s %8zu pairs compared, %zu different%s\n", c->name, c->compared, c->different,
                    c->refused ? (", " + std::to_string(c->refused) + " of scorings that it refuses").c_str() : "");
    if (!gpu_) std::printf("GpuSearch, GpuPair: no GPU\n");
  }

  std::size_t different() const {
    return search_.different + pair_.different + gpu_search_.different + gpu_pair_.different;
  }

 private:
  static std::string place(std::int64_t query, std::int64_t subject) {
    return "(" + std::to_string(query) + ", " + std::to_string(subject) + ")";
  }

  static void print(const char* name, const Tally& t) {
    std::printf("%-22s %5zu %8zu %9.3g %9zu %9zu %9zu %9zu %9" PRId32 "\n", name, t.sets, t.pairs, t.cells, t.scores[0],
                t.scores[1], t.scores[2], t.scores[3], t.highest);
  }

  static void add(Tally& all, const Tally& t) {
    all.sets += t.sets;
    all.pairs += t.pairs;
    all.cells += t.cells;
    all.highest = std::max(all.highest, t.highest);
    for (std::size_t b = 0; b < bounds.size(); ++b) all.scores[b] += t.scores[b];
  }

  void count(const CampaignSet& set, const std::vector<parasail::End>& expected) {
    const auto residues = [](const std::vector<std::string>& sequences) {
      double sum = 0;
      for (const std::string& sequence : sequences) sum += static_cast<double>(sequence.size());
      return sum;
    };
    Tally t{.sets = 1, .pairs = expected.size(), .cells = residues(set.queries) * residues(set.subjects)};
    for (const parasail::End& end : expected) {
      t.highest = std::max(t.highest, end.score);
      for (std::size_t b = 0; b < bounds.size(); ++b) t.scores[b] += end.score >= bounds[b];
    }
    add(tallies_[static_cast<std::size_t>(set.kind)], t);
  }

  std::uint64_t seed_;
  int threads_;
  std::unique_ptr<CampaignGpu> gpu_;
  std::array<Tally, kinds> tallies_{};
  std::size_t in_16_bits_ = 0, in_32_bits_ = 0, alone_ = 0;
  Contestant search_{"search_scores"}, pair_{"find_end"}, gpu_search_{"GpuSearch"}, gpu_pair_{"GpuPair"};
};

TEST(ParasailCampaign, ManyPairsHaveTheSameScoresAndEnds) {
  if (!parasail::available()) GTEST_SKIP() << "libparasail was not found when this was configured";
  const std::size_t pairs = from_environment("SPEEDWELL_COMPARE_PAIRS", 4000);
  Campaign campaign(from_environment("SPEEDWELL_COMPARE_SEED", 1),
                    static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  std::size_t number = from_environment("SPEEDWELL_COMPARE_SET", 0);
  for (std::size_t compared = 0; compared < pairs;) compared += campaign.compare(number++);
  campaign.print();
  EXPECT_EQ(campaign.different(), 0u);
}

}  // namespace
}  // namespace speedwell
