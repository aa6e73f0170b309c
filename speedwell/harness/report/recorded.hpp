// Results of a reference GPU in the headline problems, from the records that came with these sources.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace speedwell::harness::report {

struct RecordedRun {
  std::string_view key;  // of the problem, as key_of() writes it
  double execute_seconds, end_to_end_seconds;
  std::string_view source_digest;  // of the application's sources (build_info.hpp)
};

struct Recorded {
  std::string_view gpu;  // "one NVIDIA H200"; empty where no records came with the sources
  std::string_view day;  // "2026-11-25"
  std::span<const RecordedRun> runs;
};
Recorded recorded();

/// The key that a recorded problem has today. Keys of stencil in records of 0.1 name parameters of solvers and
/// matrices, which are applications of their own by now (docs/records.md).
std::string current_key(std::string_view recorded);

}  // namespace speedwell::harness::report
