#include "speedwell/harness/records/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "speedwell/core/statistics.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/build_info.hpp"

namespace speedwell::harness {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(std::string(text)); }

Json range(const std::optional<std::pair<int, int>>& r) {
  return r ? Json::array({r->first, r->second}) : Json(nullptr);
}

Json phase(const core::Summary& s, const std::vector<double>& samples, std::size_t passes) {
  return {{"median", s.median},
          {"interval", s.interval ? Json::array({s.interval->first, s.interval->second}) : Json(nullptr)},
          {"p5", s.p5},
          {"p95", s.p95},
          {"n", s.n},
          {"passes", passes},
          {"samples", samples}};
}

// A phase that each pass has once.
Json phase(const std::vector<double>& samples) {
  return samples.empty() ? Json(nullptr) : phase(core::summarize(samples), samples, samples.size());
}

// Executes: every sample with its pass and its marks.
Json phase(const std::vector<Sample>& samples) {
  if (samples.empty()) return nullptr;
  std::vector<double> seconds;
  Json pass = Json::array(), throttled = Json::array(), clock = Json::array();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    seconds.push_back(samples[i].seconds);
    pass.push_back(samples[i].pass);
    clock.push_back(optional(samples[i].clock_MHz));
    if (samples[i].throttled) throttled.push_back(i);
  }
  const bool clocked =
      std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.clock_MHz.has_value(); });
  Json json = phase(summarize(samples), seconds, pass_count(samples));
  json["sample_pass"] = std::move(pass);
  json["sample_throttled"] = std::move(throttled);
  json["sample_clock_MHz"] = clocked ? std::move(clock) : Json(nullptr);
  return json;
}

Json problem_json(const Problem& problem) {
  Json json = Json::object();
  for (const Setting& s : problem.settings()) std::visit([&](const auto& v) { json[s.key] = v; }, s.value);
  return json;
}

Json verdict_json(const std::optional<core::Verdict>& verdict) {
  if (!verdict) return nullptr;
  return {{"passed", verdict->passed},
          {"error", number(verdict->error)},
          {"tolerance", number(verdict->tolerance)},
          {"oracle", verdict->oracle}};
}

Json rates_json(const Outcome& o) {
  Json rates = {{"bandwidth_GBps", nullptr},
                {"operations_Gops", nullptr},
                {"updates_per_s", nullptr},
                {"rate_name", text_or_null(o.application->rate_name)},
                {"rate", nullptr}};
  if (o.execute.empty()) return rates;
  const double seconds = median_seconds(o.execute);
  if (!(seconds > 0)) return rates;
  const double bytes = o.work.bytes_read + o.work.bytes_written;
  if (bytes > 0 && o.application->bandwidth_rate) rates["bandwidth_GBps"] = bytes / seconds / 1e9;
  if (o.work.operations > 0) rates["operations_Gops"] = o.work.operations / seconds / 1e9;
  if (o.work.updates > 0) {
    rates["updates_per_s"] = o.work.updates / seconds;
    if (!o.application->rate_name.empty()) rates["rate"] = o.work.updates / seconds / o.application->rate_scale;
  }
  return rates;
}

Json limit_json(const Outcome& o, const LimitOrReason& limit) {
  if (!limit.limit || o.execute.empty()) return nullptr;
  const Limit& l = *limit.limit;
  return {{"time_s", l.seconds},
          {"bound", l.bound},
          {"ceiling", l.ceiling},
          {"ceiling_value", l.ceiling_value},
          {"ceiling_unit", l.ceiling_unit},
          {"fraction", number(l.seconds / median_seconds(o.execute))}};
}

Json prediction_json(const Outcome& o) {
  if (!o.prediction || o.execute.empty()) return nullptr;
  return {{"model", o.prediction->model},
          {"time_s", o.prediction->seconds},
          {"ratio", number(o.prediction->seconds / median_seconds(o.execute))}};
}

// Hosts are numbered, not named: records are shown to others.
Json ranks_json(const std::vector<comm::Placement>& placement) {
  if (placement.empty()) return nullptr;
  std::vector<std::string> hosts;
  Json places = Json::array();
  for (const comm::Placement& p : placement) {
    auto host = std::find(hosts.begin(), hosts.end(), p.host);
    if (host == hosts.end()) host = hosts.insert(host, p.host);
    Json& place = places.emplace_back(
        Json{{"rank", p.rank}, {"host", host - hosts.begin()}, {"local_rank", p.local_rank}, {"cores", p.cores}});
    if (!p.gpu.empty()) place["gpu"] = p.gpu;
  }
  return {{"count", placement.size()}, {"hosts", hosts.size()}, {"placement", places}};
}

Json gpu_json(const machine::Gpu& g) {
  return {{"index", g.index},
          {"name", g.name},
          {"uuid", g.uuid},
          {"compute_capability", g.compute_capability},
          {"multiprocessors", g.multiprocessors},
          {"memory_bytes", g.memory_bytes},
          {"l2_bytes", g.l2_bytes},
          {"ecc", optional(g.ecc)},
          {"power_limit_W", optional(g.power_limit_W)},
          {"clock_max_MHz", optional(g.clock_max_MHz)},
          {"link_generation", optional(g.link_generation)},
          {"link_width", optional(g.link_width)}};
}

Json machine_json(const machine::Machine& m, const machine::Ceilings& ceilings) {
  Json caches = Json::array();
  for (const machine::Cache& c : m.cpu.caches)
    caches.push_back({{"level", c.level}, {"bytes", c.bytes}, {"shared_by", c.shared_by}, {"instances", c.instances}});
  Json gpus = Json::array();
  for (const machine::Gpu& g : m.gpus) gpus.push_back(gpu_json(g));
  Json measured = Json::array();
  for (const machine::Ceiling& c : ceilings.entries)
    measured.push_back({{"name", c.name},
                        {"value", number(c.value)},
                        {"unit", c.unit},
                        {"low", number(c.low)},
                        {"high", number(c.high)},
                        {"stable", machine::is_stable(c)},
                        {"samples", c.samples}});
  return {{"id", m.id},
          {"cpu",
           {{"name", m.cpu.name},
            {"sockets", m.cpu.sockets},
            {"cores", m.cpu.cores},
            {"threads", m.cpu.threads},
            {"numa_nodes", m.cpu.numa_nodes},
            {"memory_bytes", m.cpu.memory_bytes},
            {"caches", caches},
            {"instruction_sets", m.cpu.instruction_sets}}},
          {"gpus", gpus},
          {"gpu_reason", text_or_null(m.gpu_reason)},
          {"os", m.os},
          {"kernel", m.kernel},
          {"driver", text_or_null(m.driver)},
          {"ceilings", measured}};
}

Json build_json() {
  const BuildInfo& b = build_info();
  return {{"version", b.version},
          {"commit", text_or_null(b.commit)},
          {"dirty", b.dirty},
          {"compiler", b.compiler},
          {"flags", b.flags},
          {"build_type", b.build_type},
          {"cuda", text_or_null(b.cuda)},
          {"cuda_architectures", text_or_null(b.cuda_architectures)},
          {"mpi", text_or_null(b.mpi)},
          {"openmp", text_or_null(b.openmp)}};
}

Json host_load_json(const std::optional<machine::HostLoad>& load) {
  if (!load || load->window_s < machine::min_window_s) return nullptr;
  return {{"window_s", load->window_s},
          {"others", load->others},
          {"steal", load->steal},
          {"involuntary_switches", load->involuntary_switches}};
}

// SPEEDWELL_HOST is for records that will be published.
std::string host_name() {
  if (const char* given = std::getenv("SPEEDWELL_HOST")) return given;
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The load average of the last minute, or null.
Json load_average_json() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? Json(load) : Json(nullptr);
}

Json environment_json() {
  constexpr std::array names = {"OMP_NUM_THREADS",        "OMP_PROC_BIND",       "OMP_PLACES",
                                "CUDA_VISIBLE_DEVICES",   "CUDA_MODULE_LOADING", "SPEEDWELL_DEVICES",
                                "SPEEDWELL_THREADS",      "SPEEDWELL_CONFIG",    "SPEEDWELL_CACHE_DIR",
                                "OMP_WAIT_POLICY",        "GOMP_SPINCOUNT",      "OPENBLAS_THREAD_TIMEOUT",
                                "SPEEDWELL_SHARED_MEMORY"};
  Json json = Json::object();
  for (const char* name : names)
    if (const char* value = std::getenv(name)) json[name] = value;
  return json;
}

}  // namespace

Json record_of(const Outcome& o, const machine::Machine& machine) {
  const bool gpu = o.device == DeviceKind::gpu;
  const machine::Gpu* const used = gpu ? machine::find_gpu(machine, o.gpu) : nullptr;
  const std::string uuid = used ? used->uuid : "";
  Json choices = Json::object();
  for (const auto& [key, value] : o.choices) choices[key] = value;
  Json phases = nullptr;
  if (o.status == Status::passed)
    phases = {{"prepare_s", phase(o.prepare)},
              {"allocate_s", phase(o.allocate)},
              {"plan_s", phase(o.plan)},
              {"upload_s", gpu ? phase(o.upload) : Json(nullptr)},
              {"first_execute_s", phase(o.first_execute)},
              {"execute_s", phase(o.execute)},
              {"download_s", gpu ? phase(o.download) : Json(nullptr)},
              {"device_s", phase(o.device_time)},
              {"exchange_s", phase(o.exchange)},
              {"end_to_end_s", phase(o.end_to_end)}};
  return {{"application", o.application->name},
          {"title", o.application->title},
          {"size", o.problem.size()},
          {"problem", problem_json(o.problem)},
          {"seed", o.problem.seed()},
          {"key", key_of(o.problem)},
          {"variant",
           {{"name", o.variant->name},
            {"backend", to_string(o.variant->backend)},
            {"role", to_string(o.variant->role)},
            {"adds", o.variant->description},
            {"lineage", o.variant->lineage},
            {"algorithm", o.variant->algorithm}}},
          {"status", to_string(o.status)},
          {"reason", text_or_null(o.reason)},
          {"exit_status", o.exit_status},
          {"device",
           {{"kind", gpu                            ? "gpu"
                     : o.device == DeviceKind::core ? "core"
                                                    : "cores"},
            {"name", device_name(o, machine)},
            {"threads", gpu ? Json(nullptr) : Json(o.threads)},
            {"uuid", text_or_null(uuid)}}},
          {"ranks", ranks_json(o.placement)},
          {"verdict", verdict_json(o.verdict)},
          {"result_digest", text_or_null(o.result_digest)},
          {"checked_executes", o.checked_executes},
          {"phases", phases},
          {"work",
           {{"operations", number(o.work.operations)},
            {"arithmetic", to_string(o.work.arithmetic)},
            {"bytes_read", number(o.work.bytes_read)},
            {"bytes_written", number(o.work.bytes_written)},
            {"updates", number(o.work.updates)},
            {"update", o.application->update},
            {"working_set_bytes", number(o.work.working_set)},
            {"over_link", o.work.over_link},
            {"between_gpus", o.work.between_gpus}}},
          {"rates", rates_json(o)},
          {"limit", limit_json(o, o.limit)},
          {"limit_reason", text_or_null(o.limit.reason)},
          {"best_limit", limit_json(o, o.best_limit)},
          {"best_limit_reason", text_or_null(o.best_limit.reason)},
          {"prediction", prediction_json(o)},
          {"prediction_reason", text_or_null(o.prediction_reason)},
          {"energy",
           {{"execute_J", optional(o.energy_J)},
            {"source", text_or_null(o.energy_source)},
            {"window_s", optional(o.energy_window)},
            {"executes", optional(o.energy_executes)},
            {"idle_W", optional(o.idle_W)}}},
          {"energy_reason", o.energy_J ? Json(nullptr) : text_or_null(o.energy_reason)},
          {"device_bytes", optional(o.device_bytes)},
          {"cache_resident", o.cache_resident},
          {"throttled", optional(o.throttled)},
          {"clock_MHz", range(o.clock_MHz)},
          {"host_load", host_load_json(o.host_load)},
          {"temperature_C", range(o.temperature_C)},
          {"choices", choices},
          {"source_digest", text_or_null(source_digest(o.application->name, uses_ranks(o.variant->backend)))},
          {"overhead_s", number(o.overhead)}};
}

Json document(const machine::Machine& machine, const machine::Ceilings& ceilings, const Session& session) {
  return {{"schema", "speedwell-records/1"},
          {"error", nullptr},
          {"machine", machine_json(machine, ceilings)},
          {"build", build_json()},
          {"session",
           {{"started", session.started},
            {"command_line", session.command_line},
            {"order_seed", session.order_seed},
            {"host", text_or_null(host_name())},
            {"load_average", load_average_json()},
            {"environment", environment_json()}}},
          {"runs", Json::array()}};
}

Json error_document(int status, const std::string& id, const std::string& message, const std::string& hint,
                    const std::string& file, std::size_t line, std::size_t column) {
  return {{"schema", "speedwell-records/1"},
          {"error",
           {{"status", status},
            {"id", id},
            {"message", message},
            {"hint", text_or_null(hint)},
            {"file", text_or_null(file)},
            {"line", line ? Json(line) : Json(nullptr)},
            {"column", column ? Json(column) : Json(nullptr)}}},
          {"runs", Json::array()}};
}

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH"))
    now = static_cast<std::time_t>(std::strtoll(epoch, nullptr, 10));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace speedwell::harness
