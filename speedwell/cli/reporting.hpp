// What is made of records is made by the Python package that is installed beside the program (docs/python.md). The
// commands report, diff, accept and compare-machines start it.
#pragma once

#include <string>
#include <vector>

namespace speedwell::cli {

/// What a run of the Python package ended with. A signal that ended it counts as 128 and its number.
struct PythonEnd {
  int status = 0;
  std::string error;  // what it wrote to standard error, if that was asked for
};

/// Runs `python3 -m speedwell WORDS` and waits for it; signals to this process are passed on. `quiet`: nothing goes to
/// standard output, and standard error is returned. The interpreter is $SPEEDWELL_PYTHON or else python3. Throws
/// core::Unavailable if there is no interpreter or no package, or if a signal other than SIGINT and SIGTERM ended it.
PythonEnd run_python(const std::vector<std::string>& words, bool quiet = false);

}  // namespace speedwell::cli
