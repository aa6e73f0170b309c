#include "speedwell/io/hdf5/hdf5_library.hpp"

#include "speedwell/core/error.hpp"

namespace speedwell::io {

// SPEEDWELL_HDF5_LIBRARY is the name of the library with the number of its interface, as "libhdf5.so.103":
// speedwell/io/CMakeLists.txt finds it.
Hdf5Library::Hdf5Library() : library_(SPEEDWELL_HDF5_LIBRARY, SPEEDWELL_HDF5_FOLDER) {
  load(H5open, "H5open");
  load(H5Eget_auto2, "H5Eget_auto2");
  load(H5Eset_auto2, "H5Eset_auto2");
  load(H5FDregister, "H5FDregister");
  load(H5Pcreate, "H5Pcreate");
  load(H5Pclose, "H5Pclose");
  load(H5Pset_driver, "H5Pset_driver");
  load(H5Pget_driver_info, "H5Pget_driver_info");
  load(H5Pset_chunk, "H5Pset_chunk");
  load(H5Pset_fletcher32, "H5Pset_fletcher32");
  load(H5Pset_obj_track_times, "H5Pset_obj_track_times");
  load(H5Fcreate, "H5Fcreate");
  load(H5Fclose, "H5Fclose");
  load(H5Screate, "H5Screate");
  load(H5Screate_simple, "H5Screate_simple");
  load(H5Sclose, "H5Sclose");
  load(H5Tcopy, "H5Tcopy");
  load(H5Tset_size, "H5Tset_size");
  load(H5Tclose, "H5Tclose");
  load(H5Dcreate2, "H5Dcreate2");
  load(H5Dwrite, "H5Dwrite");
  load(H5Dclose, "H5Dclose");
  load(H5Acreate2, "H5Acreate2");
  load(H5Awrite, "H5Awrite");
  load(H5Aclose, "H5Aclose");
  if (H5open() < 0) throw core::Unavailable("the library " SPEEDWELL_HDF5_LIBRARY " cannot be initialised");
  const auto value = [&](const char* name) { return *library_.function<const hid_t*>(name); };
  file_access = value("H5P_CLS_FILE_ACCESS_ID_g");
  dataset_creation = value("H5P_CLS_DATASET_CREATE_ID_g");
  float32 = value("H5T_IEEE_F32LE_g");
  float64 = value("H5T_IEEE_F64LE_g");
  int64 = value("H5T_STD_I64LE_g");
  text = value("H5T_C_S1_g");
}

const Hdf5Library& hdf5_library() {
  static const Hdf5Library library;
  return library;
}

}  // namespace speedwell::io
