// The parameters and sizes of SSCA#1 for the harness.
#include "speedwell/apps/ssca1/adapter.hpp"

namespace speedwell::ssca1 {

std::vector<harness::Size> sizes() {
  const auto count = [](std::int64_t value) { return harness::Value(value); };
  const auto name = [](const char* value) { return harness::Value(std::string(value)); };
  const harness::Sweep kernels = {"kernel", {name("1"), name("2"), name("3"), name("4"), name("5")}};
  const auto lengths = [](std::int64_t main, std::int64_t match) {
    return std::vector<harness::Setting>{{"main_length", main}, {"match_length", match}};
  };
  // The validation strings add 163 symbols: 861 random ones make 1024 in all.
  constexpr std::int64_t match_1024 = 1024 - 163, mi = 1 << 20;
  auto headline = lengths(mi / 4, match_1024);
  headline.push_back({"kernel", name("1")});
  auto test = lengths(2048, 2048), strong = lengths(16 * mi, 128), weak = lengths(2 * mi, 128);
  test.push_back({"similar_score", count(0)});  // so that every query has some similar regions
  test.push_back({"places", count(20)});
  test.push_back({"candidates", name("all")});
  for (auto* own : {&strong, &weak}) {
    own->push_back({"preset", "dissertation"});
    own->push_back({"strings", "no"});
  }
  std::vector<harness::Value> main_lengths;
  for (std::int64_t length = 64; length <= mi; length *= 4) main_lengths.emplace_back(length);
  return {
      {"test", "2048 x 2048 random codons, for which an independent program gave golden values", test, {kernels}},
      {"headline", "1, 256 Ki x 861", headline, {}},
      {"small", "64 Ki x 1024", lengths(mi / 16, match_1024), {kernels}},
      {"standard",
       "1 Mi x 1024: 10^9 cells, the length of the dissertation's query",
       lengths(mi, match_1024),
       {kernels}},
      {"large", "16 Mi x 1024", lengths(16 * mi, match_1024), {kernels}},
      {"crossover",
       "64 to 1 Mi x 1024, kernel 1",
       {{"kernel", name("1")}, {"match_length", count(match_1024)}},
       {{"main_length", main_lengths}}},
      {"strong", "16 Mi x 128, kernel 1: the dissertation's strong scaling", strong, {}},
      {"weak", "2 Mi x 128, kernel 1: what a device has in the dissertation's weak scaling", weak, {}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("kernel", "1", "endpoints, alignments, similar regions, differences or multiple alignments",
                      {"1", "2", "3", "4", "5"}),
      harness::choice("alphabet", "codons", "symbols of the sequences: codons or nucleotides", {"codons", "letters"}),
      harness::choice("preset", "ssca1", "scores of the specification, the dissertation or the OpenSHMEM port",
                      {"ssca1", "dissertation", "ornl"}),
      harness::integer("main_length", 65536, "random symbols of main", {1, 1e11}),
      harness::integer("match_length", 1024 - 163, "random symbols of match", {1, 2e8}),
      harness::choice("strings", "yes", "six pairs of validation strings, 163 codons, in both; nucleotides have none",
                      {"yes", "no"}),
      harness::choice("mode", "peaks", "kernel 1: separated local maxima (peaks), or the largest cells (plain)",
                      {"peaks", "plain"}),
      harness::integer("minimum_score", 20, "kernel 1: minimum score of an endpoint", {1, 1e9}),
      harness::integer("separation", 5, "kernel 1: minimum separation of endpoints, in main or in match", {0, 1e9}),
      harness::integer("count", 200, "kernel 1: maximum number of endpoints", {1, 1e6}),
      harness::choice("candidates", "needed", "kernel 1: count all candidates, or skip those that cannot be accepted",
                      {"needed", "all"}),
      harness::integer("alignments", 100, "kernel 2: maximum number of alignments", {1, 1e6}),
      harness::integer("similar_score", 10, "kernel 3: minimum score of a region", {0, 1e9}),
      harness::integer("places", 100, "kernel 3: maximum number of regions of a query", {1, 1e4}),
      harness::integer("mismatch", 20, "kernels 4 and 5: mismatch cost", {0, 1e6}),
      harness::integer("space", 30, "kernels 4 and 5: cost of a space, a symbol without a partner", {0, 1e6}),
      harness::integer("sections", 0, "variant overlap: sections of main; 0: one for each thread", {0, 1e6}),
      harness::integer("overlap", -1,
                       "variant overlap: columns; where not set (-1): what is required, and less is refused",
                       {0, 1e11}),
  };
}

}  // namespace speedwell::ssca1
