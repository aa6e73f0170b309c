// Calls of writers as on a disk that is full.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "speedwell/io/error.hpp"

namespace speedwell::test {

// Runs `work` in a child process whose files cannot grow past `bytes`: writes beyond fail, as on a full disk. Returns
// the exit status of the child: what `work` returned; 5 for an io::OutputError with the id "output.write", 98 for one
// with another id, 99 for any other exception; -1 if the child was killed by a signal or could not be started.
template <class Work>
int with_full_disk(rlim_t bytes, Work work) {
  const pid_t child = ::fork();
  if (child < 0) return -1;
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int status = 99;
    try {
      status = work();
    } catch (const io::OutputError& error) {
      status = error.id() == "output.write" ? 5 : 98;
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace speedwell::test
