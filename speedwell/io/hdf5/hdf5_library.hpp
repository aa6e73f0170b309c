// The functions of the HDF5 library that are used here. It is loaded when it is first needed: it brings dozens of
// libraries along, for which every start of the program would wait, and a program that was built with it also runs
// where it is missing.
#pragma once

#include <hdf5.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // file drivers, from HDF5 1.14 on
#endif

#include "speedwell/core/shared_library.hpp"

namespace speedwell::io {

class Hdf5Library {
 public:
  /// Loads the library that the build found. Throws core::Unavailable if that cannot be loaded.
  Hdf5Library();

  // Functions with the names that the library exports.
  decltype(&::H5open) H5open;
  decltype(&::H5Eget_auto2) H5Eget_auto2;
  decltype(&::H5Eset_auto2) H5Eset_auto2;
  decltype(&::H5FDregister) H5FDregister;
  decltype(&::H5Pcreate) H5Pcreate;
  decltype(&::H5Pclose) H5Pclose;
  decltype(&::H5Pset_driver) H5Pset_driver;
  decltype(&::H5Pget_driver_info) H5Pget_driver_info;
  decltype(&::H5Pset_chunk) H5Pset_chunk;
  decltype(&::H5Pset_fletcher32) H5Pset_fletcher32;
  decltype(&::H5Pset_obj_track_times) H5Pset_obj_track_times;
  decltype(&::H5Fcreate) H5Fcreate;
  decltype(&::H5Fclose) H5Fclose;
  decltype(&::H5Screate) H5Screate;
  decltype(&::H5Screate_simple) H5Screate_simple;
  decltype(&::H5Sclose) H5Sclose;
  decltype(&::H5Tcopy) H5Tcopy;
  decltype(&::H5Tset_size) H5Tset_size;
  decltype(&::H5Tclose) H5Tclose;
  decltype(&::H5Dcreate2) H5Dcreate2;
  decltype(&::H5Dwrite) H5Dwrite;
  decltype(&::H5Dclose) H5Dclose;
  decltype(&::H5Acreate2) H5Acreate2;
  decltype(&::H5Awrite) H5Awrite;
  decltype(&::H5Aclose) H5Aclose;

  // Its predefined classes of properties and types, which H5open() sets.
  hid_t file_access, dataset_creation, float32, float64, int64, text;

 private:
  template <class Pointer>
  void load(Pointer& function, const char* name) {
    function = library_.function<Pointer>(name);
  }

  core::SharedLibrary library_;
};

/// Loaded by the first call; a failure is tried again by the next one. Throws core::Unavailable.
const Hdf5Library& hdf5_library();

}  // namespace speedwell::io
