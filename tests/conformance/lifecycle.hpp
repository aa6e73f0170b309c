// Takes the variants of the catalogue through the life of a run, as the harness does, without timing them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/machine/machine.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::conformance {

/// The whole catalogue, made once.
const std::vector<harness::Application>& applications();
const machine::Machine& this_machine();

/// Why `variant` cannot run on this machine or does not support `problem`; nothing if it can and does. Variants on
/// ranks have tests of their own.
std::optional<std::string> skip_reason(const harness::Application& application, const harness::Problem& problem,
                                       const harness::Variant& variant);

/// Every problem of a size with the default settings.
std::vector<harness::Problem> problems_of(const harness::Application& application, const std::string& size,
                                          std::uint64_t seed = 1);
/// The problems on which every variant is tested: those of size test, and some with settings that size test leaves at
/// their defaults.
std::vector<harness::Problem> test_problems(const harness::Application& application, std::uint64_t seed = 1);
/// "application problem: variant", for messages.
std::string label(const harness::Problem& problem, const harness::Variant& variant);

/// The phases in the order of the harness: allocate, plan, upload, reset, execute, download; then poison, and once more
/// reset, execute, download. The harness verifies the second answer.
void run_all_phases(harness::Run& run);

/// All outputs, byte by byte.
std::vector<unsigned char> bytes_of(harness::Run& run);

/// Bytes that this process has allocated on its heap.
double heap_bytes();

}  // namespace speedwell::conformance
