// The data of a solver on several GPUs. For CUDA sources only.
#pragma once

#include <optional>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/gpu/measures.hpp"
#include "speedwell/apps/incompressible_flow/gpu/moving_mesh.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_diffusion.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_direct.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/rank_sums.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/apps/incompressible_flow/ranks/state_slabs.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"

namespace speedwell::incompressible_flow {

template <class T>
struct DistributedGpuSolver<T>::Parts {
  using Buffer = core::DeviceBuffer<T>;

  Parts(const comm::Communicator& all, const Problem& given, const Options& o, comm::Transport chosen);
  /// Collective. Throws core::Unavailable on all ranks if a device has fewer free bytes.
  void require_memory(double bytes) const;
  void allocate(const core::Stream& stream);
  void begin_exchanges(const core::Stream& stream);
  void set(StateSlab<T>& state, const core::Stream& stream);
  void get(StateSlab<T>& state, const core::Stream& stream);
  void record(const core::Stream& stream);
  void enqueue_steps(double dt, int steps, const core::Stream& stream);
  void enqueue_step(int parity, const core::Stream& stream);
  void enqueue_part(int part, int from, int to, const core::Stream& stream);
  void set_step(double dt, const core::Stream& stream);
  void update_mesh(const core::Stream& stream);
  void move_mesh(int stage, const core::Stream& stream);
  void enqueue_bulk_change(int set, bool first, const core::Stream& stream);
  /// The kernels of a part of a step between its momentum and its divergence.
  void enqueue_middle(int part, int from, int to, const core::Stream& stream);
  void begin_step(int parity, const core::Stream& stream);
  void exchange_given(const core::Stream& stream);
  void exchange_velocities(int set, const core::Stream& stream);
  void complete_third_velocity(const core::Stream& stream);
  void complete_velocities(const core::Stream& stream);
  double mean_pressure(const core::Stream& stream);
  T* field(int set, int component) {
    return peer_fields ? peer_fields->field(set, component) : fields[set][component].data();
  }
  T* cell(T* field) const { return field + layout.origin; }
  /// Cell (0, 0, 0) of a component of the present flow.
  const T* present(int component) { return cell(field(now, component)); }
  /// The position in `source` of the pressure of a cell of the slab.
  std::size_t pressure_index(int i, int j, int k) const { return transform_index(problem, extents, i, j, k); }
  T* first_plane(T* field) const { return field + layout.at(-1, -1, -1); }
  std::int64_t plane_cells() const { return std::int64_t{extents.nx} * extents.ny; }
  bool is_divided() const { return slab.is_divided(); }
  bool trapezoidal() const { return options.method.diffusion == Diffusion::trapezoidal; }
  /// Whether no step needs the host.
  bool is_recorded() const { return !trapezoidal() && (!is_divided() || transport == comm::Transport::peer); }
  /// For the direct solver's messages.
  gpu::PartNumber number(int part) const {
    return peer_fields ? peer_fields->number(part) : gpu::PartNumber{steps.data(), part};
  }

  const comm::Communicator& ranks;
  Options options;
  comm::Transport transport;
  Choice choice;
  Problem problem;  // with its axes in the order of the choice
  Extents extents;  // of the box
  Slab slab;
  Layout layout;
  RowTeam team;
  StateSlabs<T> slabs;
  gpu::Shape shape;
  Buffer given[3], fields[2][3], rk_register[3], tables[3];
  Buffer kept[3];  // by keep_velocity()
  // With Transport::peer and explicit diffusion, instead of the fields. Implicit diffusion changes the third velocity
  // after momentum would have stored it into the memory of the slab above.
  std::optional<gpu::SlabFields<T>> peer_fields;
  core::DeviceBuffer<unsigned long long> steps;  // the number of steps, with Transport::peer and without peer_fields
  Buffer source;                                 // right-hand sides, then pressures, with a plane above
  core::DeviceBuffer<gpu::StepValues> values;
  core::DeviceBuffer<double> largest;  // the workspace of maxima
  MeshMetrics<T> metrics;
  gpu::Projection<T> projection;
  std::optional<gpu::DistributedDirect<T>> direct;
  std::optional<comm::DeviceHaloExchange<T>> velocity_halo, component_halo;
  std::optional<gpu::Cells> cells;                       // for sums over the slab
  std::optional<gpu::RankSums> sums;                     // of several slabs, for what a step needs
  std::optional<comm::DeviceHaloExchange<T>> cell_halo;  // of fields by cell, with implicit diffusion
  std::optional<gpu::DistributedDiffusion<T>> implicit;  // diffusion
  gpu::MovingMesh<T> moving;
  gpu::StepValues host_values{};
  core::Graph recorded[2];  // a step from fields[0] to fields[1], and back
  cudaStream_t recorded_on = nullptr;
  int now = 0;
  double time = 0, given_time = 0;
  std::int64_t step = 0, given_step = 0;
};

}  // namespace speedwell::incompressible_flow
