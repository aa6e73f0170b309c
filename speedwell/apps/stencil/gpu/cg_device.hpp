// The two (with the polynomial, three) passes over memory of an iteration, as sources and sinks of march_kernel.
// Included by CUDA sources only.
//   direction: computes p' = z + beta p while reading it; q = A p' is not stored; p' . q
//   update:    recomputes q = A p'; x += alpha p', r -= alpha q; r . r, and r . r / D for the Jacobi preconditioner
//   polynomial: z = s + omega / D (r - A s), computing s = r / D while reading it; r . z
// Scalars stay on the device; the block that finishes a pass last computes the next ones. On several GPUs, of which
// each has a slab of planes, the pass that computes a field stores its outer planes into the halos of the neighbours,
// too, and the sum that ends the pass tells that they have arrived: a pass costs one message of the sum, and no
// exchange.
#pragma once

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/gpu/march.hpp"
#include "speedwell/numerics/grid_sums.hpp"
#include "speedwell/numerics/krylov/gpu/cg_state.hpp"

namespace speedwell::stencil::device {

using krylov::device::CgState;
using krylov::device::check_convergence;
using krylov::device::stop;
using numerics::grid_sum;
using numerics::SumWorkspace;
using Two = numerics::Terms<2>;

/// The source z + beta p, where z is r or stored; scaled: r / D + beta p.
template <class T, bool scaled>
struct Direction {
  static constexpr int fields = scaled ? 3 : 2;
  const T* field[fields];  // z, p, 1 / D
  const CgState* state;
  T beta = 0;
  __device__ void begin() { beta = static_cast<T>(state->beta); }
  __device__ T combined(const T (&v)[fields]) const {
    if constexpr (scaled)
      return fma(beta, v[1], v[0] * v[2]);
    else
      return fma(beta, v[1], v[0]);
  }
};

/// The neighbours of a field that a sink stores, on one GPU: none.
struct NoNeighbors {
  template <int width, class T>
  __device__ void store(std::int64_t, const Pack<T, width>&) {}
  __device__ void fence() const {}
  __device__ Two total(Two mine) const { return mine; }
};

template <class T, class Neighbors = NoNeighbors>
struct KeepDirection {
  T* p;
  CgState* state;
  SumWorkspace space;
  Neighbors neighbors = {};
  Two sum = {};
  __device__ bool begin() const { return state->running; }
  template <int width>
  __device__ Nothing load(std::int64_t) const {
    return {};
  }
  template <int width>
  __device__ void take(std::int64_t cell, Nothing, const Pack<T, width>& direction, const Pack<T, width>& q) {
    store_pack(p + cell, direction, false);
    neighbors.template store<width>(cell, direction);
#pragma unroll
    for (int w = 0; w < width; ++w)
      sum[0] = fma(static_cast<double>(direction.v[w]), static_cast<double>(q.v[w]), sum[0]);
  }
  __device__ void end() const {
    neighbors.fence();
    grid_sum(sum, space, [s = state, this](Two mine) {
      const Two total = neighbors.total(mine);
      if (!isfinite(total[0])) return stop(*s, CgOutcome::not_finite);
      if (!(total[0] > 0)) return stop(*s, CgOutcome::not_positive);
      s->alpha = s->rz / total[0];
    });
  }
};

enum class Preconditioning { none, diagonal, separate_pass };

template <class T, Preconditioning preconditioned, class Neighbors = NoNeighbors>
struct Update {
  T *x, *r;
  const T* inverse;
  CgState* state;
  SumWorkspace space;
  Neighbors neighbors = {};
  T alpha = 0;
  Two sum = {};
  __device__ bool begin() {
    alpha = static_cast<T>(state->alpha);
    return state->running;
  }
  template <int width>
  struct Operands {
    Pack<T, width> x, r, inverse;
  };
  template <int width>
  __device__ Operands<width> load(std::int64_t cell) const {
    Operands<width> o{};
    o.x = *reinterpret_cast<const Pack<T, width>*>(x + cell);
    o.r = *reinterpret_cast<const Pack<T, width>*>(r + cell);
    if constexpr (preconditioned == Preconditioning::diagonal) o.inverse = load_pack<width>(inverse + cell);
    return o;
  }
  template <int width>
  __device__ void take(std::int64_t cell, const Operands<width>& o, const Pack<T, width>& p, const Pack<T, width>& q) {
    Pack<T, width> xs = o.x, rs = o.r;
    const Pack<T, width>& factor = o.inverse;
#pragma unroll
    for (int w = 0; w < width; ++w) {
      xs.v[w] = fma(alpha, p.v[w], xs.v[w]);
      rs.v[w] = fma(-alpha, q.v[w], rs.v[w]);
      const double square = static_cast<double>(rs.v[w]) * static_cast<double>(rs.v[w]);
      sum[0] += square;
      if constexpr (preconditioned == Preconditioning::diagonal)
        sum[1] = fma(square, static_cast<double>(factor.v[w]), sum[1]);
    }
    store_pack(x + cell, xs, true);
    store_pack(r + cell, rs, false);
    neighbors.template store<width>(cell, rs);
  }
  __device__ void end() const {
    neighbors.fence();
    grid_sum(sum, space, [s = state, this](Two mine) {
      const Two total = neighbors.total(mine);
      ++s->iteration;
      s->rr = total[0];
      check_convergence(*s);
      if constexpr (preconditioned == Preconditioning::separate_pass) return;
      const double rz = preconditioned == Preconditioning::diagonal ? total[1] : total[0];
      s->beta = rz / s->rz;
      s->rz = rz;
    });
  }
};

template <class T>
struct Scaled {
  static constexpr int fields = 2;
  const T* field[fields];  // r, 1 / D
  __device__ void begin() {}
  __device__ T combined(const T (&v)[fields]) const { return v[0] * v[1]; }
};

template <class T, class Neighbors = NoNeighbors>
struct Polynomial {
  const T *r, *inverse;
  T* z;
  T omega;
  CgState* state;
  SumWorkspace space;
  Neighbors neighbors = {};
  Two sum = {};
  __device__ bool begin() const { return state->running; }
  template <int width>
  struct Operands {
    Pack<T, width> r, inverse;
  };
  template <int width>
  __device__ Operands<width> load(std::int64_t cell) const {
    return {load_pack<width>(r + cell), load_pack<width>(inverse + cell)};
  }
  template <int width>
  __device__ void take(std::int64_t cell, const Operands<width>& o, const Pack<T, width>& s,
                       const Pack<T, width>& product) {
    const Pack<T, width>&rs = o.r, &factor = o.inverse;
    Pack<T, width> zs;
#pragma unroll
    for (int w = 0; w < width; ++w) {
      zs.v[w] = fma(omega * factor.v[w], rs.v[w] - product.v[w], s.v[w]);
      sum[0] = fma(static_cast<double>(rs.v[w]), static_cast<double>(zs.v[w]), sum[0]);
    }
    store_pack(z + cell, zs, false);
    neighbors.template store<width>(cell, zs);
  }
  __device__ void end() const {
    neighbors.fence();
    grid_sum(sum, space, [s = state, this](Two mine) {
      const Two total = neighbors.total(mine);
      s->beta = s->iteration == 0 ? 0 : total[0] / s->rz;
      s->rz = total[0];
    });
  }
};

/// The sink that computes r = b - A x and the initial sums.
template <class T, Preconditioning preconditioned, class Neighbors = NoNeighbors>
struct Residual {
  const T *b, *inverse;
  T* r;
  CgState* state;
  SumWorkspace space;
  Neighbors neighbors = {};
  Two sum = {};
  __device__ bool begin() const { return true; }
  template <int width>
  struct Operands {
    Pack<T, width> b, inverse;
  };
  template <int width>
  __device__ Operands<width> load(std::int64_t cell) const {
    Operands<width> o{};
    o.b = load_pack<width>(b + cell);
    if constexpr (preconditioned == Preconditioning::diagonal) o.inverse = load_pack<width>(inverse + cell);
    return o;
  }
  template <int width>
  __device__ void take(std::int64_t cell, const Operands<width>& o, const Pack<T, width>&,
                       const Pack<T, width>& product) {
    Pack<T, width> rs = o.b;
    const Pack<T, width>& factor = o.inverse;
#pragma unroll
    for (int w = 0; w < width; ++w) {
      rs.v[w] -= product.v[w];
      const double square = static_cast<double>(rs.v[w]) * static_cast<double>(rs.v[w]);
      sum[0] += square;
      if constexpr (preconditioned == Preconditioning::diagonal)
        sum[1] = fma(square, static_cast<double>(factor.v[w]), sum[1]);
    }
    store_pack(r + cell, rs, false);
    neighbors.template store<width>(cell, rs);
  }
  __device__ void end() const {
    neighbors.fence();
    grid_sum(sum, space, [s = state, this](Two mine) {
      const Two total = neighbors.total(mine);
      s->rr = total[0];
      s->rz = preconditioned == Preconditioning::diagonal ? total[1] : total[0];
      s->beta = 0;
      s->iteration = 0;
      s->running = 1;
      check_convergence(*s);
    });
  }
};

}  // namespace speedwell::stencil::device
