// The filter of kernel 3 on the host: the same templates as in the kernels, against regions found by the definition.
#include <gtest/gtest.h>

#include <algorithm>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_sample.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/kernel3_host_regions.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

/// The best score of a path with all of the query that ends in each column: gaps of every length, one by one.
std::vector<std::int64_t> end_scores(const Sequence& main, const Sequence& query, const Scoring& s) {
  constexpr std::int64_t never = -1000000;
  const std::size_t n = main.size();
  std::vector<std::int64_t> above(n + 1, 0), above_gap(n + 1, never), row(n + 1);
  for (std::size_t x = 1; x <= query.size(); ++x) {
    std::int64_t gap = never;
    for (std::size_t y = 0; y <= n; ++y) {
      above_gap[y] = std::max(above_gap[y], above[y] - s.gap_open()) - s.gap_extend();
      row[y] = above_gap[y];
      if (y > 0) {
        gap = std::max(gap, row[y - 1] - s.gap_open()) - s.gap_extend();
        row[y] = std::max({row[y], gap, above[y - 1] + s.score(query[x - 1], main[y - 1])});
      }
    }
    above = row;
  }
  return {row.begin() + 1, row.end()};
}

/// The filter's memory.
struct HostErrors {
  HostErrors(const HostRegions& host, const MatchLayout& made, const MatchClasses& classes)
      : matches(static_cast<std::size_t>(made.words()), 0xdeadbeef), chunks(1 << 14), counts(host.plan.queries.size()) {
    for (const std::uint8_t code : host.plan.codes) row_classes.push_back(classes.class_of[code]);
    for (std::int64_t thread = 0; thread < made.warps() * 32; ++thread)
      for (std::int32_t column = 0; column < made.lead + made.section; column += 4)
        build_matches(made, host.search.main, classes.masks.data(), host.search.symbols, thread, column,
                      matches.data());
    search = {.layout = made,
              .matches = matches.data(),
              .classes = row_classes.data(),
              .chunks = chunks.data(),
              .chunk_counts = counts.data(),
              .capacity = static_cast<std::uint32_t>(chunks.size() / host.plan.queries.size())};
  }
  HostErrors(const HostErrors&) = delete;
  HostErrors& operator=(const HostErrors&) = delete;
  /// In order.
  std::vector<std::uint32_t> find(const HostRegions& host, std::int32_t query, const AllowedErrors& allowed) {
    for (std::int64_t thread = 0; thread < search.layout.threads(); ++thread)
      find_chunks(host.search, search, {query, allowed}, thread);
    const std::uint32_t* const first = search.chunks + static_cast<std::uint32_t>(query) * search.capacity;
    std::vector<std::uint32_t> made(first, first + counts[static_cast<std::size_t>(query)]);
    std::sort(made.begin(), made.end());
    return made;
  }
  std::vector<std::uint32_t> matches, chunks, counts;
  std::vector<std::uint8_t> row_classes;
  ErrorSearch search;
};

TEST(Ssca1GpuErrors, AMatchIsAPositiveScore) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const int symbols = round % 3 == 0 ? 64 : 1 + static_cast<int>(random.below(64));
    const Scoring s =
        round % 3 == 0 ? scoring(Preset::ssca1, Alphabet::codons) : random_scoring(random, symbols, -8, 6, 3, 1);
    const Sequence main = random_sequence(random, random.below(9000), symbols),
                   query = random_sequence(random, max_query_rows, symbols);
    const HostRegions host(main, {query}, s, {.minimum_score = 1});
    const auto classes = match_classes(s, query);
    ASSERT_TRUE(classes.has_value());
    const MatchLayout layout{.columns = std::ssize(main),
                             .section = 16 * random.between(1, 5),
                             .lead = 16 * random.between(0, 2),
                             .classes = classes->count};
    const HostErrors errors(host, layout, *classes);
    for (std::int64_t thread = 0; thread < layout.threads(); ++thread)
      for (std::int32_t column = 0; column < layout.lead + layout.section; ++column)
        for (std::int64_t bit = 0; bit < 32; ++bit) {
          const std::int64_t at = (thread * 32 + bit) * layout.section + column - layout.lead;
          if (at < 0 || at >= layout.columns) continue;
          const std::uint8_t code = query[random.below(query.size())];
          const std::uint32_t word =
              errors.matches[static_cast<std::size_t>(layout.word(thread, column, classes->class_of[code]))];
          ASSERT_EQ(word >> bit & 1, s.score(code, main[static_cast<std::size_t>(at)]) > 0);
        }
  }
}

/// A copy with symbols replaced, and runs of symbols lost or put in.
Sequence with_gaps(Random& random, const Sequence& of, int symbols) {
  Sequence made;
  for (std::size_t k = 0; k < of.size(); ++k) {
    const std::size_t change = random.below(16);
    if (change == 0) k += random.below(12);
    if (change == 1) {
      const Sequence run = random_sequence(random, 1 + random.below(24), symbols);
      made.insert(made.end(), run.begin(), run.end());
    }
    if (k < of.size()) made.push_back(change == 2 ? static_cast<std::uint8_t>(random.below(symbols)) : of[k]);
  }
  return made;
}

/// Gap costs of the presets and others; with one value of pairs that match and one of others, as a bound is tightest.
Scoring some_scoring(Random& random, int round) {
  const Preset preset = round % 3 == 0 ? Preset::dissertation : round % 3 == 1 ? Preset::ornl : Preset::ssca1;
  if (round % 4 == 0) return scoring(preset, Alphabet::codons);
  const int symbols = round % 4 == 1 ? 4 : 20;
  if (round % 4 == 3) return random_scoring(random, symbols, -8, 6, random.between(0, 12), random.between(1, 4));
  return flat_scoring(symbols, random.between(1, 6), random.between(-6, 0), random.between(0, 12),
                      random.between(1, 4));
}

TEST(Ssca1GpuErrors, NoRegionIsLost) {
  Random random(2);
  std::size_t chunks = 0, kept = 0, needed = 0, lost_with_fewer = 0, with_long_gaps = 0;
  for (int round = 0; round < 600; ++round) {
    const Scoring s = some_scoring(random, round);
    const int symbols = s.symbols();
    const ErrorCosts costs = error_costs(s);
    if (costs.unit == 0) continue;
    const Sequence query = random_sequence(random, 1 + random.below(round % 3 == 0 ? 20 : 14), symbols);
    Sequence main = random_sequence(random, random.below(60), symbols);
    while (main.size() < 1000) {
      const Sequence copy = with_gaps(random, query, symbols),
                     other = random_sequence(random, random.below(120), symbols);
      main.insert(main.end(), copy.begin(), copy.end());
      main.insert(main.end(), other.begin(), other.end());
    }
    const auto scores = end_scores(main, query, s);
    const auto length = static_cast<std::int32_t>(query.size());
    // The least of the best of some columns, so that there are always regions with it.
    SimilarRules rules{.minimum_score = 1};
    for (int k = random.between(0, 12); k >= 0; --k)
      rules.minimum_score =
          std::max(rules.minimum_score, static_cast<std::int32_t>(scores[random.below(scores.size())]));
    if (rules.minimum_score > s.highest() * length) continue;
    const HostRegions host(main, {query}, s, rules);
    ASSERT_EQ(host.plan.queries.size(), 1u);
    const AllowedErrors errors = allowed_errors(costs, length, rules.minimum_score);
    if (errors.maximum > 15 || length - errors.maximum > 16) continue;
    const auto classes = match_classes(s, query);
    const std::int32_t lead = (host.plan.queries[0].overlap + 15) / 16 * 16;
    HostErrors filter(host,
                      {.columns = std::ssize(main),
                       .section = 16 * random.between(1, 6),
                       .lead = lead + 16 * random.between(0, 1),
                       .classes = classes->count},
                      *classes);
    const auto fewer = filter.find(host, 0, {errors.maximum - 1, errors.long_gaps});
    filter.counts[0] = 0;
    const auto found = filter.find(host, 0, errors);
    EXPECT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end());
    EXPECT_TRUE(found.empty() || found.back() < (main.size() + 15) / 16);
    for (std::size_t y = 0; y < scores.size(); ++y) {
      if (scores[y] < rules.minimum_score) continue;
      ++needed;
      const auto chunk = static_cast<std::uint32_t>(y / 16);
      lost_with_fewer += !std::binary_search(fewer.begin(), fewer.end(), chunk);
      ASSERT_TRUE(std::binary_search(found.begin(), found.end(), chunk))
          << "round " << round << ", column " << y << ", " << length << " symbols, score " << scores[y];
    }
    with_long_gaps += static_cast<std::size_t>(errors.long_gaps);
    chunks += (main.size() + 15) / 16;
    kept += found.size();
  }
  EXPECT_GT(needed, 2000u);
  EXPECT_GT(with_long_gaps, 10u);
  EXPECT_GT(lost_with_fewer, 100u);  // the bound is tight
  EXPECT_LT(kept, 4 * chunks / 5);
}

// The filter, the cells of the chunks that it leaves, the choice.
TEST(Ssca1GpuErrors, RegionsOfFilteredQueries) {
  Random random(3);
  std::size_t regions = 0, proven = 0;
  for (int round = 0; round < 150; ++round) {
    const Scoring s = some_scoring(random, round);
    const ErrorCosts costs = error_costs(s);
    if (costs.unit == 0) continue;
    std::vector<Sequence> made;
    Sequence main;
    for (std::size_t q = 1 + random.below(4); q > 0; --q) {
      made.push_back(random_sequence(random, 1 + random.below(round % 3 == 0 ? 20 : 12), s.symbols()));
      for (std::size_t k = random.below(20); k > 0; --k) {
        const Sequence copy = with_gaps(random, made.back(), s.symbols()),
                       other = random_sequence(random, random.below(90), s.symbols());
        main.insert(main.end(), copy.begin(), copy.end());
        main.insert(main.end(), other.begin(), other.end());
      }
    }
    const std::vector<Codes> queries(made.begin(), made.end());
    const SimilarRules rules{.minimum_score = random.between(1, 25),
                             .separation = random.between(0, 7),
                             .count = random.below(30),
                             .span_factor = random.below(2) ? 2.0 : 1.1};
    HostRegions host(main, queries, s, rules);
    if (host.plan.queries.empty()) continue;
    const auto classes = match_classes(s, host.plan.codes);
    std::int32_t lead = 0;
    for (const DeviceQuery& query : host.plan.queries) lead = std::max(lead, (query.overlap + 15) / 16 * 16);
    HostErrors filter(
        host,
        {.columns = std::ssize(main), .section = 16 * random.between(1, 9), .lead = lead, .classes = classes->count},
        *classes);
    for (std::size_t q = 0; q < host.plan.queries.size(); ++q) {
      const auto allowed = allowed_errors(costs, host.plan.queries[q].length, rules.minimum_score);
      if (allowed.maximum > 15 || host.plan.queries[q].length - allowed.maximum > 16) continue;
      host.sweep_chunks(static_cast<std::int32_t>(q), filter.find(host, static_cast<std::int32_t>(q), allowed));
      std::vector<SimilarRegion> found;
      host.choose(q, found);
      const Codes query = queries[host.plan.numbers[q]];
      EXPECT_EQ(found, reference::locate_similar(main, query, s, rules)) << "round " << round;
      regions += found.size();
      // As many as are wanted are the same if a higher score that they all have is asked for.
      if (found.empty() || found.size() < rules.count) continue;
      SimilarRules higher = rules;
      higher.minimum_score = random.between(rules.minimum_score, found.back().score);
      HostRegions guessed(main, {query}, s, higher);
      guessed.sweep(64);
      std::vector<SimilarRegion> again;
      guessed.choose(0, again);
      EXPECT_EQ(again, found) << "round " << round;
      ++proven;
    }
  }
  EXPECT_GT(regions, 500u);
  EXPECT_GT(proven, 50u);
}

TEST(Ssca1GpuErrors, WhatAGuessIs) {
  Random random(4);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  for (int round = 0; round < 60; ++round) {
    const Sequence query = random_sequence(random, 3 + random.below(12), 64),
                   main = with_relatives(random, query, random.below(2000), 64);
    HostRegions host(main, {query}, s, {.minimum_score = random.between(1, 12)}, round % 7 == 0 ? 10 : 1 << 16);
    host.sweep(128);
    std::vector<std::int32_t> scores;
    for (std::size_t k = 0; k < std::min(host.counts[0], host.search.capacity); ++k)
      scores.push_back(region_detail::h_of(host.found[k]) - host.plan.queries[0].bias);
    std::sort(scores.rbegin(), scores.rend());
    const std::size_t wanted = 1 + random.below(20);
    std::uint32_t bins[score_bins];
    std::int32_t guess = -1;
    on_block(round % 8 == 3, [&](const auto& block) {
      guess_score(block, host.search, static_cast<std::int64_t>(wanted), 0, bins, &guess);
    });
    EXPECT_EQ(guess, scores.size() < wanted ? host.rules.minimum_score : scores[wanted - 1]);
  }
}

TEST(Ssca1GpuErrors, WhenItIsUsed) {
  Random random(5);
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const ErrorCosts costs = error_costs(codons);
  EXPECT_EQ(costs.unit, 8);
  EXPECT_EQ(allowed_errors(costs, 7, 16).maximum, 2);
  EXPECT_EQ(allowed_errors(costs, 18, 10).maximum, 10);  // and 12 without long gaps
  EXPECT_EQ(allowed_errors(costs, 18, 10).long_gaps, 1);
  EXPECT_EQ(error_costs(flat_scoring(4, 5, -3, 8, 0)).unit, 0);
  EXPECT_EQ(error_costs(flat_scoring(4, 0, -3, 8, 1)).unit, 0);
  const auto worth = [&](const Scoring& s, std::size_t length, std::int32_t minimum) {
    const Sequence query(length, 1);
    return worth_filtering(device_query(0, length, s, {}, minimum),
                           allowed_errors(error_costs(s), static_cast<int>(length), minimum), match_share(s, query));
  };
  EXPECT_TRUE(worth(codons, 8, 14));
  EXPECT_FALSE(worth(codons, 8, 0));
  EXPECT_FALSE(worth(codons, 21, 40));
  EXPECT_FALSE(worth(flat_scoring(4, 5, -3, 8, 1), 10, 20));
  EXPECT_FALSE(match_classes(flat_scoring(200, 5, -3, 8, 1), random_sequence(random, 1000, 200)));
}

}  // namespace
}  // namespace speedwell::ssca1
