// A block owns a brick of cells: it keeps their residual in registers, and the direction p with a layer of ghost cells
// in shared memory. The solution, and the residual at the faces of the brick, stay in the second-level cache. An
// iteration has two grid-wide reductions. The ghost cells of p are not communicated but recomputed from the neighbours'
// residuals, exactly as their owners compute them. A p is computed twice, for p . A p and for the residual, which is
// cheaper than storing it.
#include <utility>

#include "speedwell/apps/stencil/gpu/cg_on_chip.hpp"
#include "speedwell/apps/stencil/gpu/grid_reduction.hpp"

namespace speedwell::stencil {
namespace {

using device::CgState;
using device::GridReduction;

constexpr int lanes = 32, rows = 16, block_threads = lanes * rows;

template <class T, int columns_, int planes_>
struct Brick {
  static constexpr int columns = columns_, planes = planes_;
  static constexpr int nx = lanes, ny = rows * columns, nz = planes;
  static constexpr int pitch = nx + 2, plane = pitch * (ny + 2), cells = plane * (nz + 2);
  static constexpr int shared_bytes = cells * static_cast<int>(sizeof(T));
};

/// Arguments of the kernel in addition to the operator.
template <class T>
struct Solve {
  const T* b;
  T *x, *faces;
  double* partial;
  unsigned* arrived;
  CgState* state;
  int along[3];
};

/// Hides the origin of a value from the compiler, so that it recomputes addresses where they are needed and keeps
/// registers free for the residual.
__device__ inline int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// A brick of the box, and this thread's columns of it. All threads process all cells of a full brick, so that loads
/// are issued far ahead of their use; the cells of a column below length() belong to the box.
template <Form form, class B, class T>
struct BrickView {
  const Operator<T>& a;
  T* p;  // shared memory
  T beta = 0, alpha = 0;
  int x0, y0, z0, ex, ey, ez;  // first cell, and number of cells
  unsigned inside = 0;         // bit c: column c is in the box

  __device__ BrickView(const Operator<T>& op, const int (&along)[3], T* shared) : a(op), p(shared) {
    const int block = static_cast<int>(blockIdx.x);
    x0 = block % along[0] * B::nx;
    y0 = block / along[0] % along[1] * B::ny;
    z0 = block / along[0] / along[1] * B::nz;
    ex = min(B::nx, static_cast<int>(a.grid.nx) - x0);
    ey = min(B::ny, static_cast<int>(a.grid.ny) - y0);
    ez = min(B::nz, static_cast<int>(a.grid.nz) - z0);
    for (int c = 0; c < B::columns; ++c)
      if (column() < ex && row(c) < ey) inside |= 1u << c;
  }
  __device__ static int column() { return static_cast<int>(threadIdx.x); }
  __device__ static int row(int c) { return static_cast<int>(threadIdx.y) + c * rows; }
  __device__ int length(int c) const { return opaque((inside >> c & 1) != 0 ? ez : 0); }
  /// Index in shared memory and in the box; -1 and the extents are the ghost cells.
  __device__ static int shared_index(int i, int j, int k) { return (k + 1) * B::plane + (j + 1) * B::pitch + i + 1; }
  __device__ int cell(int i, int j, int k) const {
    return ((z0 + k) * static_cast<int>(a.grid.ny) + y0 + j) * static_cast<int>(a.grid.nx) + x0 + i;
  }
  __device__ int cell_of(int c) const { return opaque(cell(column(), row(c), 0)); }  // in the first plane of the brick
  __device__ int plane() const { return static_cast<int>(a.grid.nx * a.grid.ny); }
  __device__ T& p_of(int c, int k) const { return p[shared_index(column(), row(c), k)]; }

  // Ghost cells of the x, y and z faces, distributed over the threads in rounds.
  static constexpr int rounds_for(int cells) { return (cells + block_threads - 1) / block_threads; }
  static constexpr int x_rounds = rounds_for(2 * B::ny * B::nz), y_rounds = rounds_for(2 * B::nx * B::nz),
                       rounds = x_rounds + y_rounds + rounds_for(2 * B::nx * B::ny);
  struct GhostCell {
    int shared_index, cell;  // the cell whose value it holds; -1: none
  };
  template <int round>
  __device__ GhostCell ghost_cell() const {
    const int thread = opaque(static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x));
    if constexpr (round < x_rounds) {
      const int n = round * block_threads + thread, high = n & 1, j = (n >> 1) % B::ny, k = (n >> 1) / B::ny;
      const int index = wrapped_index(high ? x0 + ex : x0 - 1, a.grid.nx);
      return {shared_index(high ? ex : -1, j, k), index >= 0 && j < ey && k < ez ? cell(index - x0, j, k) : -1};
    } else if constexpr (round < x_rounds + y_rounds) {
      const int n = (round - x_rounds) * block_threads + thread;
      const int i = n % B::nx, high = n / B::nx & 1, k = n / (2 * B::nx);
      const int index = wrapped_index(high ? y0 + ey : y0 - 1, a.grid.ny);
      return {shared_index(i, high ? ey : -1, k), index >= 0 && i < ex && k < ez ? cell(i, index - y0, k) : -1};
    } else {
      const int n = (round - x_rounds - y_rounds) * block_threads + thread;
      const int i = n % B::nx, j = n / B::nx % B::ny, high = n / (B::nx * B::ny);
      const int index = wrapped_index(high ? z0 + ez : z0 - 1, a.grid.nz);
      return {shared_index(i, j, high ? ez : -1), index >= 0 && i < ex && j < ey ? cell(i, j, index - z0) : -1};
    }
  }
  /// Maps a neighbour's index into the box; -1: outside.
  __device__ int wrapped_index(int index, std::int64_t extent) const {
    const int n = static_cast<int>(extent);
    if (index >= 0 && index < n) return index;
    if (a.boundary == Boundary::periodic) return index < 0 ? n - 1 : 0;
    if (a.boundary == Boundary::none) return index < 0 ? 0 : n - 1;
    return -1;
  }

  /// p = x, including ghost cells.
  __device__ void load_direction(const T* x) const {
    for (int n = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x); n < B::cells;
         n += block_threads)
      p[n] = 0;
    __syncthreads();
    for (int c = 0; c < B::columns; ++c)
      for (int k = 0; k < length(c); ++k) p_of(c, k) = x[cell_of(c) + k * plane()];
    each_round<0, rounds>([&]<int round>() {
      if (const GhostCell at = ghost_cell<round>(); at.cell >= 0) p[at.shared_index] = x[at.cell];
    });
    __syncthreads();
  }

  /// p = r + beta p; for ghost cells with the residuals of the neighbouring bricks.
  __device__ void update_direction(const T (&r)[B::columns][B::planes], const T* faces) const {
    constexpr int in_flight = 4;  // loads in flight at a time
    each_round<0, (rounds + in_flight - 1) / in_flight>([&]<int group>() {
      constexpr int first = group * in_flight, last = first + in_flight < rounds ? first + in_flight : rounds;
      T residuals[in_flight];
      each_round<first, last>([&]<int round>() {
        const int cell = ghost_cell<round>().cell;
        residuals[round - first] = cell >= 0 ? __ldcg(faces + cell) : T(0);
      });
      each_round<first, last>([&]<int round>() {
        if (const GhostCell at = ghost_cell<round>(); at.cell >= 0)
          p[at.shared_index] = fma(beta, p[at.shared_index], residuals[round - first]);
      });
    });
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      const int n = length(c);
#pragma unroll
      for (int k0 = 0; k0 < B::planes; k0 += in_flight) {
        T own[in_flight];
#pragma unroll
        for (int k = 0; k < in_flight; ++k) own[k] = k0 + k < n ? p_of(c, k0 + k) : T(0);
#pragma unroll
        for (int k = 0; k < in_flight; ++k)
          if (k0 + k < n) p_of(c, k0 + k) = fma(beta, own[k], r[c][k0 + k]);
      }
    }
    __syncthreads();
  }

  /// Stores the residuals that neighbouring bricks read.
  __device__ void publish(const T (&r)[B::columns][B::planes], T* faces) const {
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      const int i = column(), j = row(c), n = length(c);
      const bool at_side = i == 0 || i == ex - 1 || j == 0 || j == ey - 1;
      T* to = faces + cell_of(c);
#pragma unroll
      for (int k = 0; k < B::planes; ++k, to += plane())
        if (k < n && (at_side || k == 0 || k == n - 1)) __stcg(to, r[c][k]);
    }
  }

  /// x += alpha p
  __device__ void update_solution(T* x) const {
    constexpr int in_flight = 4;
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      T* at = x + cell_of(c);
      const int n = length(c);
#pragma unroll
      for (int k0 = 0; k0 < B::planes; k0 += in_flight, at += in_flight * plane()) {
        T value[in_flight];
#pragma unroll
        for (int k = 0; k < in_flight; ++k) value[k] = k0 + k < n ? at[k * plane()] : T(0);
#pragma unroll
        for (int k = 0; k < in_flight; ++k)
          if (k0 + k < n) at[k * plane()] = fma(alpha, p_of(c, k0 + k), value[k]);
      }
    }
  }

  /// Calls f(c, k, is_cell, p, A p); the values are meaningless unless is_cell.
  template <class F>
  __device__ void each_product(const F& f) const {
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      Links<form, T> links;
      if constexpr (form == Form::constant) {
        for (int w = 0; w < 4; ++w) links.c[w] = a.weight[w];
      } else {
        const std::int64_t i = min(x0 + column(), static_cast<int>(a.grid.nx) - 1),
                           j = min(y0 + row(c), static_cast<int>(a.grid.ny) - 1);
        links.c[0] = coefficient(a.metric[0] + i);
        links.c[1] = coefficient(a.metric[1] + j);
        links.c[3] = coefficient(a.inverse[0] + i);
        links.c[4] = coefficient(a.inverse[0] + i + 1);
        links.c[5] = coefficient(a.inverse[1] + j);
        links.c[6] = coefficient(a.inverse[1] + j + 1);
        links.c[9] = a.sigma;
      }
      const int n = length(c), z = opaque(z0);
      const T* q = &p_of(c, 0);
      T below = q[-B::plane], centre = q[0];
#pragma unroll
      for (int k = 0; k < B::planes; ++k, q += B::plane) {
        if constexpr (form == Form::face_metric) {
          const int at = z + min(k, ez - 1);
          links.c[2] = coefficient(a.metric[2] + at);
          links.c[7] = coefficient(a.inverse[2] + at);
          links.c[8] = coefficient(a.inverse[2] + at + 1);
        }
        const T above = q[B::plane];
        f(c, k, k < n, centre, product(links, Star<T>{centre, q[-1], q[1], q[-B::pitch], q[B::pitch], below, above}));
        below = centre;
        centre = above;
      }
    }
  }

 private:
  template <int first, int last, class F>
  __device__ static void each_round(const F& f) {
    [&]<int... round>(std::integer_sequence<int, round...>) { (f.template operator()<first + round>(), ...); }
    (std::make_integer_sequence<int, last - first>{});
  }
};

template <Form form, class B, class T>
__global__ void __launch_bounds__(block_threads, 1)
    on_chip_kernel(const __grid_constant__ Operator<T> a, const Solve<T> s) {
  extern __shared__ __align__(16) char memory[];
  BrickView<form, B, T> brick(a, s.along, reinterpret_cast<T*>(memory));
  GridReduction reduction(s.partial, s.arrived, static_cast<int>(gridDim.x), static_cast<int>(blockIdx.x));
  CgState state{};
  state.bb = s.state->bb;
  state.limit = s.state->limit;
  state.max_iterations = s.state->max_iterations;
  T r[B::columns][B::planes];
  double sum = 0;

  brick.load_direction(s.x);
  brick.each_product([&](int c, int k, bool is_cell, T, T q) {
    r[c][k] = is_cell ? s.b[brick.cell_of(c) + k * brick.plane()] - q : T(0);
    sum = fma(static_cast<double>(r[c][k]), static_cast<double>(r[c][k]), sum);
  });
  brick.publish(r, s.faces);
  reduction.arrive(sum);
  state.rr = state.rz = reduction.wait();
  state.beta = 0;  // if p is not finite here, neither is the residual
  state.iteration = 0;
  state.running = 1;
  device::check_convergence(state);

  while (state.running) {
    brick.beta = static_cast<T>(state.beta);
    brick.update_direction(r, s.faces);
    sum = 0;
    brick.each_product([&](int, int, bool is_cell, T own, T q) {
      if (is_cell) sum = fma(static_cast<double>(own), static_cast<double>(q), sum);
    });
    reduction.arrive(sum);
    const double curvature = reduction.wait();
    if (!isfinite(curvature))
      device::stop(state, CgOutcome::not_finite);
    else if (!(curvature > 0))
      device::stop(state, CgOutcome::not_positive);
    if (!state.running) break;
    state.alpha = state.rz / curvature;
    brick.alpha = static_cast<T>(state.alpha);
    sum = 0;
    brick.each_product([&](int c, int k, bool is_cell, T, T q) {
      r[c][k] = is_cell ? fma(-brick.alpha, q, r[c][k]) : T(0);
      sum = fma(static_cast<double>(r[c][k]), static_cast<double>(r[c][k]), sum);
    });
    brick.publish(r, s.faces);
    reduction.arrive(sum);
    brick.update_solution(s.x);  // overlaps with the reduction
    state.rr = reduction.wait();
    ++state.iteration;
    device::check_convergence(state);
    state.beta = state.rr / state.rz;
    state.rz = state.rr;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0) *s.state = state;
}

/// Calls f.template operator()<Brick>() for the bricks of T, smallest first, until it returns true.
template <class T, class F>
bool any_brick(const F& f) {
  return f.template operator()<Brick<T, 1, 4>>() || f.template operator()<Brick<T, 1, 8>>() ||
         f.template operator()<Brick<T, 1, 16>>() || f.template operator()<Brick<T, 2, 16>>() ||
         (sizeof(T) == 4 && f.template operator()<Brick<T, sizeof(T) == 4 ? 4 : 2, 16>>());
}

}  // namespace

template <class T>
std::optional<BrickPlan> brick_plan(const Grid& grid, Form form) {
  if (form != Form::constant && form != Form::face_metric) return std::nullopt;
  const int processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  const int shared = core::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  constexpr int for_sums = 2048;
  if (core::device_attribute(cudaDevAttrCooperativeLaunch) == 0) return std::nullopt;
  std::optional<BrickPlan> plan;
  any_brick<T>([&]<class B>() {
    const std::int64_t along[] = {core::blocks_for(grid.nx, B::nx), core::blocks_for(grid.ny, B::ny),
                                  core::blocks_for(grid.nz, B::nz)};
    // Checked separately, as the product of the three may overflow.
    if (along[0] > processors || along[1] > processors || along[2] > processors) return false;
    if (along[0] * along[1] * along[2] > processors || B::shared_bytes + for_sums > shared) return false;
    plan = BrickPlan{
        B::columns, B::planes, {static_cast<int>(along[0]), static_cast<int>(along[1]), static_cast<int>(along[2])}};
    return true;
  });
  return plan;
}

template <class T>
BrickSpace<T>::BrickSpace(const Grid& grid, const BrickPlan& plan)
    : faces_(static_cast<std::size_t>(grid.size())),
      partial_(2 * static_cast<std::size_t>(plan.bricks())),
      arrived_(1) {}

template <class T>
void solve_on_chip(const Operator<T>& a, const T* b, T* x, const BrickPlan& plan, BrickSpace<T>& space,
                   device::CgState* state, const core::Stream& stream) {
  core::fill_bytes_async(space.arrived(), 0, stream);
  Solve<T> solve{b, x, space.faces(), space.partial(), space.arrived().data(), state, {}};
  for (int d = 0; d < 3; ++d) solve.along[d] = plan.along[d];
  any_brick<T>([&]<class B>() {
    if (B::columns != plan.columns || B::planes != plan.planes) return false;
    const auto kernel =
        a.form == Form::constant ? on_chip_kernel<Form::constant, B, T> : on_chip_kernel<Form::face_metric, B, T>;
    core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, B::shared_bytes));
    Operator<T> operand = a;
    void* arguments[] = {&operand, &solve};
    core::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                            dim3(static_cast<unsigned>(plan.bricks())), dim3(lanes, rows), arguments,
                                            B::shared_bytes, stream.get()));
    return true;
  });
}

#define SPEEDWELL_CG_ON_CHIP(T)                                                                                     \
  template std::optional<BrickPlan> brick_plan<T>(const Grid&, Form);                                               \
  template class BrickSpace<T>;                                                                                     \
  template void solve_on_chip(const Operator<T>&, const T*, T*, const BrickPlan&, BrickSpace<T>&, device::CgState*, \
                              const core::Stream&);
SPEEDWELL_CG_ON_CHIP(float)
SPEEDWELL_CG_ON_CHIP(double)
#undef SPEEDWELL_CG_ON_CHIP

}  // namespace speedwell::stencil
