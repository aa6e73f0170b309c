#include "speedwell/process/child.hpp"

#include <fcntl.h>
#include <spawn.h>
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

#include "speedwell/core/error.hpp"
#include "speedwell/process/signals.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): not every system declares it

namespace speedwell::process {
namespace {

constexpr int saved_status = 7;  // of a run that SIGUSR1 has stopped

// Tells a child once of a signal that stops this process.
void pass_on(int signal, pid_t process, bool& told) {
  if (told || stop_status() == 0) return;
  told = true;
  ::kill(process, signal);
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

int run_child(const std::vector<std::string>& words) {
  std::vector<std::string> line = words;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = ignored_signals();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, line.front().c_str(), &files, &attributes, argument_list(line).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) refuse(words.front(), failed);
  bool told = false;
  return status_of(wait_for(process, [&] { pass_on(SIGTERM, process, told); }));
}

int run_launcher(const std::vector<std::string>& words) {
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
  bool told = false;
  const int status = status_of(wait_for(process, [&] { pass_on(SIGUSR1, process, told); }));
  if (got == sizeof error) refuse(words.front(), error);
  const bool for_signal = told && (status == saved_status || status == 128 + SIGUSR1);
  return for_signal ? stop_status() : status;
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
