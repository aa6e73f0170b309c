// The part of a binary fluid that one rank holds, for the time loop on ranks: on a core, or on a GPU.
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// The functions of binary_fluid::Stepper for a box that is divided among ranks. All are collective, and so is the
/// destructor except during an exception; `whole` is read or written on the first rank only.
class FluidPart {
 public:
  virtual ~FluidPart() = default;
  /// Sets the state, and saves it as save() does.
  virtual void set(const binary_fluid::State* whole) = 0;
  virtual void run(int steps) = 0;
  virtual void get(binary_fluid::State* whole) = 0;
  virtual void save() = 0;
  virtual void restore() = 0;
  /// On every rank.
  virtual binary_fluid::Statistics statistics() = 0;
  /// The fields of the whole box on the first rank, empty ones on the others.
  virtual binary_fluid::Fields fields() = 0;
};

/// A tile on one core. Everything has the bits of binary_fluid::stepper_on_cores(). `ranks` must outlive the part.
/// Throws std::invalid_argument if the box cannot be divided.
std::unique_ptr<FluidPart> fluid_part_on_core(const comm::Communicator& ranks, const binary_fluid::Problem& problem,
                                              binary_fluid::Precision precision);
/// A slab along z on the current GPU. Populations have the bits of binary_fluid::stepper_on_gpu(); the sums of the
/// statistics are added in the order of the ranks. `ranks` must outlive the part. Throws std::invalid_argument for more
/// ranks than planes, and core::Unavailable without CUDA and, on all ranks, if a GPU has less free memory than
/// fluid_bytes_of_gpu().
std::unique_ptr<FluidPart> fluid_part_on_gpu(const comm::Communicator& ranks, const binary_fluid::Problem& problem,
                                             binary_fluid::Precision precision);

/// Bytes of device memory of the thickest of `gpus` slabs along z, with a plane of a neighbour on either side if there
/// are several.
double fluid_bytes_of_gpu(const binary_fluid::Problem& problem, binary_fluid::Precision precision, int gpus);

}  // namespace speedwell::simulation
