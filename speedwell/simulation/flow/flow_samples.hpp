// The files of probes, lines and slices of a flow's run. Files of lines and slices are named by their step, so that a
// resumed run overwrites none of them; probes.csv is a history.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/statistics/samples.hpp"
#include "speedwell/simulation/checkpoint_details.hpp"
#include "speedwell/simulation/field_series.hpp"
#include "speedwell/simulation/run_folder.hpp"

namespace speedwell::simulation {

class SampleFiles {
 public:
  /// Both arguments must outlive it.
  SampleFiles(const incompressible_flow::Samples& samples, const RunFolder& folder);

  bool has_probes() const { return !samples_.probes.empty(); }
  bool has_lines() const { return !samples_.lines.empty(); }
  bool has_slices() const { return !series_.empty(); }

  static constexpr const char* probes_file = "probes.csv";
  std::string probes_header() const;
  /// Restores the slices of the checkpoint, up to its time; throws io::InputError as CheckpointDetails.
  void restore(const CheckpointDetails& details, double time);
  /// Adds the data that restore() reads.
  void note(DetailsWriter& details) const;

  /// All functions throw io::OutputError.

  /// Writes the samples of the present flow at the probes.
  template <class T>
  void write_probes(const incompressible_flow::Simulation<T>& simulation) const;
  /// Writes those along the lines.
  template <class T>
  void write_lines(const incompressible_flow::Simulation<T>& simulation) const;
  /// Writes the values of a state in the planes of the slices.
  template <class T>
  void write_slices(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state);

 private:
  struct Series {
    std::string name;  // "slice-x-1"
    std::size_t axis;
    double place;
    FieldSeries files;
  };

  const incompressible_flow::Samples& samples_;
  const RunFolder& folder_;
  std::vector<Series> series_;
};

}  // namespace speedwell::simulation
