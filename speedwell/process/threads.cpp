#include "speedwell/process/threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

#include "speedwell/comm/environment.hpp"

namespace speedwell::process {
namespace {

// Some 20 to 45 us, as a pause of the processor takes 40 to 140 cycles: longer than threads of a balanced loop wait for
// each other, and hardly longer than it takes to wake one that sleeps.
constexpr const char* spins = "1000";

// 2^17 cycles are 40 to 65 us, about as long as the threads of OpenMP wait. By itself OpenBLAS lets its threads spin
// for 2^26 cycles after a call, some 30 ms, in which they take time from whatever is measured next.
constexpr const char* openblas_cycles_log2 = "17";

void bound_spinning(char** argv) {
  for (const char* chosen : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(chosen)) return;
  if (setenv("GOMP_SPINCOUNT", spins, 0) != 0) return;
  // By its name: the link's would be what `ps` and `pkill` know it by.
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    path[length] = 0;
    execv(path, argv);
  }
  unsetenv("GOMP_SPINCOUNT");
}

}  // namespace

void begin_on_first_processor() {
  cpu_set_t all, first;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &all)) ++cpu;
  if (cpu == CPU_SETSIZE) return;
  CPU_ZERO(&first);
  CPU_SET(cpu, &first);
  if (sched_setaffinity(0, sizeof first, &first) == 0) sched_setaffinity(0, sizeof all, &all);
}

void set_up_threads(char** argv) {
  // Before OpenBLAS is loaded, at the first use of it; overwrites no choice of the user.
  setenv("OPENBLAS_THREAD_TIMEOUT", openblas_cycles_log2, 0);
  bound_spinning(argv);
  if (!comm::launcher_ranks()) begin_on_first_processor();
}

}  // namespace speedwell::process
