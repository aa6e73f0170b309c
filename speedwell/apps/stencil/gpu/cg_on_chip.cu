// A block owns a brick of cells: their residual in registers, the direction p with the cells around the brick in shared
// memory. Of the solution and of the residual at the brick's faces the second-level cache takes care. An iteration
// waits twice for all blocks, for a sum each; p around a brick is not sent but computed again from the neighbours'
// residuals, as its owner does. A p is computed twice, for p . A p and for the residual; that is cheaper than keeping
// it.
#include <utility>

#include "speedwell/apps/stencil/gpu/cg_on_chip.hpp"
#include "speedwell/apps/stencil/gpu/meeting.hpp"

namespace speedwell::stencil {
namespace {

using device::CgState;
using device::Meeting;

constexpr int lanes = 32, rows = 16, block_threads = lanes * rows;

template <class T, int columns_, int planes_>
struct Brick {
  static constexpr int columns = columns_, planes = planes_;
  static constexpr int nx = lanes, ny = rows * columns, nz = planes;
  static constexpr int pitch = nx + 2, plane = pitch * (ny + 2), cells = plane * (nz + 2);
  static constexpr int shared_bytes = cells * static_cast<int>(sizeof(T));
};

/// What the kernel gets beside the operator.
template <class T>
struct Solve {
  const T* b;
  T *x, *faces;
  double* partial;
  unsigned* arrived;
  CgState* state;
  int along[3];
};

/// The value, of which the compiler knows nothing: so that it computes addresses where it needs them and keeps
/// registers for the residual.
__device__ inline int anew(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// A brick of the box, and this thread's columns in it. All threads go through all cells of a whole brick, so that what
/// they read lies far ahead of what they do with it; those of a column below length() are cells of the box.
template <Form form, class B, class T>
struct OfBlock {
  const Operator<T>& a;
  T* p;  // shared memory
  T beta = 0, alpha = 0;
  int x0, y0, z0, ex, ey, ez;  // first cell, and how many
  unsigned inside = 0;         // bit c: column c

  __device__ OfBlock(const Operator<T>& op, const int (&along)[3], T* shared) : a(op), p(shared) {
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
  __device__ int length(int c) const { return anew((inside >> c & 1) != 0 ? ez : 0); }
  /// Place in shared memory and in the box; -1 and the extents are the cells around.
  __device__ static int place(int i, int j, int k) { return (k + 1) * B::plane + (j + 1) * B::pitch + i + 1; }
  __device__ int cell(int i, int j, int k) const {
    return ((z0 + k) * static_cast<int>(a.grid.ny) + y0 + j) * static_cast<int>(a.grid.nx) + x0 + i;
  }
  __device__ int cell_of(int c) const { return anew(cell(column(), row(c), 0)); }  // in the brick's first plane
  __device__ int plane() const { return static_cast<int>(a.grid.nx * a.grid.ny); }
  __device__ T& p_of(int c, int k) const { return p[place(column(), row(c), k)]; }

  // Cells around: those of both x faces, of both y faces, of both z faces, dealt out to the threads.
  static constexpr int turns_for(int cells) { return (cells + block_threads - 1) / block_threads; }
  static constexpr int x_turns = turns_for(2 * B::ny * B::nz), y_turns = turns_for(2 * B::nx * B::nz),
                       turns = x_turns + y_turns + turns_for(2 * B::nx * B::ny);
  struct Around {
    int place, cell;  // whose value stands there; -1: none
  };
  template <int turn>
  __device__ Around around() const {
    const int thread = anew(static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x));
    if constexpr (turn < x_turns) {
      const int n = turn * block_threads + thread, high = n & 1, j = (n >> 1) % B::ny, k = (n >> 1) / B::ny;
      const int there = beyond(high ? x0 + ex : x0 - 1, a.grid.nx);
      return {place(high ? ex : -1, j, k), there >= 0 && j < ey && k < ez ? cell(there - x0, j, k) : -1};
    } else if constexpr (turn < x_turns + y_turns) {
      const int n = (turn - x_turns) * block_threads + thread;
      const int i = n % B::nx, high = n / B::nx & 1, k = n / (2 * B::nx);
      const int there = beyond(high ? y0 + ey : y0 - 1, a.grid.ny);
      return {place(i, high ? ey : -1, k), there >= 0 && i < ex && k < ez ? cell(i, there - y0, k) : -1};
    } else {
      const int n = (turn - x_turns - y_turns) * block_threads + thread;
      const int i = n % B::nx, j = n / B::nx % B::ny, high = n / (B::nx * B::ny);
      const int there = beyond(high ? z0 + ez : z0 - 1, a.grid.nz);
      return {place(i, j, high ? ez : -1), there >= 0 && i < ex && j < ey ? cell(i, j, there - z0) : -1};
    }
  }
  /// What stands for a neighbour's index; -1: nothing.
  __device__ int beyond(int index, std::int64_t extent) const {
    const int n = static_cast<int>(extent);
    if (index >= 0 && index < n) return index;
    if (a.boundary == Boundary::periodic) return index < 0 ? n - 1 : 0;
    if (a.boundary == Boundary::none) return index < 0 ? 0 : n - 1;
    return -1;
  }

  /// p = x, with the cells around it.
  __device__ void take(const T* x) const {
    for (int n = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x); n < B::cells;
         n += block_threads)
      p[n] = 0;
    __syncthreads();
    for (int c = 0; c < B::columns; ++c)
      for (int k = 0; k < length(c); ++k) p_of(c, k) = x[cell_of(c) + k * plane()];
    each_turn<0, turns>([&]<int turn>() {
      if (const Around at = around<turn>(); at.cell >= 0) p[at.place] = x[at.cell];
    });
    __syncthreads();
  }

  /// p = r + beta p, around the brick with the residuals of its neighbours.
  __device__ void turn(const T (&r)[B::columns][B::planes], const T* faces) const {
    constexpr int some = 4;  // on their way together
    each_turn<0, (turns + some - 1) / some>([&]<int group>() {
      constexpr int first = group * some, last = first + some < turns ? first + some : turns;
      T theirs[some];
      each_turn<first, last>([&]<int turn>() {
        const int cell = around<turn>().cell;
        theirs[turn - first] = cell >= 0 ? __ldcg(faces + cell) : T(0);
      });
      each_turn<first, last>([&]<int turn>() {
        if (const Around at = around<turn>(); at.cell >= 0) p[at.place] = fma(beta, p[at.place], theirs[turn - first]);
      });
    });
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      const int n = length(c);
#pragma unroll
      for (int k0 = 0; k0 < B::planes; k0 += some) {
        T own[some];
#pragma unroll
        for (int k = 0; k < some; ++k) own[k] = k0 + k < n ? p_of(c, k0 + k) : T(0);
#pragma unroll
        for (int k = 0; k < some; ++k)
          if (k0 + k < n) p_of(c, k0 + k) = fma(beta, own[k], r[c][k0 + k]);
      }
    }
    __syncthreads();
  }

  /// Residuals that neighbours look at.
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
  __device__ void advance(T* x) const {
    constexpr int some = 4;
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      T* at = x + cell_of(c);
      const int n = length(c);
#pragma unroll
      for (int k0 = 0; k0 < B::planes; k0 += some, at += some * plane()) {
        T value[some];
#pragma unroll
        for (int k = 0; k < some; ++k) value[k] = k0 + k < n ? at[k * plane()] : T(0);
#pragma unroll
        for (int k = 0; k < some; ++k)
          if (k0 + k < n) at[k * plane()] = fma(alpha, p_of(c, k0 + k), value[k]);
      }
    }
  }

  /// Calls f(c, k, is_cell, p, A p); what it gets where is_cell does not hold means nothing.
  template <class F>
  __device__ void each_product(const F& f) const {
#pragma unroll
    for (int c = 0; c < B::columns; ++c) {
      Links<form, T> links;
      if constexpr (form == Form::E0) {
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
      const int n = length(c), z = anew(z0);
      const T* q = &p_of(c, 0);
      T below = q[-B::plane], centre = q[0];
#pragma unroll
      for (int k = 0; k < B::planes; ++k, q += B::plane) {
        if constexpr (form == Form::L) {
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
  __device__ static void each_turn(const F& f) {
    [&]<int... turn>(std::integer_sequence<int, turn...>) { (f.template operator()<first + turn>(), ...); }
    (std::make_integer_sequence<int, last - first>{});
  }
};

template <Form form, class B, class T>
__global__ void __launch_bounds__(block_threads, 1)
    on_chip_kernel(const __grid_constant__ Operator<T> a, const Solve<T> s) {
  extern __shared__ __align__(16) char memory[];
  OfBlock<form, B, T> brick(a, s.along, reinterpret_cast<T*>(memory));
  Meeting meeting(s.partial, s.arrived, static_cast<int>(gridDim.x), static_cast<int>(blockIdx.x));
  CgState state{};
  state.bb = s.state->bb;
  state.limit = s.state->limit;
  state.most = s.state->most;
  T r[B::columns][B::planes];
  double sum = 0;

  brick.take(s.x);
  brick.each_product([&](int c, int k, bool is_cell, T, T q) {
    r[c][k] = is_cell ? s.b[brick.cell_of(c) + k * brick.plane()] - q : T(0);
    sum = fma(static_cast<double>(r[c][k]), static_cast<double>(r[c][k]), sum);
  });
  brick.publish(r, s.faces);
  meeting.arrive(sum);
  state.rr = state.rz = meeting.await();
  state.beta = 0;  // p is finite here, or the residual is not
  state.iteration = 0;
  state.running = 1;
  device::judge(state);

  while (state.running) {
    brick.beta = static_cast<T>(state.beta);
    brick.turn(r, s.faces);
    sum = 0;
    brick.each_product([&](int, int, bool is_cell, T own, T q) {
      if (is_cell) sum = fma(static_cast<double>(own), static_cast<double>(q), sum);
    });
    meeting.arrive(sum);
    const double curvature = meeting.await();
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
    meeting.arrive(sum);
    brick.advance(s.x);  // while the others come
    state.rr = meeting.await();
    ++state.iteration;
    device::judge(state);
    state.beta = state.rr / state.rz;
    state.rz = state.rr;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0) *s.state = state;
}

/// Calls f.template operator()<Brick>() for the bricks of T, the smallest first, until it returns true.
template <class T, class F>
bool any_brick(const F& f) {
  return f.template operator()<Brick<T, 1, 4>>() || f.template operator()<Brick<T, 1, 8>>() ||
         f.template operator()<Brick<T, 1, 16>>() || f.template operator()<Brick<T, 2, 16>>() ||
         (sizeof(T) == 4 && f.template operator()<Brick<T, sizeof(T) == 4 ? 4 : 2, 16>>());
}

}  // namespace

template <class T>
std::optional<BrickPlan> brick_plan(const Grid& grid, Form form) {
  if (form != Form::E0 && form != Form::L) return std::nullopt;
  int device = 0, processors = 0, cooperative = 0, shared = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  core::check(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  core::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  constexpr int for_sums = 2048;
  if (!cooperative) return std::nullopt;
  std::optional<BrickPlan> plan;
  any_brick<T>([&]<class B>() {
    const std::int64_t along[] = {core::blocks_for(grid.nx, B::nx), core::blocks_for(grid.ny, B::ny),
                                  core::blocks_for(grid.nz, B::nz)};
    // Each is looked at by itself, for the product of three may not fit.
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
    const auto kernel = a.form == Form::E0 ? on_chip_kernel<Form::E0, B, T> : on_chip_kernel<Form::L, B, T>;
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
