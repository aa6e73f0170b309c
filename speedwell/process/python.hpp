// Starts the Python package that is installed beside the program, which makes reports and comparisons from records
// (docs/python.md).
#pragma once

#include <string>
#include <vector>

namespace speedwell::process {

/// The exit status of a run of the Python package. A signal that ended it counts as 128 and its number.
struct PythonEnd {
  int status = 0;
  std::string error;  // what it wrote to standard error, if that was asked for
};

/// The streams of the package that are this process's: what it writes to standard output is dropped otherwise, what it
/// writes to standard error is returned.
enum class Streams { both, standard_output, none };

/// Runs `python3 -m speedwell WORDS` and waits for it; signals to this process are passed on. The interpreter is
/// $SPEEDWELL_PYTHON or else python3. Throws core::Unavailable if there is no interpreter or no package, or if a signal
/// other than SIGINT and SIGTERM ended it.
PythonEnd run_python(const std::vector<std::string>& words, Streams streams = Streams::both);

/// The same for what a command can do without: one line that says why it failed, as it is shown to users; empty if it
/// did not.
std::string python_failure(const std::vector<std::string>& words, Streams streams);

}  // namespace speedwell::process
