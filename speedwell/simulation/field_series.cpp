#include "speedwell/simulation/field_series.hpp"

namespace speedwell::simulation {

void FieldSeries::write(const std::string& subfolder, const std::string& stem, double time,
                        const std::array<std::vector<double>, 3>& faces, const std::vector<io::CellField>& fields) {
  make_folder(folder_->path(subfolder));
  const std::string name = subfolder + "/" + stem + "." + io::vtk_extension(faces);
  io::write_vtk(folder_->path(name), faces, fields);
  files_.push_back({time, name});
  io::write_pvd(folder_->path(pvd_), files_);
}

void FieldSeries::restore(std::vector<io::TimedFile> files, double time) {
  std::erase_if(files, [&](const io::TimedFile& file) { return file.time > time * (1 + 1e-12); });
  files_ = std::move(files);
}

}  // namespace speedwell::simulation
