// Field files of a run with their times, and their .pvd collection for ParaView.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/io/vtk.hpp"
#include "speedwell/simulation/run_folder.hpp"

namespace speedwell::simulation {

class FieldSeries {
 public:
  /// `folder` must outlive it; `pvd` is the name of the collection in the folder.
  FieldSeries(const RunFolder& folder, std::string pvd) : folder_(&folder), pvd_(std::move(pvd)) {}

  /// Writes SUBFOLDER/STEM.vti or .vtr, and the collection. Throws io::OutputError.
  void write(const std::string& subfolder, const std::string& stem, double time,
             const std::array<std::vector<double>, 3>& faces, const std::vector<io::CellField>& fields);
  /// Sets the files of a resumed run: those up to `time`.
  void restore(std::vector<io::TimedFile> files, double time);
  const std::vector<io::TimedFile>& files() const { return files_; }

 private:
  const RunFolder* folder_;
  std::string pvd_;
  std::vector<io::TimedFile> files_;
};

}  // namespace speedwell::simulation
