// GpuSolver: random updates of a table in device memory, by any of the methods of gpu_plan.hpp.
//   GpuSolver solver({.words = words, .updates = 4 * words});   // allocates the table and the work space
//   solver.upload(stream);  solver.initialise(stream);  solver.run(stream);  solver.download(table, stream);
// Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "speedwell/apps/gups/gpu_plan.hpp"
#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::gups {

/// Updates 1 ... problem.updates of HPC Challenge's RandomAccess on one GPU: T[x_n mod words] ^= x_n. No update is
/// lost: the table has the same bits as that of update_serially() in gups.hpp.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates the whole table, 8 bytes for each word, and the method's work space, Plan::scratch_bytes(), on the
  /// current device; their contents are undefined. Without a tuning, best_tuning() is used. Throws
  /// std::invalid_argument as require_valid(), and for Rule::process with Method::binned or parts, which store updates;
  /// core::DeviceError if there is no device, or too little memory.
  GpuSolver(const Problem& problem, Method method, Rule rule = Rule::any, const std::optional<Tuning>& tuning = {});
  /// The same for a part of the table, with Method::parts: the words of parts.count parts from parts.first on, which
  /// this object holds and updates alone. Throws std::invalid_argument for no part, too.
  GpuSolver(const Problem& problem, const Parts& parts, Rule rule = Rule::any,
            const std::optional<Tuning>& tuning = {});
  /// The whole table with the fastest method for its size.
  explicit GpuSolver(const Problem& problem);

  /// Copies the words of the random stream at which blocks and threads begin to the device, and waits. Must be called
  /// once, before the first run().
  void upload(const core::Stream& stream);
  /// Enqueues T[i] = i, the table with which the benchmark begins. A program may instead write words of its own to
  /// device_table().
  void initialise(const core::Stream& stream);
  /// Enqueues all updates of the table, without waiting. A second run() undoes the first, because x ^ y ^ y is x.
  void run(const core::Stream& stream);
  /// Copies the table, or the part of it that this object has, to the host, and waits. Throws std::invalid_argument for
  /// another number of words.
  void download(std::span<std::uint64_t> table, const core::Stream& stream) const;

  /// The table, or its part, in device memory, in the type that CUDA's atomic functions take. run() updates it.
  std::span<unsigned long long> device_table();
  std::span<const unsigned long long> device_table() const;

  /// How the updates are divided among blocks, threads and bins.
  const Plan& plan() const;
  /// The multiprocessors and the free memory of the device, at construction, from which the plan was made.
  const Machine& machine() const;

 private:
  template <class MakePlan>
  GpuSolver(const Problem& problem, Rule rule, const MakePlan& make_plan);

  struct State;  // gpu/gpu_solver.cu
  core::Pimpl<State> state_;
};

}  // namespace speedwell::gups
