// Fields with values for the cells of a mesh, as the writers of files for ParaView take them: vtk.hpp and hdf5.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace speedwell::io {

/// The coordinates of the faces between cells along x, y and z, each increasing: one more than there are cells.
using MeshFaces = std::array<std::vector<double>, 3>;

/// A value, or `components` adjacent ones, for every cell; x fastest.
struct CellField {
  std::string name;
  int components = 1;
  std::span<const float> values;
  std::string unit = {};  // as text, where the format has a place for it; empty: dimensionless, or not stated
};

/// One file at one time.
struct TimedFile {
  double time;
  std::string file;  // relative to the collection's folder
};

/// The number of cells. Throws std::invalid_argument for an axis without cells, and if a field does not have
/// `components` values for each cell.
std::size_t require_cell_fields(const MeshFaces& faces, const std::vector<CellField>& fields);

/// Whether the cells have equal widths along each axis, to a relative difference of 1e-9.
bool is_uniform(const MeshFaces& faces);

/// The width of the cells of a uniform mesh along axis `d`.
double spacing_along(const MeshFaces& faces, std::size_t d);

}  // namespace speedwell::io
