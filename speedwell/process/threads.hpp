// How the threads of a program begin and wait for each other.
#pragma once

namespace speedwell::process {

/// Called by main() of a program whose threads wait for each other, before anything else; `argv` is that of main().
///
/// GNU's OpenMP lets a waiting thread spin for about 10 ms before it sleeps. Where another process wants a processor,
/// each barrier then waits that long for the one thread that has none: a run on all cores becomes many times slower
/// than one on one core. This bounds it (GOMP_SPINCOUNT) unless the user has chosen how to wait. OpenMP reads that
/// before main() begins, so the program is replaced by itself; nothing is done about it if that fails. The threads of
/// OpenBLAS, which spin for 30 ms after a call, are bounded likewise (OPENBLAS_THREAD_TIMEOUT).
///
/// Then begin_on_first_processor(), without a launcher of ranks: those that it has not bound would all begin there.
void set_up_threads(char** argv);

/// Moves the calling thread to the first hardware thread that it may use, which leaves it free to move. The other
/// threads of a team are bound (machine::bind_team()), the first to the second hardware thread and so on: if the
/// calling thread began on one of these, it would share it until the system moves it, during which all of a ceiling can
/// be measured at half its rate. Does nothing if the system refuses.
void begin_on_first_processor();

}  // namespace speedwell::process
