#include "speedwell/session/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

#include "speedwell/comm/launch.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/signals.hpp"
#include "speedwell/session/options.hpp"

namespace speedwell::session {
namespace {

constexpr int max_parts = 1 << 14;

std::vector<int> projected_counts(const std::string& text) {
  std::set<int> counts;
  for (const std::string& word : items_of(text))
    counts.insert(static_cast<int>(count_option("--project", word, 1, max_parts)));
  return {counts.begin(), counts.end()};
}

}  // namespace

std::string projection_text(const std::vector<harness::Projection>& projections) {
  std::string text;
  for (const harness::Projection& projection : projections) {
    text += harness::columns(projection.table, 0);
    for (const std::string& note : projection.notes) text += "  " + note + "\n";
  }
  return text;
}

ScaleProjection::ScaleProjection(const ProjectionOptions& options, const harness::Application& application,
                                 const std::string& variant, std::string unit, ProblemOn problem_on)
    : options_(options),
      application_(application),
      model_(harness::division_model(application)),
      unit_(std::move(unit)),
      problem_on_(std::move(problem_on)),
      counts_(projected_counts(options.counts)) {
  if (!model_)
    throw process::UsageError(
        application.name + " has no model of its division among ranks or GPUs",
        application.projector ? "speedwell compare " + application.name + " --project KEY=VALUE,…" : "");
  variant_ = &*std::find_if(application.variants.begin(), application.variants.end(),
                            [&](const harness::Variant& v) { return v.name == variant; });
}

bool ScaleProjection::find_link(const std::string& folder, bool oversubscribe) {
  const std::string file = options_.links.empty() ? folder + "/.link.json" : options_.links;
  source_ = options_.links.empty() ? "measured here" : "of " + harness::printable(file);
  std::error_code ignored;
  if (options_.links.empty()) {
    std::filesystem::remove(file, ignored);  // of a command that was killed
    std::vector<std::string> words;
    if (!is_on_gpus())
      words = comm::launch_command({.ranks = 2, .oversubscribe = oversubscribe, .one_core_each = true});
    words.insert(words.end(), {process::own_program(), "machine", "--quick", "--json", file});
    const int status = process::run_child(words);
    if (process::stop_status() != 0) {
      std::filesystem::remove(file, ignored);
      return false;
    }
    if (status != 0 && !std::filesystem::exists(file, ignored))
      throw core::Unavailable("--project: the link could not be measured: speedwell machine --quick says why");
  }
  std::optional<harness::LinkRates> found;
  for (const harness::records::Document& document : harness::records::read_documents({file}))
    if (document.machine && !found) found = harness::link_rates(*document.machine, is_on_gpus());
  if (options_.links.empty()) std::filesystem::remove(file, ignored);
  if (!found)
    throw core::Unavailable(
        fmt::format("--project: the link between two {}s is not {}; --links FILE names a record of "
                    "speedwell machine{} on a machine that has it",
                    unit_, source_, is_on_gpus() ? "" : " --ranks 2"));
  link_ = *found;
  return true;
}

harness::MeasuredDivision ScaleProjection::base(const harness::ScalingPoint& first) const {
  const harness::records::Phases& phases = first.run.phases;
  const harness::Problem problem = problem_on_(first.ranks);
  // One rank exchanges nothing, and what it spends in the exchange of its own halo remains a part of its work.
  const double exposed = first.ranks > 1 && phases.exchange ? phases.exchange->median : 0;
  return {.division = model_->divide(problem, *variant_, first.ranks),
          .updates = application_.work(problem).updates,
          .compute_seconds = phases.execute->median - exposed};
}

harness::PredictedPoint ScaleProjection::predict(const harness::MeasuredDivision& base, int ranks) const {
  harness::PredictedPoint point{.ranks = ranks, .updates = 0, .time = {}, .reason = {}};
  try {
    const harness::Problem problem = problem_on_(ranks);  // weak: it may grow beyond what is allowed
    point.updates = application_.work(problem).updates;
    point.time = harness::predict(base, model_->divide(problem, *variant_, ranks), point.updates, ranks, link_);
  } catch (const std::invalid_argument& e) {
    point.reason = e.what();
  }
  return point;
}

std::vector<harness::PredictedPoint> ScaleProjection::predicted(
    const std::vector<harness::ScalingPoint>& measured) const {
  std::vector<harness::PredictedPoint> points;
  if (measured.empty() || !measured.front().run.timed()) return points;
  const harness::MeasuredDivision first = base(measured.front());
  for (const int ranks : counts_) points.push_back(predict(first, ranks));
  return points;
}

std::string ScaleProjection::notes(const std::vector<harness::ScalingPoint>& measured) const {
  if (measured.empty() || !measured.front().run.timed()) return {};
  const harness::MeasuredDivision first = base(measured.front());
  std::string text;
  for (const harness::ScalingPoint& point : measured) {
    if (&point == &measured.front() || !point.run.timed()) continue;
    const auto time = predict(first, point.ranks).time;
    if (!time) continue;
    const double seconds = point.run.phases.execute->median;
    text += fmt::format("  the model says {} for {} {}s, and {} was measured ({:+.0f} %)\n",
                        core::format_seconds(time->seconds), point.ranks, unit_, core::format_seconds(seconds),
                        100 * (time->seconds / seconds - 1));
  }
  return text + fmt::format(
                    "  predicted: the largest part at the rate of the first row, and every pair linked by {:.3g} us, "
                    "{:.3g} GB/s and {:.3g} us for a sum of two ({}); without launches, shared bandwidth of a host and "
                    "networks between hosts\n",
                    link_.latency * 1e6, link_.bandwidth * 1e-9, link_.sum * 1e6, source_);
}

}  // namespace speedwell::session
