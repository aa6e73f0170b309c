#include "samples.hpp"

#include <algorithm>
#include <cmath>

#include "speedwell/core/random.hpp"
#include "speedwell/core/statistics.hpp"
#include "tests/harness/report/samples_machine.hpp"

namespace speedwell::harness::samples {
namespace {

std::string key_of(const std::string& application, const Json& problem) {
  std::string key = application;
  for (const auto& [name, value] : problem.items())
    key += " " + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  return key + " seed=1";
}

Json variant(const std::string& name, const std::string& backend, const std::string& role,
             const std::string& description, const std::string& lineage = "") {
  return {{"name", name}, {"backend", backend}, {"role", role}, {"adds", description}, {"lineage", lineage}};
}
const Json serial = variant("serial", "serial", "plain", "one thread, plain loops");
const Json openmp = variant("openmp", "openmp", "plain", "all cores, vectorised, non-temporal stores where they win");
const Json cuda = variant("cuda", "cuda", "best", "128-bit loads, several in flight for each thread");

// A run with its work, rate and limit: the time is latency plus limit over `efficiency`.
Json worked(const std::string& application, const Json& problem, const Json& v, const std::string& kind, bool big,
            double bytes_read, double bytes_written, double operations, double efficiency,
            const std::string& rate_name = "", double updates = 0) {
  const Device d = device(kind, big);
  const double memory = (bytes_read + bytes_written) / d.bandwidth / 1e9, arithmetic = operations / d.rate / 1e9;
  const double limit = std::max(memory, arithmetic);
  Times times;
  times.execute = d.latency + limit / efficiency;
  times.allocate = kind == "gpu" ? 250e-6 + bytes_read * 2e-14 : 20e-6 + bytes_read / 6e9;
  if (kind == "gpu") {
    times.upload = 10e-6 + bytes_read / 52e9;
    times.download = 10e-6 + bytes_written / 53e9;
  }
  Json r = run(application, problem, v, kind, times);
  r["work"] = {{"operations", operations},
               {"arithmetic", operations > 0 ? "f64" : "none"},
               {"bytes_read", bytes_read},
               {"bytes_written", bytes_written},
               {"updates", updates},
               {"update", "element"},
               {"working_set_bytes", bytes_read + bytes_written},
               {"over_link", false}};
  if (application == "alignment") r["work"]["arithmetic"] = kind == "gpu" ? "dpx" : "int32";
  const double time = r["phases"]["execute_s"]["median"];
  r["rates"] = {{"bandwidth_GBps", nullptr},
                {"operations_Gops", nullptr},
                {"updates_per_s", nullptr},
                {"rate_name", rate_name.empty() ? Json(nullptr) : Json(rate_name)},
                {"rate", nullptr}};
  if (rate_name.empty() && bytes_read > 0) r["rates"]["bandwidth_GBps"] = (bytes_read + bytes_written) / time / 1e9;
  if (operations > 0) r["rates"]["operations_Gops"] = operations / time / 1e9;
  if (!rate_name.empty()) r["rates"]["rate"] = updates / time / 1e9;
  const bool bound = memory >= arithmetic;
  const std::string prefix = kind == "gpu" ? "gpu." : kind == "core" ? "host.core." : "host.";
  r["limit"] = {{"time_s", limit},
                {"bound", bound ? "memory" : "arithmetic"},
                {"ceiling", prefix + (bound                        ? "triad"
                                      : application == "alignment" ? "integer"
                                                                   : "fma.f64")},
                {"ceiling_value", bound ? d.bandwidth : d.rate},
                {"ceiling_unit", bound ? "GB/s" : "Gop/s"},
                {"fraction", limit / time}};
  r["cache_resident"] = bytes_read + bytes_written < 2e8;
  if (kind == "gpu" && big)
    r["energy"] = {{"execute_J", 480 * time}, {"source", "NVML total energy"}, {"window_s", 2.1}},
    r["energy_reason"] = nullptr;
  if (kind == "cores" && big)
    r["energy"] = {{"execute_J", 270 * time}, {"source", "RAPL package"}, {"window_s", 2.3}},
    r["energy_reason"] = nullptr;
  return r;
}

Json skipped(const std::string& application, const Json& problem, const Json& v, const std::string& reason) {
  Json r = run(application, problem, v, "gpu", {});
  for (const char* field : {"phases", "verdict", "limit", "result_digest"}) r[field] = nullptr;
  r["status"] = "skipped";
  r["reason"] = reason;
  r["exit_status"] = 4;
  return r;
}

void add(Json& document, bool big, const std::string& application, const Json& problem, const Json& v,
         const std::string& kind, double read, double written, double operations, double efficiency,
         const std::string& rate_name = "", double updates = 0) {
  document["runs"].push_back(kind == "gpu" && !big ? skipped(application, problem, v, no_gpu)
                                                   : worked(application, problem, v, kind, big, read, written,
                                                            operations, efficiency, rate_name, updates));
}

void add_stream(Json& document, bool big) {
  for (const char* kernel : {"copy", "triad"})
    for (double n = 1e3; n <= (big ? 1e9 : 1e8); n *= 10) {
      const bool triad = kernel == std::string("triad");
      const Json problem = {{"kernel", kernel}, {"n", static_cast<std::int64_t>(n)}, {"precision", "f64"}};
      const double read = 8 * n * (triad ? 2 : 1), written = 8 * n, operations = triad ? 2 * n : 0;
      const double cached = n < 1e6 ? 2.5 : 0.95;
      add(document, big, "stream", problem, serial, "core", read, written, operations, 0.9 * cached);
      add(document, big, "stream", problem, openmp, "cores", read, written, operations, 0.97 * cached);
      add(document, big, "stream", problem, cuda, "gpu", read, written, operations, 0.99);
    }
}

void add_matvec(Json& document, bool big) {
  const std::vector<std::tuple<const char*, double, const char*, const char*>> steps = {
      {"cuda-naive", 0.04, "one thread for each row", "1"},
      {"cuda-coalesced", 0.19, "neighbouring threads read neighbouring columns", "4"},
      {"cuda-shared", 0.16, "the vector staged in shared memory", "5"},
      {"cuda-warp-per-row", 0.71, "a warp for each row, partial sums by shuffles", "9mr"}};
  for (std::int64_t n = 256; n <= (big ? 16384 : 4096); n *= 2) {
    const Json problem = {{"columns", n}, {"precision", "f64"}, {"rows", n}};
    const double read = 8.0 * n * n, written = 8.0 * n, operations = 2.0 * n * n;
    add(document, big, "matvec", problem, serial, "core", read, written, operations, 0.55);
    add(document, big, "matvec", problem, openmp, "cores", read, written, operations, 0.93);
    add(document, big, "matvec", problem, variant("openblas", "openmp", "peer", "OpenBLAS dgemv"), "cores", read,
        written, operations, 0.96);
    for (const auto& [name, efficiency, description, label] : steps)
      add(document, big, "matvec", problem, variant(name, "cuda", "step", description, label), "gpu", read, written,
          operations, efficiency);
    add(document, big, "matvec", problem, cuda, "gpu", read, written, operations, 0.96);
    add(document, big, "matvec", problem, variant("cublas", "cuda", "peer", "cuBLAS gemv"), "gpu", read, written,
        operations, 0.91);
  }
}

void add_alignment(Json& document, bool big) {
  const Json problem = {
      {"gap_extend", 1}, {"gap_open", 11}, {"matrix", "BLOSUM62"}, {"queries", 100}, {"targets", 20000}};
  const double cells = big ? 2.5e11 : 2e9;
  add(document, big, "alignment", problem, serial, "core", 1e7, 1e6, 8 * cells, 0.1, "GCUPS", cells);
  add(document, big, "alignment", problem, variant("openmp", "openmp", "plain", "striped SIMD, all cores"), "cores",
      1e7, 1e6, 8 * cells, 0.6, "GCUPS", cells);
  add(document, big, "alignment", problem, variant("cuda", "cuda", "best", "one warp for each pair, DPX"), "gpu", 1e7,
      1e6, 8 * cells, 0.35, "GCUPS", cells);
}

void add_transfer(Json& document, bool big) {
  for (const char* path : {"memcpy", "upload"})
    for (double bytes = 1024; bytes <= 1e9; bytes *= 16) {
      const bool host = path == std::string("memcpy");
      const Json problem = {{"bytes", static_cast<std::int64_t>(bytes)}, {"path", path}};
      if (host) {
        add(document, big, "transfer", problem, serial, "core", bytes, bytes, 0, 0.9);
        add(document, big, "transfer", problem, openmp, "cores", bytes, bytes, 0, 0.9);
        continue;
      }
      for (const char* memory : {"pageable", "pinned"}) {
        const Json v = variant(std::string("cuda-") + memory, "cuda", "plain", std::string(memory) + " host memory");
        if (!big) {
          document["runs"].push_back(skipped("transfer", problem, v, no_gpu));
          continue;
        }
        const double rate = memory == std::string("pinned") ? 55.5e9 : 17e9;
        Json r = run("transfer", problem, v, "gpu", {1e-4, 0, 7e-6 + bytes / rate, 0});
        const double time = r["phases"]["execute_s"]["median"];
        r["work"] = {{"operations", 0}, {"arithmetic", "none"}, {"bytes_read", bytes},        {"bytes_written", 0},
                     {"updates", 0},    {"update", "byte"},     {"working_set_bytes", bytes}, {"over_link", true}};
        r["rates"]["bandwidth_GBps"] = bytes / time / 1e9;
        r["limit"] = {{"time_s", bytes / 55.5e9}, {"bound", "link"},        {"ceiling", "gpu.link.up.pinned"},
                      {"ceiling_value", 55.5},    {"ceiling_unit", "GB/s"}, {"fraction", bytes / 55.5e9 / time}};
        document["runs"].push_back(r);
      }
    }
}

Json all(bool big) {
  Json document = machine(big, big ? 16 : 2);
  add_stream(document, big);
  add_transfer(document, big);
  add_matvec(document, big);
  add_alignment(document, big);
  return document;
}

}  // namespace

Json phase(double median, int n, std::uint64_t seed) {
  if (!(median > 0)) return nullptr;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    double noise = 0;  // nearly normal: the sum of twelve uniform numbers less six
    for (int k = 0; k < 12; ++k) noise += core::random_uniform(seed, 12 * i + k);
    values.push_back(std::stod(std::to_string(median * (1 + 0.01 * (noise - 6)) * 1e9)) * 1e-9);
  }
  const core::Summary s = core::summarize(values);
  return {{"median", s.median},
          {"interval", s.interval ? Json::array({s.interval->first, s.interval->second}) : Json(nullptr)},
          {"p5", s.p5},
          {"p95", s.p95},
          {"n", s.n},
          {"samples", values}};
}

Json run(const std::string& application, const Json& problem, const Json& v, const std::string& kind,
         const Times& times) {
  const std::string key = key_of(application, problem);
  std::uint64_t seed = 7;
  for (const char c : key + v["name"].get<std::string>()) seed = seed * 31 + static_cast<unsigned char>(c);
  const double total = times.allocate + times.upload + times.execute + times.download;
  const bool gpu = kind == "gpu";
  return {{"application", application},
          {"title", application == "stream"      ? "Memory bandwidth by vector kernels"
                    : application == "matvec"    ? "Dense matrix-vector product"
                    : application == "alignment" ? "Smith-Waterman local alignment"
                    : application == "transfer"  ? "Copies between memories"
                                                 : "An application"},
          {"size", "small"},
          {"problem", problem},
          {"seed", 1},
          {"key", key},
          {"variant", v},
          {"status", "passed"},
          {"reason", nullptr},
          {"exit_status", 0},
          {"device",
           {{"kind", kind},
            {"name", gpu              ? "one NVIDIA H200"
                     : kind == "core" ? "one core of the processor"
                                      : "all cores of the processor"},
            {"threads", gpu ? Json(nullptr) : Json(kind == "core" ? 1 : 16)},
            {"uuid", nullptr}}},
          {"verdict",
           {{"passed", true}, {"error", 1.1e-16}, {"tolerance", 1e-13}, {"oracle", "serial reference, relative L2"}}},
          {"result_digest", "xxh3:00c0ffee"},
          {"phases",
           {{"allocate_s", phase(times.allocate, 9, seed)},
            {"upload_s", phase(times.upload, 9, seed + 1)},
            {"execute_s", phase(times.execute, 9, seed + 2)},
            {"download_s", phase(times.download, 9, seed + 3)},
            {"device_s", nullptr},
            {"end_to_end_s", phase(total, 9, seed + 4)}}},
          {"work",
           {{"operations", 0},
            {"arithmetic", "none"},
            {"bytes_read", 0},
            {"bytes_written", 0},
            {"updates", 0},
            {"update", "element"},
            {"working_set_bytes", 0},
            {"over_link", false}}},
          {"rates",
           {{"bandwidth_GBps", nullptr},
            {"operations_Gops", nullptr},
            {"updates_per_s", nullptr},
            {"rate_name", nullptr},
            {"rate", nullptr}}},
          {"limit", nullptr},
          {"limit_reason", "no ceiling was measured"},
          {"energy", {{"execute_J", nullptr}, {"source", nullptr}, {"window_s", nullptr}}},
          {"energy_reason", "no counter can be read"},
          {"cache_resident", false},
          {"throttled", nullptr},
          {"clock_MHz", nullptr},
          {"temperature_C", nullptr},
          {"choices", gpu ? Json{{"block", "512"}} : Json::object()},
          {"source_digest", "xxh3:5eed"},
          {"overhead_s", 0.0004}};
}

Json cpu_only() { return all(false); }
Json h200() { return all(true); }

Json failures() {
  Json document = machine(true, 16);
  document["machine"]["ceilings"] = Json::array();
  document["session"]["started"] = "2026-11-21T11:00:00Z";
  const Json problem = {{"columns", 4096}, {"precision", "f32"}, {"rows", 4096}};
  document["runs"].push_back(run("matvec", problem, serial, "core", {1e-3, 0, 2e-2, 0}));
  Json few = run("matvec", problem, openmp, "cores", {1e-3, 0, 2e-3, 0});
  few["phases"]["execute_s"] = phase(2e-3, 3, 5);
  document["runs"].push_back(few);
  Json wrong =
      run("matvec", problem, variant("cuda-shared", "cuda", "step", "the vector staged in shared memory"), "gpu", {});
  wrong["status"] = "failed";
  wrong["reason"] = "the answer is wrong";
  wrong["exit_status"] = 1;
  wrong["phases"] = nullptr;
  wrong["verdict"] = {
      {"passed", false}, {"error", nullptr}, {"tolerance", 1e-5}, {"oracle", "serial reference, relative L2"}};
  document["runs"].push_back(wrong);
  Json crashed = run("matvec", problem, cuda, "gpu", {});
  crashed["status"] = "error";
  crashed["exit_status"] = 5;
  crashed["phases"] = crashed["verdict"] = nullptr;
  crashed["reason"] = "speedwell/apps/matvec/cuda.cu:88: an illegal memory access was encountered";
  document["runs"].push_back(crashed);
  document["runs"].push_back(
      skipped("matvec", problem, variant("cublas", "cuda", "peer", "cuBLAS gemv"), "not built: cuBLAS was not found"));
  return document;
}

Json hostile() {
  const std::string script = "<script>alert(1)</script>", quotes = "\"'`$(touch pwned)`' @x \\",
                    rest = "&amp;</svg></style>-->";
  const std::string control = std::string("a\x01\x1b[31m\x7f\r\nb\t", 12) +
                              "\xe2\x80\xae"
                              "evil\xe2\x80\x8b";
  Json document = machine(true, 16);
  document["machine"]["id"] = script;
  document["machine"]["cpu"]["name"] = script + quotes;
  document["machine"]["gpus"][0]["name"] = rest + control;
  document["session"]["command_line"] = script + quotes + control;
  document["session"]["environment"][script] = rest;
  for (const char* kind : {"core", "cores", "gpu"})
    for (std::int64_t n = 10; n <= 1000; n *= 10) {
      const Json problem = {{script, quotes}, {"x y=z", rest}, {"n'];system('touch pwned')", n}};
      Json v = variant(std::string(kind) + quotes + script + rest, "cuda", "step", control, std::string(10000, 'W'));
      if (kind == std::string("cores")) v["name"] = std::string(10000, 'M');
      Json r = run(script + quotes, problem, v, kind, {1e-6, 1e-6, 1e-8 * static_cast<double>(n), 1e-6});
      r["title"] = rest + quotes + control;
      r["rates"]["rate"] = 1e-3 * static_cast<double>(n);
      r["rates"]["rate_name"] = "`id`" + quotes + script;
      r["limit_reason"] = script;
      r["device"]["name"] = control + quotes + script;
      document["runs"].push_back(r);
    }
  Json bad = document["runs"][0];
  bad["status"] = "error";
  bad["phases"] = bad["verdict"] = bad["limit"] = nullptr;
  bad["exit_status"] = 5;
  bad["variant"]["name"] = control + script;
  bad["reason"] = script + quotes + rest + std::string(10000, 'R');
  document["runs"].push_back(bad);
  return document;
}

std::string line(const Json& document) { return document.dump() + "\n"; }

}  // namespace speedwell::harness::samples
