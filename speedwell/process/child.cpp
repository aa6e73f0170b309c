#include "speedwell/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/process/signals.hpp"

namespace speedwell::process {
namespace {

constexpr int saved_status = 7;  // of a run that SIGUSR1 has stopped

// Tells a child once of a signal that stops this process.
void pass_on(pid_t process, bool& told) {
  if (told || stop_status() == 0) return;
  told = true;
  ::kill(process, SIGUSR1);
}

[[noreturn]] void refuse(const std::string& program, int error) {
  throw core::Unavailable(program + " cannot be started: " + std::generic_category().message(error));
}

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("/._-+,:@%=").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '=' && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string own_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw core::Unavailable("the path of this program is not known: " + error.message());
  return path.string();
}

sigset_t ignored_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  return signals;
}

std::vector<char*> argument_list(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

int wait_for(pid_t process, const std::function<void()>& meanwhile) {
  for (int state = 0;;) {
    const pid_t ended = ::waitpid(process, &state, WNOHANG);
    if (ended == process) return state;
    if (ended < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
    meanwhile();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int status_of(int state) { return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state); }

namespace {

/// A process in a session of its own that has been started, so that a terminal's signals come here alone. It gets
/// SIGTERM if this process is killed.
struct OwnSession {
  pid_t process = 0;
  int error = 0;  // that the program could not be started with
};

// With `quiet`, standard input is empty and standard output is discarded.
OwnSession start(const std::vector<std::string>& words, bool quiet) {
  std::vector<std::string> line = words;
  const std::vector<char*> arguments = argument_list(line);
  std::cout.flush();
  int failure[2] = {};  // a pipe for the number of an error; execvp() closes it
  if (::pipe2(failure, O_CLOEXEC) != 0) refuse(words.front(), errno);
  const pid_t self = ::getpid(), process = ::fork();
  if (process < 0) refuse(words.front(), errno);
  if (process == 0) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != self) ::_exit(1);
    if (const int nothing = quiet ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : -1; nothing >= 0) {
      ::dup2(nothing, STDIN_FILENO);
      ::dup2(nothing, STDOUT_FILENO);
    }
    std::signal(SIGPIPE, SIG_DFL);  // ignored signals are inherited
    std::signal(SIGXFSZ, SIG_DFL);
    ::execvp(arguments.front(), arguments.data());
    const int error = errno;
    const ssize_t ignored = ::write(failure[1], &error, sizeof error);
    (void)ignored;
    ::_exit(127);
  }
  ::close(failure[1]);
  int error = 0;
  ssize_t got = 0;
  do got = ::read(failure[0], &error, sizeof error);
  while (got < 0 && errno == EINTR);
  ::close(failure[0]);
  return {process, got == sizeof error ? error : 0};
}

// Starts, waits and passes signals on. Returns the exit status, and whether it may be for a signal that stops this
// process.
std::pair<int, bool> run_in_own_session(const std::vector<std::string>& words, bool quiet) {
  const OwnSession session = start(words, quiet);
  bool told = false;
  const int status = status_of(wait_for(session.process, [&] { pass_on(session.process, told); }));
  if (session.error != 0) refuse(words.front(), session.error);
  return {status, told && (status == saved_status || status == 128 + SIGUSR1)};
}

}  // namespace

int run_child(const std::vector<std::string>& words) { return run_in_own_session(words, true).first; }

int run_launcher(const std::vector<std::string>& words) {
  const auto [status, is_for_signal] = run_in_own_session(words, false);
  return is_for_signal ? stop_status() : status;
}

void become(const std::vector<std::string>& words) {
  std::vector<std::string> line = words;
  std::cout.flush();
  std::signal(SIGPIPE, SIG_DFL);  // ignored signals are inherited
  std::signal(SIGXFSZ, SIG_DFL);
  ::execvp(line.front().c_str(), argument_list(line).data());
  refuse(words.front(), errno);
}

}  // namespace speedwell::process
