// The kernels of trapezoidal.hpp, which Cells launches: a thread computes the cells of a group of planes with the same
// i and j.
#include "speedwell/apps/incompressible_flow/gpu/trapezoidal.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

/// Adds length dt (nu / 2 (lap u - drag u) - dp/dx_C) to component C of the velocity at the face on the high side of
/// cell (i, j, k) along axis C, with u = first[C]. Faces that are closed, at the end of the box or beside a solid
/// (wall_drag() is -1), keep their value. Velocities have strides with ghost cells, `padded`, the pressure has none.
template <int C, class T>
__device__ void add_first_half(const Trapezoidal<T>& t, int i, int j, int k) {
  const Shape& s = t.shape;
  const int at[] = {i, j, k};
  if (s.is_closed(C, 1) && at[C] == s.n[C] - 1) return;
  const std::int64_t cell = s.cell(i, j, k), padded = i + j * s.row + k * s.plane;
  const double step = t.length * t.values->dt;
  const T factor = static_cast<T>(0.5 * step * t.viscosity);
  const T wall_drag = t.wall_drag[C] ? t.wall_drag[C][cell] : T(0);
  if (wall_drag < T(0)) return;
  const T* const u = t.first[C];
  T change = factor *
             diffusion<C>(
                 t.metrics, [&](int a, int b, int c) { return u[a + b * s.row + c * s.plane]; }, CellPosition{i, j, k});
  // The cell behind the face: it is the first one of a periodic axis if the mesh has no plane of another GPU above.
  const int next = at[C] + 1 < s.n[C] || (C == 2 && s.other_above) ? at[C] + 1 : 0;
  const T after = t.pressure[s.cell(C == 0 ? next : i, C == 1 ? next : j, C == 2 ? next : k)];
  change -= static_cast<T>(step) * t.metrics.axis[C].inverse_distance[at[C]] * (after - t.pressure[cell]);
  t.next[C][padded] += change - factor * wall_drag * u[padded];
}

}  // namespace

template <class T>
void enqueue_first_half(Cells& cells, const Trapezoidal<T>& t, const core::Stream& stream) {
  cells.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        add_first_half<0>(t, i, j, k);
        add_first_half<1>(t, i, j, k);
        add_first_half<2>(t, i, j, k);
      },
      stream);
}

// The change is the solution of lap(change) = right. Hence nu length dt / 2 lap(change), the correction for the
// implicit half of the diffusion, takes no stencil. `change` is in the order of spectral_index(), unless by_cell.
template <class T>
void enqueue_pressure(Cells& cells, const Trapezoidal<T>& t, const core::Stream& stream) {
  cells.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = t.shape.cell(i, j, k);
        const T factor = static_cast<T>(0.5 * (t.length * t.values->dt) * t.viscosity);
        t.pressure[cell] += t.change[t.by_cell ? cell : spectral_index(t.shape, i, j, k)] - factor * t.right[cell];
      },
      stream);
}

// Two kernels: the mean over the volume of the fluid, of all ranks if there are several, and its subtraction.
template <class T>
void enqueue_centred(Cells& cells, const Trapezoidal<T>& t, const core::Stream& stream, const RankSums* ranks) {
  double* const mean = cells.sums();
  const auto terms = [=] __device__(int i, int j, int k, numerics::Terms<2>& sum) {
    const std::int64_t cell = t.shape.cell(i, j, k);
    if (t.fluid && t.fluid[cell] == T(0)) return;
    const auto& axis = t.metrics.axis;
    const double volume = static_cast<double>(axis[0].width[i] * axis[1].width[j] * axis[2].width[k]);
    sum[0] += volume * static_cast<double>(t.pressure[cell]);
    sum[1] += volume;
  };
  const auto finish = [=] __device__(const numerics::Terms<2>& sum) { *mean = sum[0] / sum[1]; };
  ranks ? ranks->add_up<2>(cells, terms, finish, stream) : cells.add_up<2>(nullptr, terms, finish, stream);
  cells.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t cell = t.shape.cell(i, j, k);
        const bool solid = t.fluid && t.fluid[cell] == T(0);
        t.pressure[cell] = solid ? T(0) : static_cast<T>(static_cast<double>(t.pressure[cell]) - *mean);
      },
      stream);
}

#define SPEEDWELL_TRAPEZOIDAL(T)                                                        \
  template void enqueue_first_half(Cells&, const Trapezoidal<T>&, const core::Stream&); \
  template void enqueue_pressure(Cells&, const Trapezoidal<T>&, const core::Stream&);   \
  template void enqueue_centred(Cells&, const Trapezoidal<T>&, const core::Stream&, const RankSums*);
SPEEDWELL_TRAPEZOIDAL(float)
SPEEDWELL_TRAPEZOIDAL(double)
#undef SPEEDWELL_TRAPEZOIDAL

}  // namespace speedwell::incompressible_flow::gpu
