#include "speedwell/harness/tables/crossover_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/outcome_times.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

using Outcomes = std::vector<std::vector<Outcome>>;

/// The outcome on a device of this kind that is fastest by `seconds`; null if none passed.
const Outcome* fastest(const std::vector<Outcome>& outcomes, DeviceKind kind, Seconds* seconds) {
  return fastest_of(outcomes, seconds, [&](const Outcome& o) { return o.device == kind; });
}

bool any_on(const Outcomes& all, DeviceKind kind) {
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& outcomes) { return fastest(outcomes, kind, execute_seconds) != nullptr; });
}

std::string words_of(DeviceKind kind) {
  return kind == DeviceKind::gpu ? "GPU" : kind == DeviceKind::cores ? "all cores" : "one core";
}

std::vector<std::string> differing_keys(const std::vector<Job>& jobs) {
  std::vector<std::string> keys;
  const auto& first = jobs.front().problem.settings();
  for (std::size_t i = 0; i < first.size(); ++i)
    if (std::any_of(jobs.begin(), jobs.end(),
                    [&](const Job& job) { return job.problem.settings()[i].value != first[i].value; }))
      keys.push_back(first[i].key);
  return keys;
}

// "96", or where keys differ from each other "64 x 32".
std::string size_text(const Problem& problem, const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  for (const Setting& s : problem.settings())
    if (std::find(keys.begin(), keys.end(), s.key) != keys.end()) values.push_back(to_string(s.value));
  const bool equal = std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values.front(); });
  if (equal && !values.empty()) values.resize(1);
  return printable(fmt::format("{}", fmt::join(values, " x ")));
}

void add_cells(std::vector<std::string>& row, const std::vector<Outcome>& outcomes, DeviceKind base, DeviceKind now,
               Seconds* seconds) {
  const Outcome* const first = fastest(outcomes, base, seconds);
  const Outcome* const second = fastest(outcomes, now, seconds);
  for (const Outcome* o : {first, second}) row.push_back(o ? core::format_seconds(seconds(*o)) : "-");
  row.push_back(first && second ? fmt::format("{:.3g}", seconds(*first) / seconds(*second)) : "-");
}

// The variants that ran, once each, and the runs that did not pass.
std::string notes(const Outcomes& all, const machine::Machine& machine) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const auto& outcomes : all)
    for (const Outcome& o : outcomes)
      if (timed(o)) add(fmt::format("  {}: {} on {}", words_of(o.device), o.variant->name, device_name(o, machine)));
  for (const auto& outcomes : all)
    for (const Outcome& o : outcomes)
      if (!timed(o)) add(fmt::format("  {}: {}: {}", o.variant->name, to_string(o.status), printable(o.reason)));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

std::string swept_keys(const std::vector<Job>& jobs) {
  return fmt::format("{}", fmt::join(differing_keys(jobs), ", "));
}

std::string crossover_table(const std::vector<Job>& jobs, const Outcomes& outcomes, const machine::Machine& machine) {
  const DeviceKind now = any_on(outcomes, DeviceKind::gpu) ? DeviceKind::gpu : DeviceKind::cores;
  const DeviceKind base =
      now == DeviceKind::gpu && any_on(outcomes, DeviceKind::cores) ? DeviceKind::cores : DeviceKind::core;
  const auto keys = differing_keys(jobs);
  const std::string a = words_of(base), b = words_of(now);
  std::vector<std::vector<std::string>> rows = {{"", "execute", "", "", "end to end", "", ""},
                                                {swept_keys(jobs), a, b, "ratio", a, b, "ratio"}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<std::string> row = {size_text(jobs[i].problem, keys)};
    add_cells(row, outcomes[i], base, now, execute_seconds);
    add_cells(row, outcomes[i], base, now, total_seconds);
    rows.push_back(std::move(row));
  }
  return columns(rows, 1) + notes(outcomes, machine);
}

}  // namespace speedwell::harness
