// Signals that ask the process to stop: SIGINT, SIGTERM and SIGUSR1.
#pragma once

#include <atomic>

namespace speedwell::process {

/// Installs the handlers of these signals, and ignores SIGPIPE and SIGXFSZ, so that failed writes are errors instead. A
/// process that waits for input ends at the first SIGINT or SIGTERM.
void handle_signals();

/// Set by SIGINT, SIGTERM and SIGUSR1; a second one of the first two ends the process at once, but for one within a
/// second of the first, which is taken for the same.
const std::atomic<bool>& stop_requested();
/// While true the first one does, too: nothing has been begun that would have to be cleaned up.
std::atomic<bool>& stop_at_once();
/// The message of the first signal on standard error, printed at once: null, or a text that stays valid until the
/// process ends.
std::atomic<const char*>& stop_notice();
/// 130, 143 or, for SIGUSR1, 7 once a signal has come, else 0.
int stop_status();
/// Whether standard output is a pipe whose reading end has been closed.
bool reader_is_gone();

}  // namespace speedwell::process
