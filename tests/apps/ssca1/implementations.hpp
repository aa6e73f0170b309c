// The five kernels behind one interface: the reference, and the library's on several numbers of threads and instruction
// sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"

namespace speedwell::ssca1::test {

struct Implementation {
  std::string name;
  std::function<Endpoints(Codes, Codes, const Scoring&, const EndpointRules&)> pairwise_align;
  std::function<Traced(Codes, Codes, const Scoring&, const std::vector<Endpoint>&, const TraceRules&)> trace;
  std::function<std::vector<SimilarRegion>(Codes, Codes, const Scoring&, const SimilarRules&)> locate_similar;
  std::function<Differences(const Members&, const DifferenceCosts&)> differences;
  std::function<StarAlignment(const Members&, const DifferenceCosts&)> star;
};
inline void PrintTo(const Implementation& implementation, std::ostream* os) { *os << implementation.name; }

inline std::string name_of_case(const ::testing::TestParamInfo<Implementation>& info) { return info.param.name; }

inline Implementation reference_implementation() {
  return {"reference",
          reference::pairwise_align,
          reference::scan_backward,
          reference::locate_similar,
          [](const Members& set, const DifferenceCosts& costs) {
            Differences d{set.size(), {}};
            for (std::size_t i = 0; i < set.size(); ++i)
              for (std::size_t j = i + 1; j < set.size(); ++j)
                d.upper.push_back(static_cast<std::int32_t>(reference::difference(set[i], set[j], costs)));
            return d;
          },
          reference::align_star};
}

inline std::vector<core::Isa> isas() {
  std::vector<core::Isa> all;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512})
    if (core::is_available(isa)) all.push_back(isa);
  return all;
}

inline std::string name_of(const Options& options) {
  return std::string(core::to_string(options.isa)) + "_" + std::to_string(options.threads) + "_threads";
}

inline Implementation library(const Options& options) {
  return {"library_" + name_of(options),
          [=](Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
            return pairwise_align(main, match, scoring, rules, options);
          },
          [=](Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& ends,
              const TraceRules& rules) { return scan_backward(main, match, scoring, ends, rules, options); },
          [=](Codes main, Codes query, const Scoring& scoring, const SimilarRules& rules) {
            return locate_similar(main, {&query, 1}, scoring, rules, options)[0];
          },
          [=](const Members& set, const DifferenceCosts& costs) {
            return global_align({&set, 1}, costs, options)[0];
          },
          [=](const Members& set, const DifferenceCosts& costs) {
            const auto differences = global_align({&set, 1}, costs, options);
            return multiple_align({&set, 1}, differences, costs, options)[0];
          }};
}

/// The library with another method to compute the table of kernel 1.
inline Implementation library(const TableVariant& variant, const Options& options) {
  Implementation made = library(options);
  made.name = std::string(variant.name) + "_" + name_of(options);
  std::replace(made.name.begin(), made.name.end(), '-', '_');
  made.pairwise_align = [=](Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
    return variant.find(main, match, scoring, rules, options);
  };
  return made;
}

inline std::vector<Implementation> libraries() {
  std::vector<Implementation> all;
  for (const core::Isa isa : isas())
    for (const int threads : {1, 3}) all.push_back(library({threads, isa}));
  return all;
}
/// Every variant of kernel 1, those that do not depend on the instruction set on one.
inline std::vector<Implementation> tables(const std::vector<int>& thread_counts) {
  std::vector<Implementation> all;
  for (const TableVariant& variant : table_variants())
    for (const core::Isa isa : isas())
      for (const int threads : thread_counts)
        if (isa == core::Isa::baseline || variant.name == "tiles" || variant.name == "sections")
          if (threads == 1 || variant.parallel) all.push_back(library(variant, {threads, isa}));
  return all;
}

}  // namespace speedwell::ssca1::test
