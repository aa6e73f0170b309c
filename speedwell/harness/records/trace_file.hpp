// The file of a trace of all ranks, in the trace-event format of Chrome, which https://ui.perfetto.dev and
// chrome://tracing read: a process for each rank, a thread for each host thread or CUDA stream, complete events in
// microseconds on the clock of the first rank, and asynchronous events for messages under way.
#pragma once

#include <string>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::harness {

/// How the clock of a rank relates to that of the first.
struct ClockOffset {
  double seconds = 0;      // to be added to a time of this rank
  double uncertainty = 0;  // the offset is right within so many seconds
};

/// Collective. From the fastest of several round trips of a message to the first rank. The clocks of one host are the
/// same: an offset that is not above its uncertainty is taken to be 0. `ranks` may be null.
ClockOffset clock_offset(const comm::Communicator* ranks);

/// Collective. The text of the file on the first rank, an empty one on the others. `command_line` is written with it.
std::string trace_text(const core::Trace& trace, const comm::Communicator* ranks, const std::string& command_line);

}  // namespace speedwell::harness
