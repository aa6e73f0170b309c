#include "speedwell/simulation/field_series.hpp"

#include "speedwell/io/hdf5.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::simulation {
namespace {

constexpr const char* hdf5_extension = ".h5";

}  // namespace

void FieldSeries::write(const std::string& subfolder, const std::string& stem, const FieldMoment& moment,
                        const io::MeshFaces& faces, const std::vector<io::CellField>& fields) {
  make_folder(folder_->path(subfolder));
  std::string name = subfolder + "/" + stem;
  if (folder_->field_format() == FieldFormat::hdf5) {
    name += hdf5_extension;
    io::write_hdf5(folder_->path(name), faces, fields, {moment.time, moment.step, folder_->case_digest()});
    grids_.insert_or_assign(name, io::xdmf_grid({moment.time, name}, faces, fields));
  } else {
    name += "." + io::vtk_extension(faces);
    io::write_vtk(folder_->path(name), faces, fields);
  }
  files_.push_back({moment.time, name});
  write_collections(faces, fields);
}

// Both, if a run has gone on in another format: the other one may list files that came after the checkpoint. Meshes
// move and solids are removed, so that each file keeps its own grid; one that the collection has lost gets the present
// one.
void FieldSeries::write_collections(const io::MeshFaces& faces, const std::vector<io::CellField>& fields) {
  std::vector<io::TimedFile> of_vtk, of_hdf5;
  for (const io::TimedFile& file : files_) (file.file.ends_with(hdf5_extension) ? of_hdf5 : of_vtk).push_back(file);
  if (!of_vtk.empty()) io::write_pvd(folder_->path(name_ + ".pvd"), of_vtk);
  if (of_hdf5.empty()) return;
  const std::string collection = folder_->path(name_ + ".xdmf");
  if (grids_.size() < of_hdf5.size())  // the run was resumed
    for (io::XdmfGrid& grid : io::read_xdmf(collection)) grids_.try_emplace(grid.file, std::move(grid));
  std::vector<io::XdmfGrid> grids;
  for (const io::TimedFile& file : of_hdf5) {
    auto grid = grids_.find(file.file);
    if (grid == grids_.end()) grid = grids_.emplace(file.file, io::xdmf_grid(file, faces, fields)).first;
    grids.push_back(grid->second);
  }
  io::write_xdmf(collection, grids);
}

void FieldSeries::restore(std::vector<io::TimedFile> files, double time) {
  std::erase_if(files, [&](const io::TimedFile& file) { return file.time > time * (1 + 1e-12); });
  files_ = std::move(files);
}

}  // namespace speedwell::simulation
