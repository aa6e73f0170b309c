// What hdf5.cpp defines, in a build without HDF5.
#include "speedwell/core/error.hpp"
#include "speedwell/io/hdf5.hpp"

namespace speedwell::io {

std::optional<std::string> lacks_hdf5() {
  return "this build has no HDF5 (libhdf5 1.10 or later, the CMake option SPEEDWELL_HDF5)";
}

void write_hdf5(const std::string&, const MeshFaces& faces, const std::vector<CellField>& fields, const FieldsOrigin&) {
  require_cell_fields(faces, fields);
  throw core::Unavailable(*lacks_hdf5());
}

}  // namespace speedwell::io
