// The named problems of alignment.
#include <string>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"

namespace speedwell::alignment {

std::vector<harness::Size> sizes() {
  const auto extent = [](std::int64_t queries, std::int64_t subjects, double mean_length) {
    return std::vector<harness::Setting>{{"queries", queries}, {"subjects", subjects}, {"mean_length", mean_length}};
  };
  const auto one_pair = [](double length, double related) {
    return std::vector<harness::Setting>{{"alphabet", "dna"},     {"queries", 1},  {"subjects", 1},
                                         {"mean_length", length}, {"spread", 0.0}, {"related", related}};
  };
  const auto planted_pair = [&](double length, std::int64_t blocks) {
    std::vector<harness::Setting> settings = one_pair(length, 0);
    settings.push_back({"planted", blocks});
    return settings;
  };
  const std::vector<harness::Value> alphabets = {"protein", "dna"};
  std::vector<harness::Value> subjects;
  for (std::int64_t count = 1; count <= 1024; count *= 2) subjects.emplace_back(count);
  return {
      {"test",
       "7 short queries against 150 short subjects, many of them related; protein and DNA",
       {{"queries", 7}, {"subjects", 150}, {"mean_length", 120.0}, {"related", 0.1}},
       {{"alphabet", alphabets}}},
      {"headline", "10 x 500 proteins", extent(10, 500, 360), {}},
      {"small", "10 proteins against 500", extent(10, 500, 360), {}},
      {"standard", "100 proteins against 20,000", extent(100, 20000, 360), {}},
      {"large",
       "the 20 query lengths of the CUDASW++ papers (144 to 5478) against as many proteins as Swiss-Prot has",
       {{"queries", 20}, {"subjects", 570000}, {"mean_length", 360.0}, {"query_lengths", "survey"}},
       {}},
      {"crossover",
       "10 proteins against 1 to 1024",
       {{"queries", 10}, {"mean_length", 360.0}},
       {{"subjects", subjects}}},
      {"pair", "one pair of 4 million bases each, unrelated", one_pair(4e6, 0), {}},
      {"pair-relatives",
       "one pair of 4 million bases each, the second an altered copy of the first",
       one_pair(4e6, 1),
       {}},
      {"pair-huge",
       "one pair of 32 million bases each, unrelated but for 1024 short alignments planted all over the table",
       planted_pair(32e6, 32),
       {}},
  };
}

}  // namespace speedwell::alignment
