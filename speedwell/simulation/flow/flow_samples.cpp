#include "speedwell/simulation/flow/flow_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/simulation/flow/flow_fields.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

std::string numbers_of(const flow::Sample& s) {
  return fmt::format("{:.17g},{:.17g},{:.17g},{:.17g}", s.velocity[0], s.velocity[1], s.velocity[2], s.pressure);
}

}  // namespace

SampleFiles::SampleFiles(const flow::Samples& samples, const RunFolder& folder) : samples_(samples), folder_(folder) {
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t n = 0; n < samples.slices[d].size(); ++n) {
      const std::string name = fmt::format("slice-{}-{}", "xyz"[d], n + 1);
      series_.push_back({name, d, samples.slices[d][n], FieldSeries(folder, name)});
    }
}

std::string SampleFiles::probes_header() const {
  std::string line = "t,step";
  for (std::size_t n = 1; n <= samples_.probes.size(); ++n) line += fmt::format(",u_{0},v_{0},w_{0},p_{0}", n);
  return line;
}

void SampleFiles::restore(const CheckpointDetails& details, double time) {
  for (Series& s : series_)
    s.files.restore(details.has(s.name) ? details.files(s.name) : std::vector<io::TimedFile>{}, time);
}

void SampleFiles::note(DetailsWriter& details) const {
  for (const Series& s : series_) details.add(s.name, s.files.files());
}

template <class T>
void SampleFiles::write_probes(const flow::Simulation<T>& simulation) const {
  const flow::Moment& now = simulation.moment();
  std::string line = fmt::format("{:.17g},{}", now.time, now.step);
  for (const flow::Sample& sample : simulation.samples(samples_.probes)) line += "," + numbers_of(sample);
  io::append_line(folder_.path(probes_file), line);
}

template <class T>
void SampleFiles::write_lines(const flow::Simulation<T>& simulation) const {
  const flow::Moment& now = simulation.moment();
  make_folder(folder_.path("lines"));
  for (std::size_t n = 0; n < samples_.lines.size(); ++n) {
    std::vector<std::array<double, 3>> points;
    for (int i = 0; i < samples_.line_points; ++i) points.push_back(samples_.lines[n].point(i, samples_.line_points));
    const std::vector<flow::Sample> values = simulation.samples(points);
    std::string text = "t,x,y,z,u,v,w,p\n";
    for (std::size_t i = 0; i < points.size(); ++i)
      text += fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{}\n", now.time, points[i][0], points[i][1], points[i][2],
                          numbers_of(values[i]));
    io::write_file(folder_.path(fmt::format("lines/line-{}-{:08}.csv", n + 1, now.step)), text);
  }
}

// Values in the plane at the centres of the cells that it intersects; the file has that layer of cells.
template <class T>
void SampleFiles::write_slices(const flow::Problem& problem, const flow::State<T>& state) {
  for (Series& s : series_) {
    auto faces = problem.faces;
    auto& across = faces[s.axis];
    const auto beyond = std::upper_bound(across.begin() + 1, across.end() - 1, s.place);
    across = {*(beyond - 1), *beyond};
    const std::array<int, 3> n = {static_cast<int>(faces[0].size()) - 1, static_cast<int>(faces[1].size()) - 1,
                                  static_cast<int>(faces[2].size()) - 1};
    const std::size_t cells =
        static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
    std::vector<float> velocity(3 * cells), pressure(cells);
    std::size_t at = 0;
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i, ++at) {
          const std::array<int, 3> cell = {i, j, k};
          std::array<double, 3> x;
          for (std::size_t d = 0; d < 3; ++d) {
            const auto c = static_cast<std::size_t>(cell[d]);
            x[d] = d == s.axis ? s.place : (faces[d][c] + faces[d][c + 1]) / 2;
          }
          const flow::Sample here = flow::sample(problem, state, x);
          for (std::size_t c = 0; c < 3; ++c) velocity[3 * at + c] = static_cast<float>(here.velocity[c]);
          pressure[at] = static_cast<float>(here.pressure);
        }
    s.files.write("slices", fmt::format("{}-{:08}", s.name, state.step), {state.step, state.time}, faces,
                  {{"velocity", 3, velocity, velocity_unit}, {"pressure", 1, pressure, pressure_unit}});
  }
}

template void SampleFiles::write_probes(const flow::Simulation<float>&) const;
template void SampleFiles::write_probes(const flow::Simulation<double>&) const;
template void SampleFiles::write_lines(const flow::Simulation<float>&) const;
template void SampleFiles::write_lines(const flow::Simulation<double>&) const;
template void SampleFiles::write_slices(const flow::Problem&, const flow::State<float>&);
template void SampleFiles::write_slices(const flow::Problem&, const flow::State<double>&);

}  // namespace speedwell::simulation
