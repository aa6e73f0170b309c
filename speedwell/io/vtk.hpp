// Fields for ParaView: VTK's XML formats with raw appended data. Uniform meshes are images (.vti), others rectilinear
// grids (.vtr).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace speedwell::io {

/// A value, or `components` adjacent ones, for every cell; x fastest.
struct CellField {
  std::string name;
  int components = 1;
  std::span<const float> values;
};

/// The format that write_vtk() writes for these faces: "vti" or "vtr".
std::string vtk_extension(const std::array<std::vector<double>, 3>& faces);
/// Writes cell fields. Throws std::invalid_argument if a field does not have a value per cell, and OutputError.
void write_vtk(const std::string& path, const std::array<std::vector<double>, 3>& faces,
               const std::vector<CellField>& fields);

/// One file at one time.
struct TimedFile {
  double time;
  std::string file;  // relative to the collection's folder
};
/// A .pvd file, which ParaView opens as a series in time. Throws OutputError.
void write_pvd(const std::string& path, const std::vector<TimedFile>& files);
/// The files in a collection of write_pvd(); none if there is no such file. Throws InputError input.open for one that
/// cannot be read.
std::vector<TimedFile> read_pvd(const std::string& path);

}  // namespace speedwell::io
