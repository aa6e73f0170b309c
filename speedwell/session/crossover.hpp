// A crossover: both devices over the sizes of one problem, from which the Python package computes from which size on
// the GPU pays.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "speedwell/session/engine.hpp"

namespace speedwell::session {

/// The size, a family of problems, that a crossover goes through if none is chosen.
inline constexpr const char* crossover_size = "crossover";

/// Throws UsageError, which names others, for an application without a family of sizes of that name.
void require_crossover_sizes(const harness::Application& application, const std::vector<harness::Application>& all);

/// The variants that are compared if none are selected: the host and the GPU, or without one, one core and all cores.
/// Throws core::Unavailable where there is nothing to compare.
std::string crossover_variants(const harness::Application& application, const RunOptions& options);

/// The jobs of the sizes. Throws UsageError for fewer than three, which say nothing of a curve, and as jobs_of().
std::vector<Job> crossover_jobs(const harness::Application& application, const RunOptions& options,
                                const std::string& size);

/// Lets the Python package print the crossover of an application from the records in the engine's folder to standard
/// output; where it cannot, why and how to do it later goes to `out`.
void print_crossover_analysis(const Engine& engine, const std::string& application, std::ostream& out);

}  // namespace speedwell::session
