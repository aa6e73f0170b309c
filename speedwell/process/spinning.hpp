// Bounds how long OpenMP's threads spin when they wait for each other.
#pragma once

namespace speedwell::process {

/// GNU's OpenMP lets a waiting thread spin for about 10 ms before it sleeps. Where another process wants a processor,
/// each barrier then waits that long for the one thread that has none: a run on all cores becomes many times slower
/// than one on one core. This bounds it (GOMP_SPINCOUNT) unless the user has chosen how to wait. OpenMP reads that
/// before main() begins, so the program is replaced by itself; returns if nothing is to be done, or if that fails.
/// `argv` is that of main().
void bound_spinning(char** argv);

}  // namespace speedwell::process
