#include "speedwell/process/signals.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "speedwell/io/source.hpp"

namespace speedwell::process {
namespace {

std::atomic<bool> stop{false}, at_once{false};
std::atomic<int> stop_signal{0};
std::atomic<const char*> notice{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// A terminal, timeout, mpirun and srun may give one signal to a process twice, within milliseconds.
constexpr std::int64_t one_signal_ns = 1000000000;
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (at_once) std::_Exit(128 + signal);
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler of signals
  const std::int64_t ns = std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, ns)) {
    stop_signal = signal;
    stop = true;
    if (const char* const text = notice) {
      const int error = errno;
      std::size_t length = 0;
      while (text[length]) ++length;
      const ssize_t ignored = ::write(STDERR_FILENO, text, length);
      (void)ignored;
      errno = error;
    }
    return;
  }
  if (signal == SIGUSR1) return;  // batch systems may say it several times
  if (stop_signal != SIGUSR1 && ns - first < one_signal_ns) return;
  std::_Exit(128 + signal);  // the second signal does not wait
}

// An input may be a pipe to which no process writes. Nothing is lost if the process ends instead of waiting for it.
void end_reading() {
  const int signal = stop_signal;
  if (stop && signal != SIGUSR1) std::_Exit(128 + signal);
}

}  // namespace

void handle_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);  // "the time is nearly over" of batch systems
  io::set_reading_check(end_reading);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is found when stdout is flushed, and files are written all the same
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file beyond the limit of its size
}
const std::atomic<bool>& stop_requested() { return stop; }
std::atomic<bool>& stop_at_once() { return at_once; }
std::atomic<const char*>& stop_notice() { return notice; }
int stop_status() {
  if (!stop) return 0;
  return stop_signal == SIGUSR1 ? 7 : 128 + stop_signal.load();
}
bool reader_is_gone() {
  struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace speedwell::process
