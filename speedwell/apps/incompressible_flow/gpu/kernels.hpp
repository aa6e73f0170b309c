// The kernels of a step on a GPU. For CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/incompressible_flow/cpu/momentum.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_neighbors.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Values that may change from step to step, in device memory, so that a recorded step can be replayed.
struct StepValues {
  double dt;
  double acceleration[3];
  double bulk_change[3];  // change of velocities in this part of a step that keeps their means
  double bulk_force[3];   // the same over dt, in this step
  double stretch[4][3];   // of a moving mesh, by axis: at the start of the step, and at the end of each of its parts
  double shrink[3][3];    // factor of velocities in each part
};

/// Fields with a layer of ghost cells; pointers are to cell (0,0,0).
struct Shape {
  int n[3];
  std::int64_t row, plane;
  bool periodic[3];
  // Whether the planes below the first one along z and above the last one are another GPU's: ghost cells there are
  // filled by an exchange, and the box is then not periodic along z within the fields.
  bool other_below = false, other_above = false;

  /// Whether the box ends at the low (0) or the high (1) side of these fields along an axis: no cells follow there.
  __host__ __device__ bool is_closed(int axis, int side) const {
    return !periodic[axis] && !(axis == 2 && (side == 0 ? other_below : other_above));
  }
  __host__ __device__ std::int64_t cell(int i, int j, int k) const {
    return i + n[0] * (j + static_cast<std::int64_t>(n[1]) * k);
  }
};

__device__ __forceinline__ int cosine_index(int i, int n, bool periodic) {
  return periodic ? i : i % 2 == 0 ? i / 2 : n - (i + 1) / 2;
}
/// The index of cell (i, j, k) in the arrays of the transforms.
__device__ __forceinline__ std::int64_t spectral_index(const Shape& s, int i, int j, int k) {
  return s.cell(cosine_index(i, s.n[0], s.periodic[0]), cosine_index(j, s.n[1], s.periodic[1]), k);
}

template <class T>
struct Momentum {
  Shape shape;
  MeshMetrics<T> metrics;
  const StepValues* values;
  T viscosity;
  double now, before;  // factors of dt
  const T* u[3] = {};
  const T* base[3] = {};
  T* rate[3] = {};  // read if `before` is not 0; written if keeps_rate
  T* next[3] = {};
  bool keeps_rate = false;
  const T* wall_drag[3] = {};  // by cell, as wall_drag() has it; null without solids
  int part = 0;
  bool strained = false;  // the new velocity is in units of the mesh at the end of the part: multiplied by shrink[part]
  T* start[3] = {};       // output of `base` for later parts, or null
  const SlabNeighbors<T>* neighbors = nullptr;  // in device memory: waits for their planes, and stores into theirs
};
/// next = base + dt (now rate(u) + before rate).
template <class T>
void enqueue(const Momentum<T>& momentum, const core::Stream& stream);
/// The same for planes begin … end - 1 of a problem without solids.
template <class T>
void enqueue(Momentum<T> momentum, int begin, int end, const core::Stream& stream);

template <class T>
struct Divergence {
  Shape shape;
  MeshMetrics<T> metrics;
  const StepValues* values;
  double length;         // length of the part of a step, as a factor of dt
  const T* u[3] = {};    // ghost cells are not needed, but for those of another GPU below
  T* out = nullptr;      // nx ny nz, along axes of cosine transforms in the order of cosine_index()
  T* by_cell = nullptr;  // the same in the order of cells, or null
  const SlabNeighbors<T>* neighbors = nullptr;  // as those of Momentum
};
/// out = divergence / (length dt).
template <class T>
void enqueue(const Divergence<T>& divergence, const core::Stream& stream);
/// The same for planes begin … end - 1.
template <class T>
void enqueue(Divergence<T> divergence, int begin, int end, const core::Stream& stream);

/// Ghost cells of component c outside of side s of axis d: value = sign * inside + constant.
template <class T>
struct GhostCoefficients {
  T sign, constant;
};
template <class T>
struct Projection {
  Shape shape;
  MeshMetrics<T> metrics;
  const StepValues* values;
  double length;
  const T* pressure;     // as Divergence::out, with a plane more if another GPU is above, or
  bool by_cell = false;  // in the order of cells
  const T* wall_drag[3] = {};
  T* u[3] = {};
  bool keeps_bulk = false;                      // adds bulk_change
  GhostCoefficients<T> ghosts[3][3][2];         // [component][axis][side], for axes that are not periodic
  const SlabNeighbors<T>* neighbors = nullptr;  // as those of Momentum
};
/// u -= length dt grad p, plus bulk_change; also fills the ghost cells of u.
template <class T>
void enqueue(const Projection<T>& projection, const core::Stream& stream);

/// The shape of planes begin … end - 1 of a slab, seen as a slab of its own.
inline Shape planes_of(Shape s, int begin, int end) {
  s.other_below = s.other_below || begin > 0;
  s.other_above = s.other_above || end < s.n[2];
  s.n[2] = end - begin;
  return s;
}

}  // namespace speedwell::incompressible_flow::gpu
