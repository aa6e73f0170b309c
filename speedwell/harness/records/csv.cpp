#include "speedwell/harness/records/csv.hpp"

#include <fmt/format.h>

#include <set>

namespace speedwell::harness {
namespace {

using records::Document;
using records::Run;

// Names and values grow together, so that a row cannot slip against the header.
class Row {
 public:
  void add(const std::string& name, const std::string& text) {
    names_.push_back(name);
    fields_.push_back(text);
  }
  void add(const std::string& name, const std::optional<double>& value) {
    add(name, value ? fmt::format("{}", *value) : std::string());
  }
  void add(const std::string& name, const std::optional<std::pair<double, double>>& ends) {
    add(name + ".0", ends ? std::optional(ends->first) : std::nullopt);
    add(name + ".1", ends ? std::optional(ends->second) : std::nullopt);
  }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  std::vector<std::string> names_, fields_;
};

std::string flag(const std::optional<bool>& value) { return value ? (*value ? "true" : "false") : ""; }

void add_phase(Row& row, const std::string& name, const std::optional<records::Phase>& phase) {
  using Number = std::optional<double>;
  row.add(name + ".median", phase ? Number(phase->median) : std::nullopt);
  row.add(name + ".interval", phase ? phase->interval : std::nullopt);
  row.add(name + ".p5", phase ? Number(phase->p5) : std::nullopt);
  row.add(name + ".p95", phase ? Number(phase->p95) : std::nullopt);
  row.add(name + ".n", phase ? std::to_string(phase->n) : "");
  row.add(name + ".passes", phase ? std::to_string(phase->passes) : "");
  std::string samples;
  if (phase)
    for (const double sample : phase->samples) samples += fmt::format("{}{}", samples.empty() ? "" : " ", sample);
  row.add(name + ".samples", samples);
}

Row row_of(const Document& document, const Run& run, const std::set<std::string>& parameters,
           const std::set<std::string>& choices) {
  using Number = std::optional<double>;
  Row row;
  row.add("machine.id", document.machine ? document.machine->id : "");
  row.add("machine.cpu.name", document.machine ? document.machine->cpu.name : "");
  row.add("build.version", document.build.version);
  row.add("build.commit", document.build.commit);
  row.add("session.started", document.session.started);
  row.add("application", run.application);
  row.add("size", run.size);
  for (const std::string& key : parameters) {
    const auto value = run.problem.find(key);
    row.add("problem." + key, value == run.problem.end() ? "" : records::to_string(value->second));
  }
  row.add("seed", std::to_string(run.seed));
  row.add("key", run.key);
  row.add("variant.name", run.variant.name);
  row.add("variant.backend", run.variant.backend);
  row.add("variant.role", run.variant.role);
  row.add("variant.adds", run.variant.description);
  row.add("variant.lineage", run.variant.lineage);
  row.add("variant.algorithm", run.variant.algorithm);
  row.add("status", to_string(run.status));
  row.add("reason", run.reason);
  row.add("exit_status", std::to_string(run.exit_status));
  row.add("device.kind", run.device.kind);
  row.add("device.name", run.device.name);
  row.add("device.threads", run.device.threads ? std::to_string(*run.device.threads) : "");
  row.add("device.uuid", run.device.uuid);
  row.add("verdict.passed", flag(run.verdict ? std::optional(run.verdict->passed) : std::nullopt));
  row.add("verdict.error", run.verdict ? run.verdict->error : std::nullopt);
  row.add("verdict.tolerance", run.verdict ? run.verdict->tolerance : std::nullopt);
  row.add("verdict.oracle", run.verdict ? run.verdict->oracle : "");
  row.add("result_digest", run.result_digest);
  row.add("checked_executes", run.checked_executes);
  add_phase(row, "phases.prepare_s", run.phases.prepare);
  add_phase(row, "phases.allocate_s", run.phases.allocate);
  add_phase(row, "phases.plan_s", run.phases.plan);
  add_phase(row, "phases.upload_s", run.phases.upload);
  add_phase(row, "phases.first_execute_s", run.phases.first_execute);
  add_phase(row, "phases.execute_s", run.phases.execute);
  add_phase(row, "phases.download_s", run.phases.download);
  add_phase(row, "phases.device_s", run.phases.device);
  add_phase(row, "phases.exchange_s", run.phases.exchange);
  add_phase(row, "phases.end_to_end_s", run.phases.end_to_end);
  const auto& work = run.work;
  row.add("work.operations", work ? Number(work->operations) : std::nullopt);
  row.add("work.arithmetic", work ? work->arithmetic : "");
  row.add("work.bytes_read", work ? Number(work->bytes_read) : std::nullopt);
  row.add("work.bytes_written", work ? Number(work->bytes_written) : std::nullopt);
  row.add("work.updates", work ? Number(work->updates) : std::nullopt);
  row.add("work.update", work ? work->update : "");
  row.add("work.working_set_bytes", work ? Number(work->working_set_bytes) : std::nullopt);
  row.add("work.over_link", flag(work ? std::optional(work->over_link) : std::nullopt));
  row.add("rates.bandwidth_GBps", run.rates.bandwidth_GBps);
  row.add("rates.operations_Gops", run.rates.operations_Gops);
  row.add("rates.updates_per_s", run.rates.updates_per_s);
  row.add("rates.rate_name", run.rates.rate_name);
  row.add("rates.rate", run.rates.rate);
  const auto& limit = run.limit;
  row.add("limit.time_s", limit ? Number(limit->time_s) : std::nullopt);
  row.add("limit.bound", limit ? limit->bound : "");
  row.add("limit.ceiling", limit ? limit->ceiling : "");
  row.add("limit.ceiling_value", limit ? limit->ceiling_value : std::nullopt);
  row.add("limit.ceiling_unit", limit ? limit->ceiling_unit : "");
  row.add("limit.fraction", limit ? limit->fraction : std::nullopt);
  row.add("limit_reason", run.limit_reason);
  const auto& best = run.best_limit;
  row.add("best_limit.time_s", best ? Number(best->time_s) : std::nullopt);
  row.add("best_limit.bound", best ? best->bound : "");
  row.add("best_limit.fraction", best ? best->fraction : std::nullopt);
  const auto& prediction = run.prediction;
  row.add("prediction.model", prediction ? prediction->model : "");
  row.add("prediction.time_s", prediction ? Number(prediction->time_s) : std::nullopt);
  row.add("prediction.ratio", prediction ? prediction->ratio : std::nullopt);
  row.add("prediction_reason", run.prediction_reason);
  row.add("energy.execute_J", run.energy.execute_J);
  row.add("energy.source", run.energy.source);
  row.add("energy.window_s", run.energy.window_s);
  row.add("energy.idle_W", run.energy.idle_W);
  row.add("energy.executes", run.energy.executes);
  row.add("energy_reason", run.energy_reason);
  row.add("device_bytes", run.device_bytes);
  row.add("cache_resident", flag(run.cache_resident));
  row.add("throttled", flag(run.throttled));
  row.add("clock_MHz", run.clock_MHz);
  row.add("temperature_C", run.temperature_C);
  for (const std::string& key : choices) {
    const auto value = run.choices.find(key);
    row.add("choices." + key, value == run.choices.end() ? "" : value->second);
  }
  row.add("source_digest", run.source_digest);
  row.add("overhead_s", run.overhead_s);
  return row;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace

std::string csv(const std::vector<Document>& documents) {
  std::set<std::string> parameters, choices;
  for (const Document& document : documents)
    for (const Run& run : document.runs) {
      for (const auto& [key, value] : run.problem) parameters.insert(key);
      for (const auto& [key, value] : run.choices) choices.insert(key);
    }
  std::string text = line_of(row_of({}, {}, parameters, choices).names());
  for (const Document& document : documents)
    for (const Run& run : document.runs) text += line_of(row_of(document, run, parameters, choices).fields());
  return text;
}

}  // namespace speedwell::harness
