// What a simulation is run with, what it reports while it runs, and why it stops.
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

/// How far a run is.
struct Progress {
  std::string text;   // one line
  bool last = false;  // no other follows
};

struct SimulationOptions {
  std::string file;    // the case; empty: case.toml in the folder
  std::string folder;  // where everything is written
  bool force = false;  // write into a folder that is not empty
  bool resume = false;
  int threads = 1;
  /// The GPU is used where there is one that can do the case; always: std::invalid_argument and core::Unavailable say
  /// why it cannot be.
  enum class Gpu { if_possible, always, never } gpu = Gpu::if_possible;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  /// Of memory: a run that needs more is refused before anything is written.
  double available_bytes = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* stop = nullptr;  // the run saves and stops after the step in which this becomes true
  std::function<void(const Message&)> on_message;
  std::function<void(const Progress&)> on_progress;
  double progress_interval = 60;  // seconds between two calls of on_progress at least
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

/// A new run would write into a folder that has files.
class FolderNotEmpty : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace speedwell::simulation
