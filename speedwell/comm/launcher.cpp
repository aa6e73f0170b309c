#include <charconv>
#include <cstdlib>
#include <string_view>

#include "speedwell/comm/environment.hpp"

namespace speedwell::comm {

std::optional<int> launcher_ranks() {
  // Variables of Open MPI's mpirun, of MPICH's and Intel's mpiexec, and of srun, which also sets it in interactive
  // steps.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* value = std::getenv(name)) {
      const std::string_view text = value;
      int ranks = 0;
      std::from_chars(text.data(), text.data() + text.size(), ranks);
      if (ranks >= 1) return ranks;
    }
  return std::nullopt;
}

}  // namespace speedwell::comm
