// A file driver of HDF5 that keeps an AtomicFile instead of a file of its own.
#pragma once

#include <exception>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/hdf5/hdf5_library.hpp"

namespace speedwell::io {

/// What the library writes, and the first failure of the operating system while it did. The library is told of none:
/// it cannot close a file that it cannot write, and would keep it until the process ends.
class Hdf5Target {
 public:
  explicit Hdf5Target(AtomicFile& file) : file_(&file) {}

  /// Does nothing after a failure.
  template <class Act>
  void attempt(const Act& act) noexcept {
    if (failure_) return;
    try {
      act(*file_);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws the failure, if there is one.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  AtomicFile* file_;
  std::exception_ptr failure_;
};

/// File access properties, to be closed by the caller, for a new file that is written to `target`, which must outlive
/// it; negative if the library has no memory for them.
hid_t access_properties(const Hdf5Library& h5, Hdf5Target& target);

}  // namespace speedwell::io
