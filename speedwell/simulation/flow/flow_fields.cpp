#include "speedwell/simulation/flow/flow_fields.hpp"

#include <fmt/format.h>

namespace speedwell::simulation {

namespace flow = incompressible_flow;

template <class T>
std::vector<io::CheckpointField> checkpoint_fields(const flow::State<T>& s) {
  const flow::Extents e = s.extents;
  std::vector<io::CheckpointField> all;
  const auto add = [&](const char* name, const core::HostBuffer<T>& values) {
    all.push_back({name, sizeof(T) == 8 ? "f64" : "f32", {e.nz, e.ny, e.nx}, std::as_bytes(values.span())});
  };
  add("u", s.velocity[0]);
  add("v", s.velocity[1]);
  add("w", s.velocity[2]);
  add("p", s.pressure);
  return all;
}

template <class T>
void write_flow_fields(const flow::Problem& p, const flow::State<T>& state, FieldSeries& series) {
  const flow::Extents e = state.extents;
  const auto cells = static_cast<std::size_t>(e.cells());
  std::vector<float> velocity(3 * cells), pressure(cells), solid(p.solid.empty() ? 0 : cells);
#pragma omp parallel for collapse(2)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::size_t n = e.at(i, j, k);
        const int at[] = {i, j, k};
        for (int d = 0; d < 3; ++d) {
          int before[] = {i, j, k};
          before[d] = at[d] > 0 ? at[d] - 1 : e.extent(d) - 1;
          const auto& u = state.velocity[static_cast<std::size_t>(d)];
          const T low = at[d] > 0 || p.periodic(d) ? u[e.at(before[0], before[1], before[2])] : T(0);
          velocity[3 * n + static_cast<std::size_t>(d)] = static_cast<float>((low + u[n]) / 2);
        }
        pressure[n] = static_cast<float>(state.pressure[n]);
        if (!solid.empty()) solid[n] = p.solid[n];
      }
  std::vector<io::CellField> all = {{"velocity", 3, velocity, velocity_unit}, {"pressure", 1, pressure, pressure_unit}};
  if (!solid.empty()) all.push_back({"solid", 1, solid});
  series.write("fields", fmt::format("flow-{:08}", state.step), {state.step, state.time}, p.faces, all);
}

template std::vector<io::CheckpointField> checkpoint_fields(const flow::State<float>&);
template std::vector<io::CheckpointField> checkpoint_fields(const flow::State<double>&);
template void write_flow_fields(const flow::Problem&, const flow::State<float>&, FieldSeries&);
template void write_flow_fields(const flow::Problem&, const flow::State<double>&, FieldSeries&);

}  // namespace speedwell::simulation
