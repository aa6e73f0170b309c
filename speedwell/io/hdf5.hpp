// Fields as HDF5 files, one for each time: what write_vtk() writes, with more about the run. xdmf.hpp makes a series of
// them for ParaView.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/io/cell_field.hpp"

namespace speedwell::io {

/// What a file says of the run that its fields are of.
struct FieldsOrigin {
  double time = 0;          // in the unit of the case
  std::int64_t step = 0;    // number of the step
  std::string case_digest;  // XXH3-128 of the case file in 32 hexadecimal digits; empty: not written
};

/// Why HDF5 files cannot be written: the build has no HDF5, or its library cannot be loaded. Nothing if they can.
/// The library is loaded by the first call of this function or of write_hdf5(), and stays loaded.
std::optional<std::string> lacks_hdf5();

/// Writes cell fields and the coordinates of the mesh through AtomicFile: the whole file, or none. The root group has:
///
/// - a dataset for each field: 32-bit floats in the order z, y, x and, if there are several, component, with the
///   attribute `units`; chunks of whole planes, or rows of them, of at most 1 MiB, with Fletcher32 checksums, so that
///   a reader refuses bytes that have changed. The library holds one chunk at a time besides `fields`;
/// - `x_faces`, `y_faces`, `z_faces`: 64-bit floats, the coordinates of the faces between cells;
/// - the attributes `schema` ("speedwell-fields/1"), `time`, `step` and `case_xxh3_128`.
///
/// The same fields give the same bytes, as times of creation are left out. One call at a time writes, others wait.
/// Throws std::invalid_argument as require_cell_fields() does, core::Unavailable as lacks_hdf5() says, and OutputError
/// with the reason of the operating system, such as a full disk; messages of the HDF5 library are not printed.
void write_hdf5(const std::string& path, const MeshFaces& faces, const std::vector<CellField>& fields,
                const FieldsOrigin& origin);

}  // namespace speedwell::io
