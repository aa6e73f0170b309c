// Records like those of real machines, made up by a simple model of times, for whatever reads records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace speedwell::harness::samples {

using Json = nlohmann::ordered_json;

/// A document without runs: a processor with `cores` cores, and an H200 if `gpu`.
Json machine(bool gpu, int cores);
/// A phase with `n` samples around `median` seconds, 1 % apart, reproducible by `seed`.
Json phase(double median, int n, std::uint64_t seed);
/// A run that passed; phases, limits and devices are filled in from the arguments.
struct Times {
  double allocate = 0, upload = 0, execute = 0, download = 0;
};
Json run(const std::string& application, const Json& problem, const Json& variant, const std::string& kind,
         const Times& times);

/// stream, matvec, alignment and transfer on two cores without a GPU: its rows are there, skipped.
Json cpu_only();
/// The same on 16 cores and an H200, with a matvec ladder, peers, energy and curves.
Json h200();
/// Failed, skipped and erroneous runs, no ceilings, no intervals.
Json failures();
/// Text that is out to break a page, a script or a table; also names of 10,000 letters.
Json hostile();

/// As one line of a .jsonl file.
std::string line(const Json& document);

}  // namespace speedwell::harness::samples
