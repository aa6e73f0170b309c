// What the machine is and what it can do at most: facts, measured ceilings, rooflines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {
namespace {

using records::Run;

class Facts {
 public:
  void add(std::string_view name, const std::string& plain) {
    if (!plain.empty()) html_ += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(name), escape(plain, 4000));
  }
  std::string html() const { return "<dl>" + html_ + "</dl>\n"; }

 private:
  std::string html_;
};

template <class T>
std::string plain(const std::optional<T>& value, const char* unit = "") {
  return value ? fmt::format("{}{}", *value, unit) : std::string();
}
std::string bytes(const std::optional<std::int64_t>& value) {
  return value ? core::format_bytes(static_cast<double>(*value)) : std::string();
}

std::string cpu_facts(const records::Machine& machine) {
  const records::Cpu& cpu = machine.cpu;
  Facts facts;
  facts.add("Processor", cpu.name);
  facts.add("Sockets, cores, threads",
            fmt::format("{}, {}, {}", plain(cpu.sockets), plain(cpu.cores), plain(cpu.threads)));
  facts.add("NUMA nodes", plain(cpu.numa_nodes));
  facts.add("Memory", bytes(cpu.memory_bytes));
  for (const records::Cache& cache : cpu.caches)
    facts.add(fmt::format("Cache, level {}", cache.level),
              fmt::format("{} × {}, each shared by {} core{}", cache.instances, bytes(cache.bytes), cache.shared_by,
                          cache.shared_by == 1 ? "" : "s"));
  std::string sets;
  for (const std::string& set : cpu.instruction_sets) sets += (sets.empty() ? "" : " ") + set;
  facts.add("Instruction sets", sets);
  facts.add("System", machine.os + (machine.kernel.empty() ? "" : ", kernel " + machine.kernel));
  facts.add("Machine id", machine.id);
  return facts.html();
}

std::string gpu_facts(const records::Machine& machine) {
  if (machine.gpus.empty())
    return "<p>No GPU: " + escape(machine.gpu_reason.empty() ? "none was recorded" : machine.gpu_reason) + "</p>";
  std::string html;
  for (const records::Gpu& gpu : machine.gpus) {
    Facts facts;
    facts.add(fmt::format("GPU {}", gpu.index), gpu.name);
    if (gpu.compute_capability)
      facts.add("Compute capability", fmt::format("{}.{}", *gpu.compute_capability / 10, *gpu.compute_capability % 10));
    facts.add("Multiprocessors", plain(gpu.multiprocessors));
    facts.add("Memory", bytes(gpu.memory_bytes));
    facts.add("L2 cache", bytes(gpu.l2_bytes));
    if (gpu.ecc) facts.add("ECC", *gpu.ecc ? "on" : "off");
    facts.add("Power limit", plain(gpu.power_limit_W, " W"));
    facts.add("Highest clock", plain(gpu.clock_max_MHz, " MHz"));
    if (gpu.link_generation && gpu.link_width)
      facts.add("Host link", fmt::format("PCI Express generation {}, {} lanes", *gpu.link_generation, *gpu.link_width));
    facts.add("UUID", gpu.uuid);
    facts.add("Driver", machine.driver);
    html += facts.html();
  }
  return html;
}

std::string build_facts(const records::Build& build, const std::vector<const records::Document*>& sessions) {
  Facts facts;
  facts.add("Speedwell", build.version);
  facts.add("Commit", build.commit.empty() ? "" : build.commit + (build.dirty ? " with local changes" : ""));
  facts.add("Compiler", build.compiler);
  facts.add("Flags", build.flags);
  facts.add("Build type", build.build_type);
  facts.add("CUDA", build.cuda.empty() ? "" : build.cuda + " for " + build.cuda_architectures);
  facts.add("MPI", build.mpi);
  facts.add("OpenMP", build.openmp);
  std::set<std::string> seen;
  for (const records::Document* document : sessions) {
    std::string text = document->session.command_line;
    for (const auto& [key, value] : document->session.environment) text += "\n" + key + "=" + value;
    if (seen.size() < 50 && seen.insert(document->session.started + text).second)
      facts.add("Session of " + document->session.started, text);
  }
  return facts.html();
}

// "host.core.triad" in words.
std::string ceiling_words(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 27> words = {
      {{"host.core.", "one core: "},
       {"host.", "all cores: "},
       {"gpu.", "GPU: "},
       {"l1.", "level 1 cache, "},
       {"l2.", "level 2 cache, "},
       {"l3.", "level 3 cache, "},
       {"link.up.pinned", "host to GPU, pinned memory"},
       {"link.up.pageable", "host to GPU, pageable memory"},
       {"link.down.pinned", "GPU to host, pinned memory"},
       {"link.down.pageable", "GPU to host, pageable memory"},
       {"link.duplex.pinned", "both directions at once, sum"},
       {"read", "read bandwidth"},
       {"write", "write bandwidth"},
       {"copy", "copy bandwidth (reads + writes)"},
       {"triad", "triad bandwidth (reads + writes)"},
       {"fma.f64", "multiply-add, double precision"},
       {"fma.f32", "multiply-add, single precision"},
       {"integer", "32-bit integer operations"},
       {"dpx", "DPX operations"},
       {"launch_sync", "launch and wait for an empty kernel"},
       {"launch", "launch an empty kernel"},
       {"graph_node", "one node of a graph"},
       {"grid_sync", "synchronise the grid"},
       {"l1", "level 1 cache"},
       {"l2", "level 2 cache"},
       {"l3", "level 3 cache"},
       {"", ""}}};
  std::string text;
  std::string_view rest = name;
  while (!rest.empty()) {
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const auto& w) { return !w.first.empty() && rest.starts_with(w.first); });
    if (found == words.end()) return {};
    text += found->second;
    rest.remove_prefix(found->first.size());
  }
  return text;
}

std::string ceilings_table(const records::Machine& machine, const Detail& detail) {
  if (machine.ceilings.empty()) return "<p>No ceiling was measured, so no run has a limit.</p>";
  Table table;
  table.columns = {"Ceiling", "What", "Median", "Interval"};
  for (const records::Ceiling& c : machine.ceilings) {
    const bool interval = c.low && c.high && *c.high > 0;
    table.rows.push_back(
        {code(c.name), text(ceiling_words(c.name)),
         c.value ? value(figure(*c.value) + " " + c.unit) : missing("not measured"),
         interval ? value(fmt::format("[{}, {}]", figure(*c.low), figure(*c.high))) : missing("no interval")});
  }
  return table.html(detail.rows);
}

// Points of a roofline: the largest problem of each family, every variant that ran on this kind of device.
struct Roofline {
  CurveChart chart;
  Table data;
};

Roofline roofline_of(const MachineRuns& machine, std::string_view kind) {
  Roofline r;
  r.chart.x_label = "operations per byte of memory traffic [op/byte]";
  r.chart.y_label = "rate [Gop/s]";
  r.data.columns = {"Application", "Variant", "Op/byte", "Gop/s", "Of limit"};
  for (const ApplicationRuns& application : machine.applications) {
    Curve points{application.name, {}, Curve::Look::points};
    for (const Family& family : application.families)
      for (const Run* run : family.largest().runs) {
        if (!run->timed() || run->device.kind != kind || !run->work || run->work->over_link) continue;
        const double traffic = run->work->bytes_read + run->work->bytes_written;
        if (!(traffic > 0) || !(run->work->operations > 0)) continue;
        const double intensity = run->work->operations / traffic;
        const double rate = run->work->operations / run->phases.execute->median / 1e9;
        points.points.push_back({intensity, rate, std::nullopt});
        r.data.rows.push_back({text(problem_name(application, family.largest())), code(run->variant.name),
                               value(figure(intensity)), value(figure(rate)), limit_cell(*run)});
      }
    if (!points.points.empty()) r.chart.curves.push_back(std::move(points));
  }
  return r;
}

// The roofs: bandwidth times intensity up to each arithmetic rate that some point is bound by.
void add_roofs(const records::Machine& machine, const std::string& prefix, const std::set<std::string>& arithmetic,
               CurveChart& chart) {
  const auto bandwidth = machine.ceiling(prefix + "triad");
  if (!bandwidth) return;
  double low = 0.05, high = 20;
  for (const Curve& curve : chart.curves)
    for (const Point& p : curve.points) {
      low = std::min(low, p.x / 2);
      high = std::max(high, p.x * 2);
    }
  std::vector<Curve> roofs;
  for (const auto& [kind, name] : {std::pair{"f64", "fma.f64"}, std::pair{"f32", "fma.f32"},
                                   std::pair{"int32", "integer"}, std::pair{"dpx", "dpx"}}) {
    const auto peak = machine.ceiling(prefix + name);
    if (!peak || !arithmetic.contains(kind)) continue;
    const double ridge = *peak / *bandwidth;
    high = std::max(high, 4 * ridge);
    roofs.push_back({std::string(name) + " " + figure(*peak) + " Gop/s", {{ridge, *peak, {}}}, Curve::Look::roof});
  }
  double last = 0;
  for (Curve& roof : roofs) {
    last = std::max(last, roof.points[0].x);
    roof.points.push_back({high, roof.points[0].y, {}});
  }
  const double end = roofs.empty() ? high : last;
  chart.curves.push_back({"triad " + figure(*bandwidth) + " GB/s",
                          {{low, low * *bandwidth, {}}, {end, end * *bandwidth, {}}},
                          Curve::Look::roof});
  for (Curve& roof : roofs) chart.curves.push_back(std::move(roof));
}

}  // namespace

std::string roofline_section(const MachineRuns& machine, Plotter& plotter) {
  std::string figures;
  for (const auto& [kind, prefix, name] :
       {std::tuple{"core", "host.core.", "one core"}, std::tuple{"cores", "host.", "all cores"},
        std::tuple{"gpu", "gpu.", "the GPU"}}) {
    Roofline r = roofline_of(machine, kind);
    if (r.data.rows.empty()) continue;
    std::set<std::string> arithmetic;
    for (const Run* run : machine.runs)
      if (run->timed() && run->device.kind == kind && run->work) arithmetic.insert(run->work->arithmetic);
    add_roofs(machine.machine, prefix, arithmetic, r.chart);
    figures += plotter.figure(
        std::string("Roofline of ") + name,
        "Each mark is one variant on the largest problem of its kind. A mark cannot rise above the roof "
        "that is measured for its arithmetic, unless its data stays in a cache. Work without arithmetic, "
        "such as a copy, has no place here.",
        curve_script(r.chart), r.data);
  }
  if (figures.empty()) return {};
  return "<section id=\"roofline\"><h2>Rooflines</h2><p>How close each run is to what the device can do: the sloped "
         "line is "
         "the measured memory bandwidth, level lines are measured arithmetic rates.</p><div class=\"plots\">" +
         figures + "</div></section>\n";
}

std::string machine_section(const MachineRuns& machine, const Detail& detail) {
  const records::Document& latest = *machine.latest;
  return "<h3>Processor</h3>" + cpu_facts(machine.machine) + "<h3>GPU</h3>" + gpu_facts(machine.machine) +
         "<h3>Measured ceilings</h3><p>The most that this machine was seen to do, each as the latest session measured "
         "it. "
         "Limits are computed from those of a run's own session, not from data sheets.</p>" +
         ceilings_table(machine.machine, detail) + "<h3>Build and sessions</h3>" +
         build_facts(latest.build, machine.sessions);
}

}  // namespace speedwell::harness::report
