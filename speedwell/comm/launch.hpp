// The command that starts a program on ranks: the launcher of the batch system or of the MPI that this is linked with.
#pragma once

#include <string>
#include <vector>

namespace speedwell::comm {

struct LaunchOptions {
  int ranks = 1;
  bool oversubscribe = false;  // more ranks than cores are meant
  bool one_core_each = true;   // the launcher may bind each rank to a core
};

/// The words before the program and its arguments: srun within an allocation of Slurm, else mpirun or mpiexec from
/// PATH, else the launcher that the build has found; SPEEDWELL_LAUNCHER names another one, with its options, in words
/// separated by blanks, to which "-n RANKS" is added. Throws core::Unavailable in a build without MPI, and if there is
/// no launcher.
std::vector<std::string> launch_command(const LaunchOptions& options);

}  // namespace speedwell::comm
