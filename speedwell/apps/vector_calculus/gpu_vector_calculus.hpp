// Vector calculus on a grid in device memory: the public interface. For CUDA sources only.
//   GpuVectorField<double> b(grid), force(grid);
//   b.upload(values, stream);
//   assign(force, cross(curl(b), b), stream);     // one kernel: b is read once, force written once
// The operators are those of vector_calculus.hpp.
#pragma once

#include "speedwell/apps/vector_calculus/gpu/field.hpp"

namespace speedwell::vector_calculus {

/// A number at every point of a grid. Construction allocates grid.size() values on the current device, which are
/// undefined; size(), data(), upload() and download() are those of device::Field. Throws std::invalid_argument as
/// require_grid(), and core::DeviceError if there is no device, or too little memory.
template <class T>
class GpuScalarField : public device::Field<T, 1> {
 public:
  using device::Field<T, 1>::Field;
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::device> leaf() const { return {this->data(), &this->grid_}; }
};

/// Three components at every point: 3 grid.size() values, one component behind the other (Layout::soa), or the three of
/// a point side by side. Otherwise as GpuScalarField.
template <class T, Layout layout = Layout::soa>
class GpuVectorField : public device::Field<T, 3> {
 public:
  using device::Field<T, 3>::Field;
  /// The field in an expression, which must not outlive it.
  VectorLeaf<T, layout, MemorySpace::device> leaf() const { return {this->data(), &this->grid_}; }
};

/// Enqueues out = e at every point as one kernel. Throws std::invalid_argument for another grid, for one too small
/// (require_grid()), and if `out` overlaps a field whose neighbours are read; core::DeviceError. The expression is one
/// of vector_calculus.hpp over fields in device memory, of the precision of `out`, which a compiler checks; all fields
/// must exist until the stream has done the work.
template <class T, Operand E>
void assign(GpuScalarField<T>& out, const E& e, const core::Stream& stream) {
  device::assign<1, Layout::soa>(out.data(), out.grid(), expression(e), stream);
}
template <class T, Layout layout, Operand E>
void assign(GpuVectorField<T, layout>& out, const E& e, const core::Stream& stream) {
  device::assign<3, layout>(out.data(), out.grid(), expression(e), stream);
}

/// Totals of a scalar field or expression: its sum in f64 and its largest magnitude (totals.hpp). Waits
/// for the result, which has the same bits in every call. Throws std::invalid_argument as assign(), core::DeviceError.
template <Operand Field>
Totals totals(const Field& field, const core::Stream& stream) {
  return device::totals_of(expression(field), stream);
}

}  // namespace speedwell::vector_calculus
