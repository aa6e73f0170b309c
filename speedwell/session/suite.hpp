// A suite: the applications, variants and problems that are measured together, and their results.
#pragma once

#include <string>
#include <vector>

#include "speedwell/session/engine.hpp"

namespace speedwell::session {

/// The applications of `all` with one of these names, or all without names, that have a variant which the options
/// select. Throws UsageError if there are none, or for a --set of an application that does not exist, and as
/// require_backend().
std::vector<const harness::Application*> suite_applications(const std::vector<harness::Application>& all,
                                                            const std::vector<std::string>& names,
                                                            const RunOptions& options);

/// The variants that stand for an application, as a list of patterns: one core, all cores and the best variant of the
/// GPU, or every variant of a GPU where none is called the best.
std::string headline_variants(const harness::Application& application);

/// The jobs of these applications at one size. With `headline` and without --variant those of headline_variants().
std::vector<Job> suite_jobs(const std::vector<const harness::Application*>& applications, const RunOptions& options,
                            const std::string& size, bool headline);

/// The results of these jobs: with `headline` the answer of each application (see harness::report), else a table and
/// what failed.
std::string suite_text(const std::vector<Job>& jobs, const std::vector<std::vector<harness::Outcome>>& outcomes,
                       const machine::Machine& machine, bool headline);

}  // namespace speedwell::session
