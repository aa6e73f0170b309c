// One thread per mode: elimination along z, and back substitution. Neighbouring threads have neighbouring modes, so
// that accesses are coalesced. In periodic systems the last unknown is carried as a second right-hand side.
#include "speedwell/apps/incompressible_flow/gpu/direct/line_modes.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads = 128;

/// The state of one elimination: rows scaled to a diagonal of 1, and for periodic systems the updated last row.
template <class T>
struct System {
  T lambda, x = 0, c = 0,
            q = 0;  // of the previous row: right-hand side, coefficients of the next and of the last unknown
  T last_x = 0, last_diagonal = 0,
    e = 0;              // of a periodic system's last row: right-hand side, diagonal, coefficient of this row
  bool pinned = false;  // the constant mode: its first unknown is 0
};

// Row k becomes x_k + c x_{k+1} + q x_last = x.
template <bool Periodic, class T>
__device__ __forceinline__ void eliminate(System<T>& s, int k, int last, T low, T high, T right) {
  T diagonal = s.lambda - low - high, to_last = T(0), c = high;
  if (Periodic) {
    if (k == 0) to_last = low;
    if (k == last) {
      to_last += high;
      c = T(0);
    }
  }
  if (k > 0) {
    diagonal -= low * s.c;
    if (Periodic) to_last -= low * s.q;
    right -= low * s.x;
  } else if (s.pinned) {
    diagonal = T(1);
    c = to_last = right = T(0);
  }
  const T inverse = T(1) / diagonal;
  s.c = c * inverse;
  s.x = right * inverse;
  if (Periodic) {
    s.q = to_last * inverse;
    s.last_diagonal -= s.e * s.q;
    s.last_x -= s.e * s.x;
    s.e = -s.e * s.c;
  }
}

// Systems per thread, and different matrices of them: 2 and 1 for Fourier transforms (the parts of a complex number
// have the same matrix), 4 and 4 with cosine transforms, 2 and 2 for pairs of modes.
template <class T, bool Periodic, int Systems, int Matrices>
__global__ void __launch_bounds__(threads) lines_kernel(Lines<T> l, int groups) {
  const int modes = l.nx / 2 + 1;
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t all = static_cast<std::int64_t>(groups) * modes;
  if (line >= all) return;
  const int x = static_cast<int>(line % modes), y = static_cast<int>(line / modes);
  const LineModes<T> at(l, x, y);
  constexpr int systems = Systems, matrices = Matrices;
  constexpr bool Cosines = Systems == 4;
  System<T> s[systems];
#pragma unroll
  for (int n = 0; n < systems; ++n) {
    const int mode_y = n >= 2 && at.pair ? l.ny - y : y;
    s[n].lambda = l.lambda_x[2 * x + n % 2] + l.lambda_y[mode_y];
    s[n].pinned = s[n].lambda == T(0);
  }
  const int last = Periodic ? l.nz - 2 : l.nz - 1;  // row that is eliminated last
  ComplexOf<T> a = {T(0), T(0)}, b = {T(0), T(0)};
  const auto right = [&](int n) { return n == 0 ? a.re : n == 1 ? a.im : n == 2 ? b.re : b.im; };
  if (l.nz == 1) {
    at.load(0, a, b);
    const auto solved = [&](int n) { return s[n].pinned ? T(0) : right(n) / s[n].lambda; };
    a = {solved(0), solved(1)};
    if (Cosines) b = {solved(systems - 2), solved(systems - 1)};
    at.store(0, a, b);
    return;
  }
  if (Periodic) {
    at.load(l.nz - 1, a, b);
    const T low = l.low[l.nz - 1], high = l.high[l.nz - 1];
#pragma unroll
    for (int n = 0; n < systems; ++n) {
      s[n].last_x = right(n);
      s[n].last_diagonal = s[n].lambda - low - high;
      s[n].e = high;  // of cell 0
    }
  }
  // c and q of a row, for the different matrices, adjacent for all lines.
  const auto kept = [&](int k, int n, int which) -> T& {
    return l.work[((static_cast<std::int64_t>(k) * (Periodic ? 2 : 1) + which) * matrices + n) * all + line];
  };
  for (int k = 0; k <= last; ++k) {
    at.load(k, a, b);
    const T low = l.low[k], high = l.high[k];
#pragma unroll
    for (int n = 0; n < systems; ++n) {
      if (Periodic && k == last) s[n].e += l.low[l.nz - 1];  // the last row's other neighbour
      eliminate<Periodic>(s[n], k, last, low, high, right(n));
      if (n < matrices) {
        kept(k, n, 0) = s[n].c;
        if (Periodic) kept(k, n, 1) = s[n].q;
      }
    }
    // Intermediate solutions overwrite the right-hand sides; the two modes of a pair are adjacent.
    l.spectrum[k * at.plane + at.first] = {s[0].x, s[1].x};
    if (Cosines && at.pair) l.spectrum[k * at.plane + at.second] = {s[systems - 2].x, s[systems - 1].x};
  }
  T end[systems], after[systems];
#pragma unroll
  for (int n = 0; n < systems; ++n) {
    end[n] = Periodic ? s[n].last_x / s[n].last_diagonal : T(0);
    after[n] = T(0);
  }
  if (Periodic) at.store(l.nz - 1, {end[0], end[1]}, {end[systems - 2], end[systems - 1]});
  for (int k = last; k >= 0; --k) {
    a = l.spectrum[k * at.plane + at.first];
    if (Cosines && at.pair) b = l.spectrum[k * at.plane + at.second];
#pragma unroll
    for (int n = 0; n < systems; ++n) {
      const int m = n < matrices ? n : 0;
      after[n] = right(n) - kept(k, m, 0) * after[n];
      if (Periodic) after[n] -= kept(k, m, 1) * end[n];
    }
    at.store(k, {after[0], after[1]}, {after[systems - 2], after[systems - 1]});
  }
}

}  // namespace

template <class T>
std::int64_t line_work(const Lines<T>& l) {
  const std::int64_t groups = l.cosine_y ? l.ny / 2 + 1 : l.ny;
  const int matrices = l.cosine_x || l.cosine_y ? 4 : l.pairs_of_modes ? 2 : 1;
  return matrices * (l.periodic_z ? 2 : 1) * groups * l.modes() * l.nz;
}

template <class T>
void enqueue(const Lines<T>& l, const core::Stream& stream) {
  if (l.by_warps && !l.pairs_of_modes && enqueue_in_warps(l, stream)) return;
  const int groups = l.cosine_y ? l.ny / 2 + 1 : l.ny;
  const auto blocks = static_cast<unsigned>(core::blocks_for(static_cast<std::int64_t>(groups) * l.modes(), threads));
  const cudaStream_t s = stream.get();
  const bool cosines = l.cosine_x || l.cosine_y;
  const auto launch = [&](auto kernel) { kernel<<<blocks, threads, 0, s>>>(l, groups); };
  if (cosines)
    l.periodic_z ? launch(lines_kernel<T, true, 4, 4>) : launch(lines_kernel<T, false, 4, 4>);
  else if (l.pairs_of_modes)
    l.periodic_z ? launch(lines_kernel<T, true, 2, 2>) : launch(lines_kernel<T, false, 2, 2>);
  else
    l.periodic_z ? launch(lines_kernel<T, true, 2, 1>) : launch(lines_kernel<T, false, 2, 1>);
  core::check(cudaGetLastError());
}

template std::int64_t line_work(const Lines<float>&);
template std::int64_t line_work(const Lines<double>&);
template void enqueue(const Lines<float>&, const core::Stream&);
template void enqueue(const Lines<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu
