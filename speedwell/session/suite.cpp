#include "speedwell/session/suite.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/report/answer.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::session {
namespace {

// Whether the options select a variant of this application, and not only another's.
bool selects_any(const harness::Application& application, const RunOptions& options) {
  try {
    harness::select_variants(application, options.variants);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

std::vector<const harness::Application*> suite_applications(const std::vector<harness::Application>& all,
                                                            const std::vector<std::string>& names,
                                                            const RunOptions& options) {
  for (const std::string& text : options.settings)  // APP.KEY=VALUE
    if (const auto dot = text.find('.'); dot < text.find('=')) harness::find_application(all, text.substr(0, dot));
  std::vector<const harness::Application*> chosen;
  for (const harness::Application& a : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), a.name) == names.end()) continue;
    if (!options.variants.empty() && all.size() > 1 && !selects_any(a, options)) continue;
    require_backend(a, options);
    chosen.push_back(&a);
  }
  if (chosen.empty())
    throw process::UsageError("no application has a variant '" + options.variants + "'", "speedwell list variants");
  return chosen;
}

std::string headline_variants(const harness::Application& application) {
  const auto has = [&](std::string_view name) {
    return std::any_of(application.variants.begin(), application.variants.end(),
                       [&](const auto& v) { return v.name == name; });
  };
  std::string list;
  for (const char* name : {"serial", "openmp", "cuda"})
    if (has(name)) list += (list.empty() ? "" : ",") + std::string(name);
  if (!has("cuda")) list += (list.empty() ? "" : ",") + std::string("cuda*");
  return list;
}

std::vector<Job> suite_jobs(const std::vector<const harness::Application*>& applications, const RunOptions& options,
                            const std::string& size, bool headline) {
  std::vector<Job> jobs;
  for (const harness::Application* a : applications) {
    RunOptions own = options;
    if (headline && options.variants.empty()) own.variants = headline_variants(*a);
    const auto more = jobs_of(*a, own, size, false);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  return jobs;
}

std::string suite_text(const std::vector<Job>& jobs, const std::vector<std::vector<harness::Outcome>>& outcomes,
                       const machine::Machine& machine, bool headline) {
  if (headline) {
    std::vector<harness::report::HeadlineRow> rows;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      rows.push_back({harness::find_size(*jobs[i].application, jobs[i].problem.size()).summary, outcomes[i]});
    return harness::report::answer(rows, machine);
  }
  std::string text = harness::summary_table(outcomes, machine);
  for (const auto& of_job : outcomes)
    for (const harness::Outcome& o : of_job)
      if (o.status == harness::Status::failed || o.status == harness::Status::error)
        text += harness::key_of(o.problem) + " " + o.variant->name + ": " + harness::to_string(o.status) + ": " +
                harness::printable(o.reason) + "\n";
  return text;
}

}  // namespace speedwell::session
