// The kernels of a time step besides the products, and those between them: on one GPU (Whole), or on the slab of a rank
// (RankSlab of domain.hpp, which says what they store into the halos of its neighbours). For CUDA sources (.cu) only.
#pragma once

#include <climits>

#include "speedwell/apps/blast_wave/gpu/domain.hpp"

namespace speedwell::blast_wave::device {

// Iterations in the body of the loop: kernels that find the iteration converged and do nothing cost less than a turn of
// the graph's loop.
constexpr int iterations_recorded = 3;

// The vectors on the device: five variables each, Medium::stride apart, but three of `strength`. q: the state; w: the
// state per unit mass (Specific); x: the change of q in a step; b: the right-hand side; r, shadow, p, v, t: those of
// BiCGSTAB.
struct Vectors {
  double *q, *w, *strength, *x, *r, *shadow, *p, *v, *t, *b;
};

// If no step has failed: q += x if `adds`; then the state per unit mass and the largest wave rate for the next step.
template <class Domain>
__global__ void __launch_bounds__(threads) commit(Medium m, Vectors a, Scalars* k, bool adds, Domain domain) {
  if (k->stop_reason != 0) return;
  using Points = LineOf<Domain::halo>;
  const int p = Points::point(m);
  double fastest = 0;
  if (p < Points::end(m)) {
    double q[5];
    for (int c = 0; c < 5; ++c) {
      q[c] = a.q[c * m.stride + p];
      if (adds) a.q[c * m.stride + p] = q[c] += a.x[c * m.stride + p];
    }
    const Specific s = specific(q);
    store(s, a.w, m.stride, p);
    domain.send(m, p, Domain::halo, [&](const Neighbour& to) {
      for (int c = 0; c < 5; ++c) to.store(Shared::q, c, p, q[c]);
    });
    fastest = rate(m, s);
  }
  for (int distance = 16; distance > 0; distance /= 2) fastest = fmax(fastest, __shfl_xor_sync(~0u, fastest, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&k->rate_bits, static_cast<unsigned long long>(__double_as_longlong(fastest)));
}

template <class Domain>
__global__ void begin_step(Medium m, Scalars* k, double max_squared_residual, int max_iterations, Domain domain) {
  if (k->stop_reason != 0) return;
  const double fastest = domain.max_over_ranks(__longlong_as_double(static_cast<long long>(k->rate_bits)));
  k->dt = m.dt > 0 ? m.dt : m.cfl / fastest;
  k->rate_bits = 0;
  k->weights = weights_of(m, k->dt);
  k->max_squared_residual = max_squared_residual;
  k->max_iterations = max_iterations;
  k->iteration = k->restarts = k->candidate = k->updated = k->cycle_began = 0;
  k->open = 1;
  k->bad_point = INT_MAX;
}

// On a slab also those of a plane on each side: a product reads those after the plane below. What those above the slab
// would need is not there; they are not read.
template <class Domain>
__global__ void __launch_bounds__(threads) faces(Medium m, Vectors a, const Scalars* k, Domain) {
  if (k->stop_reason != 0) return;
  using Points = LineOf<Domain::halo / 2>;
  const int p = Points::point(m);
  if (p >= Points::end(m)) return;
  const Site s = site_of(m, p);
  const Flow flow{&m, a.q, a.w};
#pragma unroll
  for (int d = 0; d < 3; ++d) a.strength[d * m.stride + p] = face_strength(m, flow, s, d);
}

template <class Domain>
__global__ void __launch_bounds__(threads)
    right_hand_sides(Medium m, Vectors a, Scalars* k, SumWorkspace space, Domain domain) {
  if (k->stop_reason != 0) return;
  using Points = LineOf<Domain::halo>;
  const int p = Points::point(m);
  Terms<1> sum;
  if (p < Points::end(m)) {
    double b[5];
    right_hand_side(m, Flow{&m, a.q, a.w}, site_of(m, p), k->dt, b);
    for (int c = 0; c < 5; ++c) {
      const int at = c * m.stride + p;
      a.r[at] = a.shadow[at] = a.p[at] = a.b[at] = b[c];
      a.x[at] = 0;
      sum[0] += b[c] * b[c];
    }
    domain.send(m, p, 1, [&](const Neighbour& to) {
      for (int c = 0; c < 5; ++c) {
        to.store(Shared::r, c, p, b[c]);
        to.store(Shared::p, c, p, b[c]);
        to.store(Shared::x, c, p, 0);
      }
    });
  }
  numerics::grid_sum(sum, space, [&](const Terms<1>& own) {
    const Terms<1>& total = domain.over_ranks(own);
    k->bb = k->rr = k->rho = total[0];
    k->running = total[0] > k->max_squared_residual;
    k->cycle = fmax(k->max_squared_residual, cycle_depth * total[0]);
    if (!isfinite(total[0])) {
      k->stop_reason = static_cast<int>(StopReason::not_admissible);
      k->running = 0;
    }
  });
}

// This also runs after the iteration that cleared `running`, because x still lacks its last direction. The halo of a
// slab is updated, too.
template <class Domain>
__global__ void __launch_bounds__(256) update(Vectors a, std::int64_t n, const Scalars* k, Domain domain) {
  if (k->iteration == k->updated) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  const double alpha = k->alpha, omega = k->omega, beta = k->beta;
  if (at < n) {
    const double p = a.p[at], v = domain.v(k, a.v)[at], s = a.r[at] - alpha * v, r = s - omega * a.t[at];
    a.x[at] += alpha * p + omega * s;
    a.r[at] = r;
    a.p[at] = r + beta * (p - omega * v);
  }
}

static __global__ void set_loop_condition(const Scalars* k, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, k->running || k->candidate ? 1u : 0u);
}

template <class Domain>
__global__ void __launch_bounds__(threads)
    finish_step(Medium m, Vectors a, Scalars* k, StepRecord* history, SumWorkspace space, Domain domain) {
  if (!k->open) return;
  using Points = LineOf<Domain::halo>;
  const int p = Points::point(m);
  Terms<1> sum;
  if (p < Points::end(m)) {
    double q[5];
    for (int c = 0; c < 5; ++c) {
      const double dq = a.x[c * m.stride + p];
      q[c] = a.q[c * m.stride + p] + dq;
      sum[0] += dq * dq;
    }
    const double pressure = q[4] - 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
    if (!(q[0] > 0 && pressure > 0 && isfinite(q[0]) && isfinite(pressure))) atomicMin(&k->bad_point, p);
  }
  numerics::grid_sum(sum, space, [&](const Terms<1>& own) {
    const Terms<1>& total = domain.over_ranks(own);
    domain.find_bad_point(m, k);
    history[k->step] = {k->dt, k->bb, k->rr, k->true_residual, sqrt(total[0]), k->iteration, k->restarts};
    ++k->step;
    k->open = 0;
    if (k->stop_reason != 0) return;
    if (atomicMin(&k->bad_point, INT_MAX) != INT_MAX)
      k->stop_reason = static_cast<int>(StopReason::not_admissible);
    else
      k->time += k->dt;
  });
}

}  // namespace speedwell::blast_wave::device
