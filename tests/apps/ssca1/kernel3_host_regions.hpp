// Kernel 3 as the GPU computes it, stepped by the host: memory as GpuSimilar has it, and the kernels' templates.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_errors_plan.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_similar_plan.hpp"
#include "tests/apps/ssca1/host_block.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1::test {

struct HostRegions {
  HostRegions(const Sequence& main, const std::vector<Codes>& queries, const Scoring& s, const SimilarRules& r,
              std::uint32_t list = 1 << 16)
      : scoring(s),
        rules(r),
        plan(plan_similar(queries, s, r, 227 << 10)),
        padded(main.size() / 16 + 2),
        found(list * plan.queries.size()),
        counts(plan.queries.size()) {
    std::copy(main.begin(), main.end(), reinterpret_cast<std::uint8_t*>(padded.data()));
    search = {.main = reinterpret_cast<const std::uint8_t*>(padded.data()),
              .columns = std::ssize(main),
              .codes = plan.codes.data(),
              .queries = plan.queries.data(),
              .scores = s.scores().data(),
              .symbols = s.symbols(),
              .gap_open = s.gap_open(),
              .gap_extend = s.gap_extend(),
              .found = found.data(),
              .counts = counts.data(),
              .capacity = list};
  }
  HostRegions(const HostRegions&) = delete;
  HostRegions& operator=(const HostRegions&) = delete;

  /// All queries through all columns.
  void sweep(std::int64_t section) {
    std::vector<std::int32_t> all(plan.queries.size());
    std::iota(all.begin(), all.end(), 0);
    const Pairing pairing = pair_up(plan.queries, all);
    for (const Pairing::Group& group : pairing.groups)
      for (std::size_t p = group.first; p < group.first + group.count; ++p)
        with_table(group.rows, pairing.pairs[p], [&]<int R>(const char* table) {
          for (std::int64_t first = 0; first < search.columns; first += section)
            find_in_section<R>(search, pairing.pairs[p], first, std::min(search.columns, first + section),
                               table + first / section % 8 * 16);
        });
  }
  /// A query through chunks of columns.
  void sweep_chunks(std::int32_t query, const std::vector<std::uint32_t>& chunks) {
    const int rows = rows_for(static_cast<std::size_t>(plan.queries[static_cast<std::size_t>(query)].length));
    with_table(rows, QueryPair{{query, query}}, [&]<int R>(const char* table) {
      for (std::size_t k = 0; k < chunks.size(); k += 2)
        find_in_chunks<R>(search, query, std::int64_t{chunks[k]} * chunk_columns,
                          k + 1 < chunks.size() ? std::int64_t{chunks[k + 1]} * chunk_columns : -1,
                          table + k / 2 % 8 * 16);
    });
  }
  /// The regions chosen of a query; -1: left to the host.
  std::int32_t choose(std::size_t query, std::vector<SimilarRegion>& regions, bool real_threads = false) {
    std::vector<ChosenRegion> chosen(plan.queries.size() * rules.count);
    std::vector<std::int32_t> chosen_counts(plan.queries.size(), -7);
    const RegionChoice choice{rules.separation, static_cast<std::int32_t>(rules.count), chosen.data(),
                              chosen_counts.data()};
    const auto memory = std::make_unique<ChoiceMemory>();
    on_block(real_threads, [&](const auto& block) {
      choose_regions(block, search, choice, static_cast<std::int32_t>(query), *memory);
    });
    for (std::int32_t k = 0; k < chosen_counts[query]; ++k)
      regions.push_back(to_region(plan.queries[query], chosen[query * rules.count + static_cast<std::size_t>(k)]));
    return chosen_counts[query];
  }

  const Scoring& scoring;
  const SimilarRules rules;
  SimilarPlan plan;
  std::vector<Words4> padded;
  std::vector<FoundRegion> found;
  std::vector<std::uint32_t> counts;
  RegionSearch search;

 private:
  template <int R, class Use>
  void with_table_of(const QueryPair& pair, const Use& use) {
    std::vector<Words4> table(static_cast<std::size_t>(pair_table_bytes(R, search.symbols)) / sizeof(Words4));
    char* const bytes = reinterpret_cast<char*>(table.data());
    for (int thread = 0; thread < 3; ++thread) build_pair_table<R>(bytes, search, pair, thread, 3);
    use.template operator()<R>(bytes);
  }
  template <class Use>
  void with_table(int rows, const QueryPair& pair, const Use& use) {
    switch (rows) {
      case 8:
        return with_table_of<8>(pair, use);
      case 12:
        return with_table_of<12>(pair, use);
      case 16:
        return with_table_of<16>(pair, use);
      case 20:
        return with_table_of<20>(pair, use);
      case 24:
        return with_table_of<24>(pair, use);
      case 32:
        return with_table_of<32>(pair, use);
      default:
        return with_table_of<64>(pair, use);
    }
  }
};

}  // namespace speedwell::ssca1::test
