#include "speedwell/io/hdf5/hdf5_driver.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace speedwell::io {
namespace {

// An open file: the library's part, which has to come first, and ours.
struct File {
  H5FD_t library{};
  Hdf5Target* target = nullptr;
  haddr_t allocated = 0;  // bytes that the library has given to its objects
  haddr_t end = 0;        // bytes of the file
};

File* ours(H5FD_t* file) { return reinterpret_cast<File*>(file); }
const File* ours(const H5FD_t* file) { return reinterpret_cast<const File*>(file); }

H5FD_t* open(const char*, unsigned, hid_t properties, haddr_t) {
  const void* const info = hdf5_library().H5Pget_driver_info(properties);
  if (!info) return nullptr;
  File* const file = new (std::nothrow) File;
  if (!file) return nullptr;
  file->target = *static_cast<Hdf5Target* const*>(info);
  return &file->library;
}

herr_t close(H5FD_t* file) {
  delete ours(file);
  return 0;
}

// As the library's own driver of POSIX files says of itself.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
#ifdef H5FD_FEAT_DEFAULT_VFD_COMPATIBLE
  if (flags) *flags |= H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
#endif
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return ours(file)->allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t bytes) {
  ours(file)->allocated = bytes;
  return 0;
}

haddr_t end(const H5FD_t* file, H5FD_mem_t) { return ours(file)->end; }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
  char* const to = static_cast<char*>(bytes);
  std::fill(to, to + size, '\0');
  ours(file)->target->attempt([&](AtomicFile& whole) { whole.read_at(at, {to, size}); });
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  ours(file)->target->attempt([&](AtomicFile& whole) { whole.write_at(at, {static_cast<const char*>(bytes), size}); });
  ours(file)->end = std::max<haddr_t>(ours(file)->end, at + size);
  return 0;
}

// What was given to an object at the end of the file and not written belongs to the file.
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  File& f = *ours(file);
  if (f.end == f.allocated) return 0;
  f.target->attempt([&](AtomicFile& whole) { whole.resize(f.allocated); });
  f.end = f.allocated;
  return 0;
}

hid_t register_driver(const Hdf5Library& h5) {
  static H5FD_class_t driver{};  // the library keeps its address
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // 512 and more are for drivers of programs
#endif
  driver.name = "speedwell";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;  // H5Fclose() closes what an error has left open
  driver.fapl_size = sizeof(Hdf5Target*);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = end;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  return h5.H5FDregister(&driver);
}

}  // namespace

hid_t access_properties(const Hdf5Library& h5, Hdf5Target& target) {
  static const hid_t driver = register_driver(h5);
  const hid_t properties = h5.H5Pcreate(h5.file_access);
  Hdf5Target* const info = &target;
  if (properties >= 0 && h5.H5Pset_driver(properties, driver, &info) < 0) {
    h5.H5Pclose(properties);
    return -1;
  }
  return properties;
}

}  // namespace speedwell::io
