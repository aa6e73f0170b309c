// Field files of a run with their times, and their collections for ParaView.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/io/cell_field.hpp"
#include "speedwell/io/xdmf.hpp"
#include "speedwell/simulation/run_folder.hpp"

namespace speedwell::simulation {

/// The number of the step and the time of a file of fields.
struct FieldMoment {
  std::int64_t step = 0;
  double time = 0;
};

class FieldSeries {
 public:
  /// `folder` must outlive it; its format is that of the files. The collections are NAME.pvd of the files of VTK and
  /// NAME.xdmf of those of HDF5: a run that went on in another format has both, each with the files of its format.
  FieldSeries(const RunFolder& folder, std::string name) : folder_(&folder), name_(std::move(name)) {}

  /// Writes SUBFOLDER/STEM.vti, .vtr or .h5, and the collection. Throws io::OutputError.
  void write(const std::string& subfolder, const std::string& stem, const FieldMoment& moment,
             const io::MeshFaces& faces, const std::vector<io::CellField>& fields);
  /// Sets the files of a resumed run: those up to `time`.
  void restore(std::vector<io::TimedFile> files, double time);
  const std::vector<io::TimedFile>& files() const { return files_; }

 private:
  void write_collections(const io::MeshFaces& faces, const std::vector<io::CellField>& fields);

  const RunFolder* folder_;
  std::string name_;
  std::vector<io::TimedFile> files_;
  std::map<std::string, io::XdmfGrid> grids_;  // of the files of HDF5, by their names
};

}  // namespace speedwell::simulation
