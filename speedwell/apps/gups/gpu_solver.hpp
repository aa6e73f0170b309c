// GpuSolver: random updates of a table in device memory, by any of the methods of gpu_plan.hpp.
//   GpuSolver solver({.words = words, .updates = 4 * words});   // allocates the table and the work space
//   solver.upload(stream);  solver.initialise(stream);  solver.run(stream);  solver.download(table, stream);
// Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "speedwell/apps/gups/gpu_plan.hpp"
#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::gups {

/// Updates 1 ... problem.updates of HPC Challenge's RandomAccess on one GPU: T[x_n mod words] ^= x_n. No update is
/// lost: the table has the same bits as that of update_serially() in gups.hpp.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates the table, 8 bytes for each word, and the method's work space, Plan::scratch_bytes(), on the current
  /// device; their contents are undefined. Without a tuning, best_tuning() is used. Throws std::invalid_argument as
  /// require_valid(), and for Rule::process with Method::binned, which stores updates; core::DeviceError if there is no
  /// device, or too little memory.
  GpuSolver(const Problem& problem, Method method, Rule rule = Rule::any, const std::optional<Tuning>& tuning = {});
  /// The same with the fastest method for the size of the table.
  explicit GpuSolver(const Problem& problem);
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Copies the words of the random stream at which blocks and threads begin to the device, and waits. Must be called
  /// once, before the first run().
  void upload(cudaStream_t stream = nullptr);
  /// Enqueues T[i] = i, the table with which the benchmark begins. A program may instead write words of its own to
  /// device_table().
  void initialise(cudaStream_t stream = nullptr);
  /// Enqueues all updates of the table, without waiting. A second run() undoes the first, because x ^ y ^ y is x.
  void run(cudaStream_t stream = nullptr);
  /// Copies the table to the host, and waits. Throws std::invalid_argument for a table that does not have the problem's
  /// number of words.
  void download(std::span<std::uint64_t> table, cudaStream_t stream = nullptr) const;

  /// The table in device memory: `words` words, in the type that CUDA's atomic functions take. run() updates it.
  std::span<unsigned long long> device_table();
  std::span<const unsigned long long> device_table() const;

  /// How the updates are divided among blocks, threads and bins.
  const Plan& plan() const;
  /// The multiprocessors and the free memory of the device, at construction, from which the plan was made.
  const Machine& machine() const;

 private:
  struct State;  // gpu/gpu_solver.cu
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::gups
