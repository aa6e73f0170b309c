#include "speedwell/harness/records/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "speedwell/harness/records/json_node.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::harness::records {
namespace {

constexpr const char* schema = "speedwell-records/1";

std::optional<Phase> read_phase(const Node& phases, const std::string& key) {
  const auto node = phases.find(key);
  if (!node) return std::nullopt;
  Phase phase;
  phase.median = node->at("median").amount();
  phase.interval = node->optional_range("interval");
  if (phase.interval && phase.interval->first < 0) node->refuse("is negative", "interval");
  phase.p5 = node->optional_amount("p5").value_or(phase.median);
  phase.p95 = node->optional_amount("p95").value_or(phase.median);
  if (const auto samples = node->find("samples"))
    samples->each_element([&](const Node& sample) { phase.samples.push_back(sample.amount()); });
  const std::int64_t n = node->optional_whole("n").value_or(static_cast<std::int64_t>(phase.samples.size()));
  if (n < 0) node->refuse("is negative", "n");
  phase.n = static_cast<std::size_t>(n);
  const std::int64_t passes = node->optional_whole("passes").value_or(0);
  if (passes < 0) node->refuse("is negative", "passes");
  phase.passes = static_cast<std::size_t>(passes);
  if (const auto throttled = node->find("sample_throttled"))
    throttled->each_element([&](const Node&) { ++phase.throttled; });
  return phase;
}

Phases read_phases(const Node& node) {
  Phases phases = {read_phase(node, "prepare_s"), read_phase(node, "allocate_s"),
                   read_phase(node, "upload_s"),  read_phase(node, "first_execute_s"),
                   read_phase(node, "execute_s"), read_phase(node, "download_s"),
                   read_phase(node, "device_s"),  read_phase(node, "end_to_end_s"),
                   read_phase(node, "plan_s"),    read_phase(node, "exchange_s")};
  // Older records do not have the number of passes, but each pass has one sample of end_to_end_s.
  const std::size_t passes = phases.end_to_end ? phases.end_to_end->n : 0;
  for (auto* phase : {&phases.prepare, &phases.allocate, &phases.upload, &phases.first_execute, &phases.execute,
                      &phases.download, &phases.device, &phases.end_to_end, &phases.plan, &phases.exchange})
    if (*phase && (*phase)->passes == 0) (*phase)->passes = passes > 0 ? passes : (*phase)->n;
  return phases;
}

std::optional<Limit> read_limit(const Node& run, const std::string& key) {
  const auto limit = run.find(key);
  if (!limit) return std::nullopt;
  return Limit{limit->at("time_s").amount(),         limit->text_or_empty("bound"),
               limit->text_or_empty("ceiling"),      limit->optional_amount("ceiling_value"),
               limit->text_or_empty("ceiling_unit"), limit->optional_amount("fraction")};
}

Status read_status(const Node& node) {
  const std::string text = node.text();
  for (const Status status : {Status::passed, Status::failed, Status::skipped, Status::error})
    if (text == to_string(status)) return status;
  node.refuse("is none of passed, failed, skipped, error");
}

Value read_value(const Node& node) {
  if (node.json().is_string()) return node.text();
  if (node.json().is_boolean()) return std::string(node.boolean() ? "true" : "false");
  if (node.fits_int64()) return node.whole();
  return node.number();
}

Device read_device(const Node& node) {
  Device device{node.at("kind").text(), node.at("name").text(), node.optional_whole("threads"),
                node.text_or_empty("uuid")};
  if (device.kind != "core" && device.kind != "cores" && device.kind != "gpu")
    node.refuse("is none of core, cores, gpu", "kind");
  return device;
}

Work read_work(const Node& node) {
  return {node.optional_amount("operations").value_or(0),
          node.text_or_empty("arithmetic"),
          node.optional_amount("bytes_read").value_or(0),
          node.optional_amount("bytes_written").value_or(0),
          node.optional_amount("updates").value_or(0),
          node.text_or_empty("update"),
          node.optional_amount("working_set_bytes").value_or(0),
          node.flag("over_link"),
          node.flag("between_gpus")};
}

void read_measurements(const Node& node, Run& run) {
  if (const auto phases = node.find("phases")) run.phases = read_phases(*phases);
  if (const auto work = node.find("work")) run.work = read_work(*work);
  if (const auto rates = node.find("rates"))
    run.rates = {rates->optional_amount("bandwidth_GBps"), rates->optional_amount("operations_Gops"),
                 rates->optional_amount("updates_per_s"), rates->text_or_empty("rate_name"),
                 rates->optional_amount("rate")};
  run.limit = read_limit(node, "limit");
  run.best_limit = read_limit(node, "best_limit");
  if (const auto prediction = node.find("prediction"))
    run.prediction = {prediction->text_or_empty("model"), prediction->at("time_s").amount(),
                      prediction->optional_amount("ratio")};
  if (const auto energy = node.find("energy"))
    run.energy = {energy->optional_amount("execute_J"), energy->text_or_empty("source"),
                  energy->optional_amount("window_s"), energy->optional_amount("idle_W"),
                  energy->optional_whole("executes")};
  run.limit_reason = node.text_or_empty("limit_reason");
  run.prediction_reason = node.text_or_empty("prediction_reason");
  run.energy_reason = node.text_or_empty("energy_reason");
  run.device_bytes = node.optional_amount("device_bytes");
  run.cache_resident = node.flag("cache_resident");
  if (const auto throttled = node.find("throttled")) run.throttled = throttled->boolean();
  run.clock_MHz = node.optional_range("clock_MHz");
  run.temperature_C = node.optional_range("temperature_C");
  run.overhead_s = node.optional_amount("overhead_s");
}

Run read_run(const Node& node) {
  Run run;
  run.application = node.at("application").text();
  run.title = node.text_or_empty("title");
  run.size = node.text_or_empty("size");
  node.at("problem").each_member(
      [&](const std::string& key, const Node& value) { run.problem.emplace(key, read_value(value)); });
  if (const auto seed = node.find("seed")) {
    if (!seed->json().is_number_unsigned()) seed->refuse("is not a whole number");
    run.seed = seed->json().get<std::uint64_t>();
  }
  run.key = node.at("key").text();
  const Node variant = node.at("variant");
  run.variant = {variant.at("name").text(),     variant.text_or_empty("backend"), variant.text_or_empty("role"),
                 variant.text_or_empty("adds"), variant.text_or_empty("lineage"), variant.text_or_empty("algorithm")};
  run.status = read_status(node.at("status"));
  run.reason = node.text_or_empty("reason");
  run.exit_status = static_cast<int>(node.optional_whole("exit_status").value_or(0));
  if (const auto device = node.find("device")) run.device = read_device(*device);
  if (const auto verdict = node.find("verdict"))
    run.verdict = Verdict{verdict->at("passed").boolean(), verdict->optional_number("error"),
                          verdict->optional_number("tolerance"), verdict->text_or_empty("oracle")};
  run.result_digest = node.text_or_empty("result_digest");
  run.checked_executes = node.optional_amount("checked_executes");
  run.source_digest = node.text_or_empty("source_digest");
  read_measurements(node, run);
  if (const auto choices = node.find("choices"))
    choices->each_member([&](const std::string& key, const Node& value) { run.choices.emplace(key, value.text()); });

  // Speedups are computed from runs that passed: those must have a verdict, a time and a device.
  if (run.status == Status::passed) {
    if (!run.verdict) node.refuse("is missing or null in a run that passed", "verdict");
    if (!run.verdict->passed) node.refuse("is not passed in a run whose status is passed", "verdict");
    if (!run.phases.execute) node.refuse("has no execute_s in a run that passed", "phases");
    if (run.device.kind.empty()) node.refuse("is missing or null in a run that passed", "device");
  }
  return run;
}

Cpu read_cpu(const Node& node) {
  Cpu cpu{node.at("name").text(),
          node.optional_whole("sockets"),
          node.optional_whole("cores"),
          node.optional_whole("threads"),
          node.optional_whole("numa_nodes"),
          node.optional_whole("memory_bytes"),
          {},
          {}};
  if (const auto caches = node.find("caches"))
    caches->each_element([&](const Node& cache) {
      cpu.caches.push_back({cache.at("level").whole(), cache.at("bytes").whole(),
                            cache.optional_whole("shared_by").value_or(1),
                            cache.optional_whole("instances").value_or(1)});
    });
  if (const auto sets = node.find("instruction_sets"))
    sets->each_element([&](const Node& set) { cpu.instruction_sets.push_back(set.text()); });
  return cpu;
}

Gpu read_gpu(const Node& node) {
  Gpu gpu;
  gpu.index = node.optional_whole("index").value_or(0);
  gpu.name = node.at("name").text();
  gpu.uuid = node.text_or_empty("uuid");
  gpu.compute_capability = node.optional_whole("compute_capability");
  gpu.multiprocessors = node.optional_whole("multiprocessors");
  gpu.memory_bytes = node.optional_whole("memory_bytes");
  gpu.l2_bytes = node.optional_whole("l2_bytes");
  if (const auto ecc = node.find("ecc")) gpu.ecc = ecc->boolean();
  gpu.power_limit_W = node.optional_amount("power_limit_W");
  gpu.clock_max_MHz = node.optional_amount("clock_max_MHz");
  gpu.link_generation = node.optional_whole("link_generation");
  gpu.link_width = node.optional_whole("link_width");
  return gpu;
}

Machine read_machine(const Node& node) {
  Machine machine;
  machine.id = node.at("id").text();
  machine.cpu = read_cpu(node.at("cpu"));
  if (const auto gpus = node.find("gpus"))
    gpus->each_element([&](const Node& gpu) { machine.gpus.push_back(read_gpu(gpu)); });
  machine.gpu_reason = node.text_or_empty("gpu_reason");
  machine.os = node.text_or_empty("os");
  machine.kernel = node.text_or_empty("kernel");
  machine.driver = node.text_or_empty("driver");
  if (const auto ceilings = node.find("ceilings"))
    ceilings->each_element([&](const Node& c) {
      machine.ceilings.push_back({c.at("name").text(), c.optional_amount("value"), c.text_or_empty("unit"),
                                  c.optional_amount("low"), c.optional_amount("high")});
    });
  return machine;
}

Build read_build(const Node& node) {
  return {node.text_or_empty("version"),
          node.text_or_empty("commit"),
          node.flag("dirty"),
          node.text_or_empty("compiler"),
          node.text_or_empty("flags"),
          node.text_or_empty("build_type"),
          node.text_or_empty("cuda"),
          node.text_or_empty("cuda_architectures"),
          node.text_or_empty("mpi"),
          node.text_or_empty("openmp")};
}

Session read_session(const Node& node) {
  Session session{node.text_or_empty("started"), node.text_or_empty("command_line"), {}};
  if (const auto environment = node.find("environment"))
    environment->each_member(
        [&](const std::string& key, const Node& value) { session.environment.emplace(key, value.text()); });
  return session;
}

Document read_document(const Node& root) {
  const std::string found = root.at("schema").text();
  if (found != schema)
    root.refuse(fmt::format("is '{}'; this version reads {}", found.substr(0, 60), schema), "schema");
  Document document;
  if (const auto error = root.find("error"))
    document.failure = Failure{static_cast<int>(error->optional_whole("status").value_or(0)),
                               error->text_or_empty("id"), error->at("message").text(), error->text_or_empty("hint")};
  if (const auto machine = root.find("machine")) document.machine = read_machine(*machine);
  if (const auto build = root.find("build")) document.build = read_build(*build);
  if (const auto session = root.find("session")) document.session = read_session(*session);
  if (!document.failure && !document.machine) root.refuse("is missing or null", "machine");
  if (const auto runs = document.failure ? root.find("runs") : root.at("runs"))
    runs->each_element([&](const Node& run) { document.runs.push_back(read_run(run)); });
  if (!document.runs.empty() && !document.machine) root.refuse("is missing beside runs", "machine");
  return document;
}

}  // namespace

std::string to_string(const Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::optional<double> Machine::ceiling(std::string_view name) const {
  for (const Ceiling& c : ceilings)
    if (c.name == name && c.value && *c.value > 0) return c.value;
  return std::nullopt;
}

Document parse_document(std::string_view text, const std::string& file, std::size_t first_line) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const TextPosition position = position_of(text, error.byte > 0 ? error.byte - 1 : 0);
    throw io::InputError("input.records.json", file, position.line + first_line - 1, position.column,
                         text.empty() ? "is empty: there is no JSON document" : "is not well-formed JSON here");
  } catch (const Json::out_of_range&) {
    throw io::InputError("input.records.json", file, first_line, 0, "holds a number that no double can hold");
  }
  const Source source{text, file, first_line};
  return read_document(Node(json, source, {}));
}

std::vector<Document> parse_documents(std::string_view text, const std::string& file) {
  if (!file.ends_with(".jsonl") && !file.ends_with(".jsonl.gz")) return {parse_document(text, file)};
  std::vector<Document> documents;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    if (content.find_first_not_of(" \t\r") != std::string_view::npos)
      documents.push_back(parse_document(content, file, line));
    begin = end + 1;
  }
  if (documents.empty()) throw io::InputError("input.records.json", file, 0, 0, "is empty: there is no JSON document");
  return documents;
}

std::vector<Document> read_documents(const std::vector<std::string>& files) {
  std::vector<Document> documents;
  for (const std::string& file : files)
    for (Document& document : parse_documents(io::read_file(file, max_file_bytes), file))
      documents.push_back(std::move(document));
  return documents;
}

}  // namespace speedwell::harness::records
