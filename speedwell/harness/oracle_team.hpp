// What an oracle may use: the threads of a run on ranks, and memory.
#pragma once

#include <optional>

#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/machine/host/binding.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

/// While it exists, OpenMP teams of the first of several ranks have the cores of all ranks of its host, which
/// `machine` describes: launchers bind each rank to one core, and an oracle on one core takes longer than everything
/// else. The other ranks are to sleep meanwhile (Lockstep::idle_barrier()). Without ranks it does nothing.
class OracleTeam {
 public:
  OracleTeam(const Lockstep& ranks, const machine::Machine* machine) {
    if (ranks.is_parallel() && machine) team_.emplace(machine->cpu.available, machine->cpu.cores);
  }

 private:
  std::optional<machine::WiderTeam> team_;
};

/// Whether an oracle may keep an answer of `bytes` for the next comparisons: at most a quarter of the free memory.
inline bool oracle_may_keep(double bytes) { return 4 * bytes <= static_cast<double>(machine::available_host_bytes()); }

}  // namespace speedwell::harness
