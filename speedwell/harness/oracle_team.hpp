// The threads of the oracle in a run on ranks.
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

}  // namespace speedwell::harness
