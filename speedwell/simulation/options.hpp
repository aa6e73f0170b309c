// Options of a simulation, the messages and progress that it reports, and its result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace speedwell::comm {
class Communicator;
}

namespace speedwell::simulation {

/// A message for the user. `text` is one line without a line break; control characters in file names are escaped.
struct Message {
  enum class Kind { status, note, warning, error } kind = Kind::status;
  std::string text;
};

/// A progress report.
struct Progress {
  std::string text;   // one line without a line break
  bool last = false;  // whether this is the last report of the run
};

/// The format of field files: VTK's, or HDF5 with a collection in XDMF (io/hdf5.hpp).
enum class FieldFormat { vtk, hdf5 };

struct SimulationOptions {
  std::string file;     // path of the case (TOML); empty: case.toml in `folder`
  std::string folder;   // folder of all outputs
  bool force = false;   // write into a folder that is not empty
  bool resume = false;  // continue from the last checkpoint in `folder`
  /// Nothing: that of the earlier part of a run that is resumed, and VTK's otherwise.
  std::optional<FieldFormat> field_format;
  int threads = 1;  // OpenMP threads
  /// The ranks of MPI that run the case together, if there are several: every rank calls run() or plan(); the first one
  /// reads the case, writes all files and reports. Null: this process alone.
  const comm::Communicator* ranks = nullptr;
  /// if_possible: use a GPU if one is available and supports the case, and the host otherwise. always: throw
  /// std::invalid_argument or core::Unavailable, with the reason, if it is not. never: use the host. On several ranks
  /// each drives a GPU with `always`, the same choice on all ranks, and computes on one core otherwise.
  enum class Gpu { if_possible, always, never } gpu = Gpu::if_possible;
  /// CUDA's index of the GPU of this process; it becomes the current device of the calling thread. Nothing: the current
  /// device.
  std::optional<int> gpu_device;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, after which the run saves and stops
  /// Available host memory in bytes. A run that needs more fails before it writes anything.
  double available_bytes = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* stop = nullptr;  // the run saves and stops after the step in which this becomes true
  std::function<void(const Message&)> on_message;
  std::function<void(const Progress&)> on_progress;
  double progress_interval = 60;  // minimum seconds between two calls of on_progress
};

/// Passes a message to on_message, if there is one.
inline void report(const SimulationOptions& options, Message::Kind kind, const std::string& text) {
  if (options.on_message) options.on_message({kind, text});
}

enum class StopReason { end_reached, diverged, interrupted, time_limit };

/// The end of a run.
struct SimulationEnd {
  StopReason reason = StopReason::end_reached;
  std::int64_t step = 0;  // number of the last step
  double time = 0;        // simulated time, in the unit of the case
  std::string summary;    // text of several lines, each with a line break
  bool on_gpu = false;    // whether the solver ran on GPUs
  bool saved = true;      // whether there is a checkpoint: not if the run ended while its initial state was prepared
};

/// Thrown for a new run, without `force`, in a folder that is not empty.
class FolderNotEmpty : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace speedwell::simulation
