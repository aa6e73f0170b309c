// The GPU variants in the order in which each adds an idea: the table that the harness, the tests and the solver read.
#pragma once

#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::binary_fluid {

/// What is computed on the device, and in which form the lattice is stored.
enum class Method {
  study,     // the collision alone, of the dissertation of 2009: everything else on the host
  resident,  // all of a step, pass by pass, from one lattice to another
  in_place,  // collision and propagation in one pass over one lattice
  moments,   // fifteen numbers per site instead of 38 populations
};

/// The dissertation's steps; each includes those before it.
struct Study {
  bool constant_parameters = false;  // where every thread reads the same
  bool fewer_transfers = false;      // what does not change is sent once
  bool one_launch = false;           // planes in a loop inside the kernel
  bool registers = false;            // a site is read once and written once
  bool coalesced = false;            // structure of arrays, x fastest, without halo
};

struct Step : core::LadderStep {
  Method method = Method::study;
  Study study{};
};

inline constexpr Step ladder[] = {
    {{"cuda-ported", "collisions on the device, all else on the host; all data are copied both ways in every step",
      "v1"},
     Method::study,
     {}},
    {{"cuda-constant", "parameters in constant memory", "v2"}, Method::study, {true}},
    {{"cuda-fewer-transfers", "constant data are copied once", "v3"}, Method::study, {true, true}},
    {{"cuda-one-launch", "planes in a loop inside the kernel", "v4"}, Method::study, {true, true, true}},
    {{"cuda-registers", "a site's populations are read once and written once", "v5"},
     Method::study,
     {true, true, true, true}},
    {{"cuda-coalesced", "structure of arrays, x fastest, no halo; the host converts the layout", "v6"},
     Method::study,
     {true, true, true, true, true}},
    {{"cuda-resident", "all of a step on the device, where the lattice stays: differences, collision, propagation"},
     Method::resident},
    {{"cuda-in-place", "collision and propagation in one pass, in one lattice"}, Method::in_place},
    {{"cuda", "fifteen moments per site in memory; populations are exchanged within a tile only"}, Method::moments},
};

/// The property of the problem that `method` does not support, ready for "a GPU does not do ...".
std::optional<std::string> unsupported_reason(Method method, const Problem& problem);
/// The fastest method for a problem: moments if no other modes survive a collision.
Method choose(const Problem& problem);

/// Bytes of device memory of a solver by `method`.
double gpu_bytes(const Problem& problem, Method method, Precision precision);

}  // namespace speedwell::binary_fluid
