// Series in time of the files of hdf5.hpp, as XDMF 3 for ParaView and VisIt.
#pragma once

#include <string>
#include <vector>

#include "speedwell/io/cell_field.hpp"

namespace speedwell::io {

/// What a collection says of one file: its time, mesh and fields. Files of one collection may differ in them.
struct XdmfGrid {
  std::string file;  // relative to the collection's folder
  std::string text;  // the lines of its element
};

/// The grid of a file that write_hdf5() writes of this mesh and these fields, whose values are not used. A uniform mesh
/// is described by its origin and spacing, another one by the coordinates in the file. Throws std::invalid_argument for
/// an axis without cells and for a field of components other than 1 and 3.
XdmfGrid xdmf_grid(const TimedFile& file, const MeshFaces& faces, const std::vector<CellField>& fields);

/// Writes an .xdmf file, a temporal collection, through AtomicFile. Throws OutputError.
void write_xdmf(const std::string& path, const std::vector<XdmfGrid>& grids);
/// The grids in a collection of write_xdmf(); none if there is no such file. Throws InputError input.open for one that
/// cannot be read.
std::vector<XdmfGrid> read_xdmf(const std::string& path);

}  // namespace speedwell::io
