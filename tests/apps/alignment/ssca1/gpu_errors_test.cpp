// The filter of kernel 3 on the host: the same templates as in the kernels, against places found by the definition.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apps/alignment/ssca1/golden.hpp"
#include "tests/apps/alignment/ssca1/host_places.hpp"
#include "tests/apps/alignment/ssca1/implementations.hpp"

namespace speedwell::alignment::ssca1 {
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
  HostErrors(const HostPlaces& host, const MatchLayout& made, const MatchClasses& classes)
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
  std::vector<std::uint32_t> find(const HostPlaces& host, std::int32_t query, std::int32_t errors) {
    std::vector<ErrorRow> rows(2 * static_cast<std::size_t>(most_query_rows));
    for (std::int64_t thread = 0; thread < search.layout.threads(); ++thread)
      find_chunks(host.search, search, {query, errors}, thread, rows.data(), 2);
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
                   query = random_sequence(random, most_query_rows, symbols);
    const HostPlaces host(main, {query}, s, {.minimum_score = 1});
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

TEST(Ssca1GpuErrors, NoPlaceIsLost) {
  Random random(2);
  std::size_t chunks = 0, kept = 0, needed = 0;
  for (int round = 0; round < 400; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 20;
    const Preset preset = round % 4 == 0 ? Preset::dissertation : round % 4 == 1 ? Preset::ornl : Preset::ssca1;
    const Scoring s = symbols == 64
                          ? scoring(preset, Alphabet::codons)
                          : random_scoring(random, symbols, -8, 6, random.between(0, 12), random.between(1, 4));
    if (error_unit(s) == 0) continue;
    const Sequence query = random_sequence(random, 1 + random.below(round % 5 == 0 ? 40 : 14), symbols);
    Sequence main = random_sequence(random, random.below(60), symbols);
    const Sequence copies = with_relatives(random, query, random.below(1500), symbols);
    main.insert(main.end(), copies.begin(), copies.end());
    const auto length = static_cast<std::int32_t>(query.size());
    const std::int32_t best = s.highest() * length;
    const SimilarRules rules{.minimum_score = random.between(std::max(1, best / 5), best)};
    const HostPlaces host(main, {query}, s, rules);
    ASSERT_EQ(host.plan.queries.size(), 1u);
    const std::int32_t errors = most_errors(s, length, rules.minimum_score);
    if (errors > 15 || length - length / 4 - errors > 16) continue;
    const auto classes = match_classes(s, query);
    const std::int32_t lead = (host.plan.queries[0].overlap + 15) / 16 * 16;
    HostErrors filter(host,
                      {.columns = std::ssize(main),
                       .section = 16 * random.between(1, 6),
                       .lead = lead + 16 * random.between(0, 1),
                       .classes = classes->count},
                      *classes);
    const auto found = filter.find(host, 0, errors);
    EXPECT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end());
    EXPECT_TRUE(found.empty() || found.back() < (main.size() + 15) / 16);
    const auto scores = end_scores(main, query, s);
    for (std::size_t y = 0; y < scores.size(); ++y) {
      if (scores[y] < rules.minimum_score) continue;
      ++needed;
      ASSERT_TRUE(std::binary_search(found.begin(), found.end(), static_cast<std::uint32_t>(y / 16)))
          << "round " << round << ", column " << y << ", " << length << " symbols, score " << scores[y];
    }
    chunks += (main.size() + 15) / 16;
    kept += found.size();
  }
  EXPECT_GT(needed, 2000u);
  EXPECT_LT(kept, 2 * chunks / 3);
}

}  // namespace
}  // namespace speedwell::alignment::ssca1
