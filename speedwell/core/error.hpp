// The error types of the library. Each has one exit status of the command line (docs/errors.md). Mistakes of a caller
// are std::invalid_argument, and errors of files those of io/error.hpp.
#pragma once

#include <stdexcept>
#include <string>

namespace speedwell::core {

/// Not available here: no GPU, a part that was not built, too little memory, too many ranks. Exit status 4.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Failed while running: CUDA, NCCL, MPI, ECC. Exit status 5.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace speedwell::core
