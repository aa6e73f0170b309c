// Processes that a command starts and waits for.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace speedwell::process {

/// A text as one word of a command line for a POSIX shell, in single quotes if it needs quotes.
std::string shell_word(const std::string& text);

/// The path of this program.
std::string own_program();

/// Starts the program words[0] (a path, or a name in PATH) with the rest as its arguments, standard input empty and
/// standard output discarded, and waits. It is in a session of its own, so that a terminal's signals come here alone: a
/// signal that stops this process is passed on as SIGUSR1, which launchers forward to the ranks, where they answer
/// others by ending the job within a second. If this process is killed, it ends, too. Returns the exit status, 128 +
/// the signal for a process that one ended. Throws core::Unavailable if it cannot be started.
int run_child(const std::vector<std::string>& words);

/// The same with this process's standard streams. Returns stop_status() if it ended for a signal that was passed on.
int run_launcher(const std::vector<std::string>& words);

/// The words as exec functions take them: pointers to each, and a null pointer. `words` must outlive them.
std::vector<char*> argument_list(std::vector<std::string>& words);
/// Waits for a child that has been started, and calls `meanwhile` every few milliseconds until it has ended. Returns
/// its state as waitpid() has it. Throws std::system_error.
int wait_for(pid_t process, const std::function<void()>& meanwhile);
/// The exit status in such a state; 128 + the signal for a process that one ended.
int status_of(int state);

/// The signals that this program ignores and its children must not: the set for posix_spawnattr_setsigdefault().
sigset_t ignored_signals();

/// Becomes that program; does not return. Throws core::Unavailable if it cannot be started.
[[noreturn]] void become(const std::vector<std::string>& words);

}  // namespace speedwell::process
