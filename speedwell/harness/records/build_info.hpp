// What this binary was built from and with. Filled in by CMake (build_info.cpp.in, source_digest.cmake).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace speedwell::harness {

struct BuildInfo {
  std::string_view version, commit, compiler, flags, build_type;
  bool dirty;
  std::string_view cuda, cuda_architectures, mpi, openmp, hwloc, blas, hdf5;  // versions; empty: not in this build
  std::string_view peers;  // libraries that variants are held against
};
const BuildInfo& build_info();

/// A digest of all sources that are linked into `application`'s variants or measure them, and of how CMake compiles
/// them: see cmake/source_digest.cmake. That of variants in one process does not depend on what serves ranks only.
/// Empty if unknown.
std::string source_digest(std::string_view application, bool on_ranks);
/// Those of all applications, by "NAME" and "NAME on ranks"; empty if unknown.
std::map<std::string, std::string> source_digests();

/// The JSON Schema of records, as `speedwell schema` prints it.
std::string_view records_schema();

}  // namespace speedwell::harness
