// DistributedSolver: a flow whose box is divided among ranks, in slabs along the axis that the pressure solver keeps
// for its tridiagonal systems (Choice::order). Each rank advances its planes with the kernels of Solver:
//   DistributedSolver<double> flow(ranks, problem, options);
//   flow.scatter(rank == 0 ? &state : nullptr);
//   for (…) flow.step(dt);
//   flow.gather(rank == 0 ? &state : nullptr);
//
// Velocities of neighbouring planes travel while the momentum of the planes that do not read them is computed. The
// direct pressure solver transforms planes where they are, moves modes to lines along the third axis, and moves the
// solutions back, in pieces that travel while others are transformed. Sums over the box are pairwise over the rows of
// each plane and over the planes. So the flow has the bits of Solver for any number of ranks and of threads, with
// either pressure solver, any edges and solids, both schemes, and either kind of diffusion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::incompressible_flow {

/// The planes that the slabs of a problem divide: a box can be divided among as many ranks at most.
int planes_to_divide(const Problem& problem, const Options& options);

/// The members are collective but for those that return what is known; all ranks give the same problem, options and
/// arguments. `whole` is read or written on rank 0 only.
template <class T>
class DistributedSolver {
 public:
  /// Threads of each rank are options.threads, 0: one. Throws std::invalid_argument as Solver does, and for more ranks
  /// than planes_to_divide(); core::Unavailable if the slabs of a host need more than its memory. `ranks` must outlive
  /// the object.
  DistributedSolver(const comm::Communicator& ranks, const Problem& problem, const Options& options = {});
  DistributedSolver(DistributedSolver&&) noexcept;
  ~DistributedSolver();

  /// Distributes a flow, as Solver::set(). Throws std::invalid_argument on all ranks for a state of another mesh.
  void scatter(const State<T>* whole);
  /// Overwrites *whole with the present flow.
  void gather(State<T>* whole);
  /// As Solver::values(), which ranks send that have the cells; returned on rank 0 only, elsewhere empty.
  std::vector<T> values(std::span<const CellValue> cells);
  /// As Solver::step(): throws on all ranks or on none.
  void step(double dt);

  /// Saves the present flow as the one that restore() returns to; each rank keeps its slab.
  void save();
  void restore();

  // As those of Solver; what they return is the same on every rank.
  void set_acceleration(const std::array<double, 3>& acceleration);
  double convection_rate();
  /// The same bits as Solver's for any number of ranks: ranks exchange a few numbers for each plane.
  Statistics statistics();
  /// Each rank keeps its slab; the change, of the whole box, has the bits of Solver's.
  void keep_velocity();
  VelocityChange velocity_change();
  void set_time(double time);
  std::array<double, 3> force() const;
  double time() const;
  std::int64_t steps() const;
  const Choice& choice() const;
  int pressure_iterations() const;
  int diffusion_iterations() const;

  /// "4 slabs along z".
  std::string division_text() const;
  /// Seconds that this rank has spent in exchanges and sums over ranks, not hidden by computation: packing, waiting,
  /// unpacking.
  double exchange_seconds() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class DistributedSolver<float>;
extern template class DistributedSolver<double>;

}  // namespace speedwell::incompressible_flow
