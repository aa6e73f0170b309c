// Vector calculus on several GPUs, one per rank, each with a slab of planes along z: fields and expressions as in
// distributed.hpp. Included by CUDA sources only.
//   DistributedGpuGrid grid(ranks, {.nx = 256, .ny = 256, .nz = 512}, comm::fastest_transport(ranks));
//   DistributedGpuScalarField<double> p(grid);
//   DistributedGpuVectorField<double> b(grid), force(grid);
//   b.scatter(whole_b, stream);                                   // read on rank 0
//   assign(force, cross(curl(b), b) - grad(p), stream);           // the planes inside while the halos travel
//   const Totals energy = totals(grid, norm2(b), stream);
//   force.gather(whole_force, stream);                            // written on rank 0
#pragma once

#include <cstddef>
#include <type_traits>

#include "speedwell/apps/vector_calculus/gpu/field.hpp"
#include "speedwell/apps/vector_calculus/gpu_distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/halo_fields.hpp"

namespace speedwell::vector_calculus {

/// A number at every point of a distributed grid, in device memory: the planes of the rank's slab and of its halo. 0 at
/// first. Throws core::DeviceError if there is too little memory.
template <class T>
class DistributedGpuScalarField {
 public:
  /// The grid must outlive the field.
  explicit DistributedGpuScalarField(DistributedGpuGrid& grid)
      : grid_(&grid), values_(device::zeros<T>(grid.local().size())) {}
  /// The grid that the constructor was given.
  DistributedGpuGrid& grid() const { return *grid_; }
  /// In the order of grid().local().
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  /// Values of the slab and its halo.
  std::size_t size() const { return values_.size(); }
  /// Collective. `whole` is host memory of grid().whole().size() values, in the order of a ScalarField; read on rank 0
  /// only. Waits.
  void scatter(const T* whole, const core::Stream& stream) {
    grid_->scatter(whole, TileField<T>{values_.data(), 1}, stream);
  }
  /// Collective. Written on rank 0 only. Waits.
  void gather(T* whole, const core::Stream& stream) const {
    grid_->gather(TileField<const T>{values_.data(), 1}, whole, stream);
  }
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::distributed_device> leaf() const { return {values_.data(), &grid_->local()}; }

 private:
  DistributedGpuGrid* grid_;
  core::DeviceBuffer<T> values_;
};

/// Three components at every point; otherwise as DistributedGpuScalarField. Whole fields are in the same layout.
template <class T, Layout layout = Layout::soa>
class DistributedGpuVectorField {
 public:
  /// The grid must outlive the field. The components are 0 at first.
  explicit DistributedGpuVectorField(DistributedGpuGrid& grid)
      : grid_(&grid), values_(device::zeros<T>(3 * grid.local().size())) {}
  DistributedGpuGrid& grid() const { return *grid_; }
  /// In device memory: 3 grid().local().size() values in the order of the layout.
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  /// Collective. `whole` is host memory of 3 grid().whole().size() values; read on rank 0 only. Waits.
  void scatter(const T* whole, const core::Stream& stream) {
    grid_->scatter_vector(layout, whole, values_.data(), stream);
  }
  /// Collective. Written on rank 0 only. Waits.
  void gather(T* whole, const core::Stream& stream) const {
    grid_->gather_vector(layout, values_.data(), whole, stream);
  }
  /// The field in an expression, which must not outlive it.
  VectorLeaf<T, layout, MemorySpace::distributed_device> leaf() const { return {values_.data(), &grid_->local()}; }

 private:
  DistributedGpuGrid* grid_;
  core::DeviceBuffer<T> values_;
};

namespace device {

/// Checks the operands and enqueues the evaluation: the planes that need no halo while the halos travel, the others
/// after.
template <int components, Layout layout, class E, class T>
void assign(DistributedGpuGrid& grid, T* out, const E& e, HaloUpdate update, const core::Stream& stream) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::distributed_device,
                "the expression's fields are not distributed ones in device memory");
  host::require_on(grid.host(), e);
  require_assignable(e, grid.local(), out, components, layout);
  // The fields whose halos are filled.
  const std::vector<TileField<T>> fields = host::differentiated_fields<T>(e);
  grid.for_planes<T>(
      fields, E::reach, update,
      [&](comm::Range planes, const core::Stream& on) {
        evaluate<components, layout>(e, out, grid.range_of<T>(planes), on);
      },
      stream);
}

}  // namespace device

/// Collective. Enqueues out = e at every point of the grid; the halos of the fields that `e` differentiates are
/// overwritten, that of `out` keeps its values. The bits are those of one GPU. Throws std::invalid_argument, on all
/// ranks, for fields of another DistributedGpuGrid, for more nested derivatives than its depth, and as assign() of
/// fields on one GPU; core::DeviceError. All fields must exist until the stream has done the work.
template <class T, Operand E>
void assign(DistributedGpuScalarField<T>& out, const E& e, const core::Stream& stream,
            HaloUpdate update = HaloUpdate::overlapped) {
  device::assign<1, Layout::soa>(out.grid(), out.data(), expression(e), update, stream);
}
/// The same for three components.
template <class T, Layout layout, Operand E>
void assign(DistributedGpuVectorField<T, layout>& out, const E& e, const core::Stream& stream,
            HaloUpdate update = HaloUpdate::overlapped) {
  device::assign<3, layout>(out.grid(), out.data(), expression(e), update, stream);
}

/// Collective. Totals of a scalar field or expression over the whole grid, on all ranks; waits. The halos are filled
/// before the first point is computed, unless `update` is none. The ranks are added in their order: the same bits at
/// every call with as many ranks, but not on other numbers of them. Throws as assign().
template <Operand Field>
Totals totals(DistributedGpuGrid& grid, const Field& field, const core::Stream& stream,
              HaloUpdate update = HaloUpdate::before) {
  const auto e = expression(field);
  using E = std::remove_cvref_t<decltype(e)>;
  using T = typename E::Real;
  static_assert(E::components == 1, "totals() are of a scalar");
  static_assert(E::memory_space == MemorySpace::distributed_device,
                "the expression's fields are not distributed ones in device memory");
  host::require_on(grid.host(), e);
  const std::vector<TileField<T>> fields = host::differentiated_fields<T>(e);
  Totals own;  // of this rank's planes
  grid.for_planes<T>(
      fields, E::reach, update == HaloUpdate::none ? HaloUpdate::none : HaloUpdate::before,
      [&](comm::Range planes, const core::Stream& on) {
        own = device::totals_of_planes(e, grid.range_of<T>(planes), on);
      },
      stream);
  return grid.combine(own);
}

}  // namespace speedwell::vector_calculus
