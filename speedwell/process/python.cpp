#include "speedwell/process/python.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>
#include <system_error>

#include "speedwell/core/error.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/signals.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): not every system declares it

namespace speedwell::process {
namespace {

namespace fs = std::filesystem;
constexpr const char* packages =
    "apt-get install python3-pandas python3-scipy python3-matplotlib python3-jinja2 python3-jsonschema";

// The folder that holds the package: that of an installation, else that of the sources which this was built from.
std::string package_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder :
       {program.parent_path().parent_path() / SPEEDWELL_PYTHON_INSTALLED, fs::path(SPEEDWELL_PYTHON_SOURCE)})
    if (fs::exists(folder / "speedwell" / "__main__.py", ignored)) return folder.string();
  throw core::Unavailable(
      "the Python package of Speedwell is neither installed with the program nor in its sources: cmake "
      "--install puts it where the program looks for it");
}

// This process's, with what the package needs: its folder, no folder of the user's before it, and one thread: libraries
// that it imports begin as many as there are cores, and use none of them.
std::vector<std::string> environment(const std::string& folder) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos)
      variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  std::string& path = variables["PYTHONPATH"];
  path = path.empty() ? folder : folder + ":" + path;
  variables["PYTHONSAFEPATH"] = "1";
  variables["PYTHONDONTWRITEBYTECODE"] = "1";
  for (const char* threads : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}) variables[threads] = "1";
  variables["SPEEDWELL_NAME"] = "speedwell";
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_write_end();
    ::close(ends_[0]);
  }
  int write_end() const { return ends_[1]; }
  void close_write_end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  // Reads what is available without waiting.
  void drain(std::string& text) const {
    char buffer[4096];
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    for (ssize_t n = 0; (n = ::read(ends_[0], buffer, sizeof buffer)) > 0;)
      if (text.size() < (std::size_t{1} << 20)) text.append(buffer, static_cast<std::size_t>(n));
  }

 private:
  int ends_[2];
};

pid_t start(std::vector<std::string> words, std::vector<std::string> variables, Streams streams, const Pipe& error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (streams == Streams::none) posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (streams != Streams::both) posix_spawn_file_actions_adddup2(&files, error.write_end(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = ignored_signals();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  // A terminal's SIGINT is for this program, which ends the other one in order: Python is not interrupted while it
  // begins.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, words.front().c_str(), &files, &attributes, argument_list(words).data(),
                                  argument_list(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == ENOENT || failed == EACCES)
    throw core::Unavailable("there is no Python interpreter '" + words.front() + "': " + packages);
  if (failed != 0) throw core::Unavailable("Python cannot be started: " + std::generic_category().message(failed));
  return process;
}

}  // namespace

PythonEnd run_python(const std::vector<std::string>& words, Streams streams) {
  const char* chosen = std::getenv("SPEEDWELL_PYTHON");
  std::vector<std::string> line{chosen && *chosen ? chosen : "python3", "-m", "speedwell"};
  line.insert(line.end(), words.begin(), words.end());
  std::cout.flush();
  Pipe error;
  const pid_t process = start(line, environment(package_folder()), streams, error);
  error.close_write_end();
  PythonEnd end;
  const bool stopping = stop_status() != 0;  // a suite that was stopped makes its report all the same
  bool told = false;
  // One SIGTERM may be lost: Python runs its handler between two instructions, so that a signal just before a read()
  // that waits goes unseen, and an exception in the middle of an import may be ignored. So it is repeated, and at last
  // nothing is asked: the package writes its files under another name and renames them.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between_signals{250}, until_killed{3000};
  Clock::time_point first_signal, last_signal;
  const auto drain = [&] {
    if (streams != Streams::both) error.drain(end.error);
  };
  const int state = wait_for(process, [&] {
    drain();
    if (stopping || stop_status() <= 128) return;
    const auto now = Clock::now();
    if (!told) first_signal = now;
    if (!told || now - last_signal > between_signals) {
      ::kill(process, told && now - first_signal > until_killed ? SIGKILL : SIGTERM);
      last_signal = now;
    }
    told = true;
  });
  drain();
  end.status = status_of(state);
  if (told && end.status != 0) end.status = stop_status();
  if (!told && WIFSIGNALED(state) && WTERMSIG(state) != SIGINT && WTERMSIG(state) != SIGTERM &&
      WTERMSIG(state) != SIGPIPE)
    throw core::Unavailable("Python was ended by signal " + std::to_string(WTERMSIG(state)) +
                            ": it had too little memory, or one of its packages is broken");
  return end;
}

std::string python_failure(const std::vector<std::string>& words, Streams streams) {
  try {
    const PythonEnd end = run_python(words, streams);
    if (end.status == 0) return {};
    std::string line = end.error.substr(0, end.error.find('\n'));
    if (constexpr std::string_view before = "speedwell: error: "; line.starts_with(before))
      line.erase(0, before.size());
    return harness::printable(line.empty() ? "Python ended with status " + std::to_string(end.status) : line);
  } catch (const core::Unavailable& reason) {
    return harness::printable(reason.what());
  }
}

}  // namespace speedwell::process
