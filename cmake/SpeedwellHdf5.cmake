# Finds HDF5, the format of `speedwell solve --field-format hdf5`: sets SPEEDWELL_HAVE_HDF5 as SpeedwellParts.cmake does for the
# other parts. Apart from that file and SpeedwellOptions.cmake, since the digests of all applications' records depend on these,
# and no measurement depends on this part.
#
# Only the headers are compiled with; the library is loaded when it is first needed (speedwell/io/hdf5/hdf5_library.hpp), a serial
# or a parallel build. HDF5_ROOT and CMAKE_PREFIX_PATH say where else to look.
set(SPEEDWELL_HDF5 AUTO CACHE STRING "AUTO, ON or OFF")
set_property(CACHE SPEEDWELL_HDF5 PROPERTY STRINGS AUTO ON OFF)

set(speedwell_hdf5_found FALSE)
if(NOT SPEEDWELL_HDF5 STREQUAL "OFF")
  # Debian keeps several builds side by side: include/hdf5/serial and lib/ARCHITECTURE/hdf5/serial.
  set(roots ENV HDF5_ROOT ENV HDF5_DIR)
  find_path(SPEEDWELL_HDF5_INCLUDE hdf5.h HINTS ${roots} PATH_SUFFIXES include hdf5/serial hdf5/openmpi hdf5/mpich)
  set(suffixes lib lib64)
  if(SPEEDWELL_HDF5_INCLUDE MATCHES "(hdf5/[a-z]+)$")
    set(suffixes ${CMAKE_MATCH_1} lib/${CMAKE_LIBRARY_ARCHITECTURE}/${CMAKE_MATCH_1})
  endif()
  find_library(SPEEDWELL_HDF5_FILE hdf5 HINTS ${roots} ${SPEEDWELL_HDF5_INCLUDE}/.. PATH_SUFFIXES ${suffixes} NO_CACHE)
  mark_as_advanced(SPEEDWELL_HDF5_INCLUDE)
  set(speedwell_hdf5_includes ${SPEEDWELL_HDF5_INCLUDE})
  if(SPEEDWELL_HDF5_INCLUDE AND SPEEDWELL_HDF5_FILE)
    file(STRINGS ${SPEEDWELL_HDF5_INCLUDE}/H5public.h version REGEX "^#define H5_VERS_INFO ")
    string(REGEX REPLACE ".*version: ([0-9.]+).*" "\\1" SPEEDWELL_HDF5_VERSION "${version}")
    if(SPEEDWELL_HAVE_MPI)  # headers of a parallel build include those of MPI
      list(APPEND speedwell_hdf5_includes ${MPI_CXX_INCLUDE_DIRS})
    endif()
    # The library by the name that the dynamic linker knows it by, which has the number of its interface: libhdf5.so.103.
    get_filename_component(file ${SPEEDWELL_HDF5_FILE} REALPATH)
    get_filename_component(speedwell_hdf5_folder ${file} DIRECTORY)
    get_filename_component(file ${file} NAME)
    string(REGEX MATCH "^lib.*\\.so\\.[0-9]+" speedwell_hdf5_name "${file}")
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${speedwell_hdf5_includes})
    set(CMAKE_REQUIRED_QUIET ON)
    unset(SPEEDWELL_HDF5_COMPILES CACHE)  # as what is looked for may have changed
    check_cxx_source_compiles("#include <hdf5.h>
      #if !H5_VERSION_GE(1, 10, 0)
      #error
      #endif
      int main() { return sizeof(&H5Dcreate2) == 0; }" SPEEDWELL_HDF5_COMPILES)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_QUIET)
    if(SPEEDWELL_HDF5_COMPILES AND speedwell_hdf5_name)
      set(speedwell_hdf5_found TRUE)
    endif()
  endif()
endif()
speedwell_part(HDF5 "${speedwell_hdf5_found}" "${SPEEDWELL_HDF5_VERSION}, ${speedwell_hdf5_folder}/${speedwell_hdf5_name}"
  "solve --field-format hdf5")
if(speedwell_hdf5_found)  # for `speedwell info`, and for tests, which read with the library
  set_property(GLOBAL PROPERTY SPEEDWELL_HDF5_VERSION ${SPEEDWELL_HDF5_VERSION})
  set_property(GLOBAL PROPERTY SPEEDWELL_HDF5_INCLUDES ${speedwell_hdf5_includes})
  set_property(GLOBAL PROPERTY SPEEDWELL_HDF5_FILE ${SPEEDWELL_HDF5_FILE})
endif()
