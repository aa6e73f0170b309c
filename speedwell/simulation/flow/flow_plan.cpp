#include "speedwell/simulation/flow/flow_plan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/flow/flow_ranks.hpp"
#include "speedwell/simulation/plan_estimate.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

// Typical bytes of lines of text: most numbers have 17 digits.
constexpr double of_history = 560, of_number = 22;

std::vector<PlannedFiles> files_of(const flow::FlowCase& c, double steps) {
  const auto cells = static_cast<double>(c.problem.extents().cells());
  const double element = c.f32 ? 4 : 8;
  const auto times = [&](double every, const std::vector<double>& at) {
    return count_of(every, c.end) + static_cast<double>(at.size());
  };
  std::vector<PlannedFiles> files = {
      {"file of fields", "files of fields", times(c.fields_every, c.fields_at),
       (c.problem.solid.empty() ? 16 : 20) * cells},
      {"checkpoint", "checkpoints that stay", c.checkpoint_every > 0 && c.checkpoint_every < c.end ? 2.0 : 1.0,
       4 * element * cells},
      {"line of history", "lines of history", c.history_every > 0 ? count_of(c.history_every, c.end) : steps + 1,
       of_history}};
  const flow::Samples& s = c.samples;
  if (!s.probes.empty())
    files.push_back({"sample of probes", "samples of probes",
                     s.probes_every > 0 ? count_of(s.probes_every, c.end) : steps + 1,
                     of_number * (1 + 4 * static_cast<double>(s.probes.size()))});
  if (!s.lines.empty())
    files.push_back({"file of lines", "files of lines",
                     static_cast<double>(s.lines.size()) * std::max(1.0, times(s.lines_every, s.lines_at)),
                     of_number * 8 * s.line_points});
  const flow::Extents e = c.problem.extents();
  for (std::size_t d = 0; d < 3; ++d)
    if (!s.slices[d].empty())
      files.push_back({fmt::format("slice across {}", "xyz"[d]), fmt::format("slices across {}", "xyz"[d]),
                       static_cast<double>(s.slices[d].size()) * std::max(1.0, times(s.slices_every, s.slices_at)),
                       16 * cells / e.extent(static_cast<int>(d))});
  return files;
}

// Bytes of the velocities that are compared with those of the step after, where a steady flow ends the run.
double of_kept_velocity(const flow::FlowCase& c) {
  return c.steady > 0 ? 3 * (c.f32 ? 4.0 : 8.0) * static_cast<double>(c.problem.extents().cells()) : 0;
}

// The number of steps, and their duration: the time step is known after some steps.
template <class T>
double measure(const flow::FlowCase& c, const Device& device, RunPlan& plan) {
  flow::Simulation<T> simulation = simulation_on<T>(c, device);
  const auto ends = [&] { return simulation.moment().time >= c.end; };
  const Pace pace = measure_pace([&] { return !ends() && simulation.step(c.end) && !ends(); });
  const flow::Moment& m = simulation.moment();
  const auto taken = static_cast<double>(m.step);
  const double steps = ends() || m.dt == 0 ? taken : taken + std::ceil((c.end - m.time) / m.dt);
  plan.steps = ends() ? fmt::format("{:.0f}", steps)
                      : fmt::format("about {:.0f}, of {:.3g} as at the beginning: more where the flow becomes faster",
                                    steps, m.dt);
  set_time(pace, steps, device_name(device), plan);
  return steps;
}

}  // namespace

double flow_bytes(const flow::FlowCase& c, const Device& device) {
  const auto cells = static_cast<double>(c.problem.extents().cells());
  const double element = c.f32 ? 4 : 8, of_state = 4 * element * cells;
  // The initial state in double precision and in the run's; the state that is written; and the saved flow, which a GPU
  // has in its own memory. While the flow is collected from several GPUs the host also has the slabs of all ranks.
  const double count = device.on_gpu && !device.ranks ? 2 : 3;
  const double states = 32 * cells + count * of_state + (device.on_gpu ? 0 : of_kept_velocity(c));
  const double solver = device.on_gpu ? 0 : flow::solver_bytes(c.problem, c.options, c.f32 ? 4 : 8);
  const double spectra = c.spectrum || flow::has_spectra(c) ? 24 * cells : 0;  // a component, its modes and work space
  return solver + states + spectra + static_cast<double>(c.problem.solid.size()) * 2;
}

RunPlan plan_of_flow(const SimulationOptions& options, const flow::FlowCase& c, const Device& device) {
  const flow::Extents e = c.problem.extents();
  RunPlan plan;
  plan.what =
      fmt::format("{} x {} x {} cells in {}; pressure {}", e.nx, e.ny, e.nz,
                  c.f32 ? "single precision" : "double precision", flow::choose(c.problem, c.options.pressure).reason);
  plan.bytes = flow_bytes(c, device);
  if (device.on_gpu)
    plan.gpu_bytes = (flow::gpu_bytes(c.problem, c.options, c.f32 ? 4 : 8) + of_kept_velocity(c)) /
                     (device.ranks ? device.ranks->size() : 1);
  double steps = 0;
  if (may_measure(options, plan.bytes)) {
    steps = c.f32 ? measure<float>(c, device, plan) : measure<double>(c, device, plan);
  } else {
    const double longest = flow::stable_step(c.problem, c.options.method, c.cfl, c.cfl / c.end);
    steps = std::ceil(c.end / (c.largest_step > 0 ? std::min(longest, c.largest_step) : longest));
    plan.steps = fmt::format("at least {:.0f}, by what viscosity and largest_step allow", steps);
    plan.measured = not_measured();
  }
  plan.files = files_of(c, steps);
  return plan;
}

}  // namespace speedwell::simulation
