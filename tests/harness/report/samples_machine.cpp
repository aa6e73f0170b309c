#include "tests/harness/report/samples_machine.hpp"

#include <cstdint>

#include "tests/harness/report/samples.hpp"

namespace speedwell::harness::samples {

Device device(const std::string& kind, bool big) {
  if (kind == "gpu") return {kind, 4300, 33000, 3e-6};
  if (kind == "cores") return {kind, big ? 290.0 : 38.0, big ? 900.0 : 95.0, 4e-6};
  return {kind, big ? 21.0 : 20.0, big ? 58.0 : 50.0, 2e-8};
}

Json machine(bool gpu, int cores) {
  Json document = {{"schema", "speedwell-records/1"}, {"error", nullptr}};
  Json& m = document["machine"];
  m = {{"id", gpu ? "4f1c22aa90b3" : "77d0e1c5a2f4"},
       {"cpu",
        {{"name", gpu ? "Intel(R) Xeon(R) Platinum 8480C" : "AMD EPYC 7763 64-Core Processor"},
         {"sockets", 1},
         {"cores", cores},
         {"threads", 2 * cores},
         {"numa_nodes", 1},
         {"memory_bytes", std::int64_t{cores} << 33},
         {"caches",
          {{{"level", 1}, {"bytes", 49152}, {"shared_by", 1}, {"instances", cores}},
           {{"level", 2}, {"bytes", 2097152}, {"shared_by", 1}, {"instances", cores}},
           {{"level", 3}, {"bytes", 110100480}, {"shared_by", cores}, {"instances", 1}}}},
         {"instruction_sets", {"sse4.2", "avx2", "fma", "avx512f"}}}},
       {"gpus", Json::array()},
       {"gpu_reason", gpu ? Json(nullptr) : Json(no_gpu)},
       {"os", "Debian GNU/Linux 12"},
       {"kernel", "6.1.0"},
       {"driver", gpu ? Json("580.65.06") : Json(nullptr)},
       {"ceilings", Json::array()}};
  const auto ceiling = [&](const std::string& name, double value, const char* unit) {
    m["ceilings"].push_back({{"name", name},
                             {"value", value},
                             {"unit", unit},
                             {"low", 0.99 * value},
                             {"high", 1.01 * value},
                             {"samples", {0.99 * value, value, 1.01 * value}}});
  };
  for (const char* kind : {"core", "cores"}) {
    const Device d = device(kind, gpu);
    const std::string prefix = kind == std::string("core") ? "host.core." : "host.";
    ceiling(prefix + "read", 1.1 * d.bandwidth, "GB/s");
    ceiling(prefix + "copy", 0.95 * d.bandwidth, "GB/s");
    ceiling(prefix + "triad", d.bandwidth, "GB/s");
    ceiling(prefix + "l2.triad", 6 * d.bandwidth, "GB/s");
    ceiling(prefix + "fma.f64", d.rate, "GFLOP/s");
    ceiling(prefix + "fma.f32", 2 * d.rate, "GFLOP/s");
    ceiling(prefix + "integer", 1.5 * d.rate, "Gop/s");
  }
  if (gpu) {
    m["gpus"].push_back({{"index", 0},
                         {"name", "NVIDIA H200"},
                         {"uuid", "GPU-3b6d3a2e-0000-1111-2222-333344445555"},
                         {"compute_capability", 90},
                         {"multiprocessors", 132},
                         {"memory_bytes", 150754820096},
                         {"l2_bytes", 62914560},
                         {"ecc", true},
                         {"power_limit_W", 700},
                         {"clock_max_MHz", 1980},
                         {"link_generation", 5},
                         {"link_width", 16}});
    ceiling("gpu.read", 4550, "GB/s");
    ceiling("gpu.copy", 4310, "GB/s");
    ceiling("gpu.triad", 4400, "GB/s");
    ceiling("gpu.l2.read", 9800, "GB/s");
    ceiling("gpu.fma.f64", 33400, "GFLOP/s");
    ceiling("gpu.fma.f32", 63700, "GFLOP/s");
    ceiling("gpu.integer", 16500, "Gop/s");
    ceiling("gpu.dpx", 16500, "Gop/s");
    ceiling("gpu.link.up.pinned", 55.5, "GB/s");
    ceiling("gpu.link.down.pinned", 55.4, "GB/s");
    ceiling("gpu.launch", 2.6, "us");
    ceiling("gpu.graph_node", 0.5, "us");
  }
  document["build"] = {{"version", "0.1.0"},
                       {"commit", "0123456789abcdef0123456789abcdef01234567"},
                       {"dirty", false},
                       {"compiler", "GNU 12.2.0"},
                       {"flags", "-O3 -DNDEBUG"},
                       {"build_type", "Release"},
                       {"cuda", gpu ? Json("13.0") : Json(nullptr)},
                       {"cuda_architectures", gpu ? Json("90-real") : Json(nullptr)},
                       {"mpi", nullptr},
                       {"openmp", "4.5"}};
  document["session"] = {{"started", "2026-11-21T10:00:00Z"},
                         {"command_line", "speedwell suite --size small"},
                         {"order_seed", 1},
                         {"environment", {{"OMP_NUM_THREADS", std::to_string(cores)}}}};
  document["runs"] = Json::array();
  return document;
}

}  // namespace speedwell::harness::samples
