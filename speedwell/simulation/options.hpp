// Options of a simulation, its messages, and the reason of its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::simulation {

/// One line without a line break; control characters in names of files are escaped.
struct Message {
  enum class Kind { status, note, warning, error } kind = Kind::status;
  std::string text;
};

/// Progress of a run.
struct Progress {
  std::string text;   // one line
  bool last = false;  // the last report of the run
};

struct SimulationOptions {
  std::string file;    // the case; empty: case.toml in the folder
  std::string folder;  // folder of all outputs
  bool force = false;  // write into a folder that is not empty
  bool resume = false;
  int threads = 1;
  /// if_possible: use a GPU if one is available and supports the case. always: otherwise throw std::invalid_argument or
  /// core::Unavailable with the reason.
  enum class Gpu { if_possible, always, never } gpu = Gpu::if_possible;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  /// Available memory in bytes: a run that needs more is an error before anything is written.
  double available_bytes = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* stop = nullptr;  // the run saves and stops after the step in which this becomes true
  std::function<void(const Message&)> on_message;
  std::function<void(const Progress&)> on_progress;
  double progress_interval = 60;  // minimum seconds between two calls of on_progress
};

inline void report(const SimulationOptions& options, Message::Kind kind, const std::string& text) {
  if (options.on_message) options.on_message({kind, text});
}

enum class StopReason { end_reached, diverged, interrupted, time_limit };

struct SimulationEnd {
  StopReason reason = StopReason::end_reached;
  std::int64_t step = 0;
  double time = 0;
  std::string summary;  // lines, each with a line break
};

/// Thrown for a new run in a folder that is not empty.
class FolderNotEmpty : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace speedwell::simulation
