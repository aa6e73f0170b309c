// Writers on a disk that is full.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "speedwell/io/error.hpp"

namespace speedwell::test {

// Runs `work` in a child process whose files cannot grow past `bytes`, as on a full disk. The child's exit status is
// what `work` returned, 99 for an exception that is not an OutputError.
template <class Work>
int with_full_disk(rlim_t bytes, Work work) {
  const pid_t child = ::fork();
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
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace speedwell::test
