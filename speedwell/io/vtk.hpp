// Fields for ParaView: VTK's XML formats with raw appended data. Uniform meshes are images (.vti), others rectilinear
// grids (.vtr).
#pragma once

#include <string>
#include <vector>

#include "speedwell/io/cell_field.hpp"

namespace speedwell::io {

/// The format that write_vtk() writes for these faces: "vti" or "vtr".
std::string vtk_extension(const MeshFaces& faces);
/// Writes cell fields. Throws std::invalid_argument if a field does not have a value per cell, and OutputError.
void write_vtk(const std::string& path, const MeshFaces& faces, const std::vector<CellField>& fields);

/// A .pvd file, which ParaView opens as a series in time. Throws OutputError.
void write_pvd(const std::string& path, const std::vector<TimedFile>& files);
/// The files in a collection of write_pvd(); none if there is no such file. Throws InputError input.open for one that
/// cannot be read.
std::vector<TimedFile> read_pvd(const std::string& path);

}  // namespace speedwell::io
