#include "speedwell/harness/measurement/status.hpp"

#include <stdexcept>

namespace speedwell::harness {

std::string to_string(Status status) {
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::failed:
      return "failed";
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "error";
  }
  throw std::logic_error("a status without a name");
}

}  // namespace speedwell::harness
