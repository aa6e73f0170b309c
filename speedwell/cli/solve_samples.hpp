// The files of probes, lines and slices of a flow's run. Files of lines and slices are named by their step, so that a
// run that goes on writes over none of them; probes.csv is a history.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/samples.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_run.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::cli {

class SampleFiles {
 public:
  /// Both must outlive it.
  SampleFiles(const incompressible_flow::Samples& samples, const RunFolder& folder);

  bool has_probes() const { return !samples_.probes.empty(); }
  bool has_lines() const { return !samples_.lines.empty(); }
  bool has_slices() const { return !series_.empty(); }

  /// Of a run that begins: the header of probes.csv. Throws io::OutputError, as all that follow.
  void begin() const;
  /// What the checkpoint knows of slices, up to its time; io::InputError as CheckpointDetails.
  void read(const CheckpointDetails& details, double time);
  /// Once the run goes on from a step: cuts probes.csv.
  void resume(std::int64_t step) const;
  /// Adds what read() reads.
  void note(nlohmann::json& details) const;

  template <class T>
  void write_probes(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state) const;
  template <class T>
  void write_lines(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state) const;
  template <class T>
  void write_slices(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state);

 private:
  struct Series {
    std::string name;  // "slice-x-1"
    std::size_t axis;
    double place;
    std::vector<io::TimedFile> files;
  };
  std::string header() const;  // of probes.csv

  const incompressible_flow::Samples& samples_;
  const RunFolder& folder_;
  std::vector<Series> series_;
};

}  // namespace speedwell::cli
