// One thread per mode, with neighbouring threads at neighbouring modes: elimination along z, in which the unknown below
// the slab is carried as a second right-hand side, and back substitution when the unknowns beside the slab are known.
#include "speedwell/apps/incompressible_flow/gpu/direct/line_modes.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_coupling.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_lines.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads = 128;

/// The modes of a thread, and the eigenvalues of its systems.
template <class T, int Systems>
struct Thread {
  std::int64_t line, all;
  int x, y;
  bool is_used;

  __device__ explicit Thread(const SlabLines<T>& s, int groups) {
    const int modes = s.lines.nx / 2 + 1;
    line = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    all = static_cast<std::int64_t>(groups) * modes;
    is_used = line < all;
    x = static_cast<int>(line % modes);
    y = static_cast<int>(line / modes);
  }
  __device__ __forceinline__ T eigenvalue(const Lines<T>& l, int system) const {
    const int mode_y = system >= 2 && l.cosine_y && y > 0 ? l.ny - y : y;
    return l.lambda_x[2 * x + system % 2] + l.lambda_y[mode_y];
  }
};

/// Calls visit(low, diagonal, high, is_pinned) for a row of a system; where is_pinned, its right-hand side is 0: the
/// first unknown of the constant mode is.
template <class T, class U, class Visit>
__device__ __forceinline__ void row_of(T low, T high, bool is_first, U eigenvalue, const Visit& visit) {
  if (is_first && eigenvalue == U(0))
    visit(U(0), U(1), U(0), true);
  else
    visit(U(low), eigenvalue - U(low) - U(high), U(high), false);
}

/// The factors of the ends of all slabs in the unknowns beside this one. `values`: workspace.
template <class T, int Systems, int Matrices>
__global__ void __launch_bounds__(threads) coupling_kernel(const __grid_constant__ SlabLines<T> s, int groups,
                                                           const __grid_constant__ SlabRows<T> rows, double* values) {
  const Thread<T, Systems> at(s, groups);
  if (!at.is_used) return;
  for (int m = 0; m < Matrices; ++m) {
    const auto eigenvalue = static_cast<double>(at.eigenvalue(s.lines, m));
    const std::int64_t system = static_cast<std::int64_t>(m) * at.all + at.line;
    const auto value = [=](int i) -> double& { return values[i * Matrices * at.all + system]; };
    SlabCoupling coupling(value, s.ranks, rows.periodic);
    const std::int64_t of_slab = rows.count / s.ranks, longer = rows.count % s.ranks;
    std::int64_t begin = 0;
    for (int slab = 0; slab < s.ranks; ++slab) {
      const std::int64_t end = begin + of_slab + (slab < longer ? 1 : 0);  // as comm::part_of()
      Eliminated<double> e;
      for (std::int64_t k = begin; k < end; ++k)
        row_of(rows.low[k], rows.high[k], k == 0, eigenvalue, [&](double low, double diagonal, double high, bool) {
          k == begin ? e.first(low, diagonal, high, 0) : e.advance(low, diagonal, high, 0);
        });
      coupling.add(slab, e.influence());
      begin = end;
    }
    coupling.factorise();
    const auto factor = [&](int side, int j) -> T& {
      const std::int64_t row = static_cast<std::int64_t>(side) * 2 * s.ranks + j;
      return s.coupling[row * Matrices * at.all + system];
    };
    coupling.factors_below(s.rank, [&](int j, double f) { factor(0, j) = static_cast<T>(f); });
    coupling.factors_above(s.rank, [&](int j, double f) { factor(1, j) = static_cast<T>(f); });
  }
}

template <class T, int Systems, int Matrices>
__global__ void __launch_bounds__(threads) ends_kernel(const __grid_constant__ SlabLines<T> s, int groups) {
  const Thread<T, Systems> thread(s, groups);
  if (!thread.is_used) return;
  const Lines<T>& l = s.lines;
  const LineModes<T> at(l, thread.x, thread.y);
  constexpr bool cosines = Systems == 4;
  T eigenvalue[Systems];
#pragma unroll
  for (int n = 0; n < Systems; ++n) eigenvalue[n] = thread.eigenvalue(l, n);
  Eliminated<T> e[Systems];
  ComplexOf<T> a = {T(0), T(0)}, b = {T(0), T(0)};
  for (int k = 0; k < l.nz; ++k) {
    at.load(k, a, b);
    const T right[] = {a.re, a.im, b.re, b.im}, low = l.low[k], high = l.high[k];
#pragma unroll
    for (int n = 0; n < Systems; ++n)
      row_of(low, high, k == 0 && s.has_first, eigenvalue[n], [&](T before, T diagonal, T after, bool is_pinned) {
        const T value = is_pinned ? T(0) : right[n];
        k == 0 ? e[n].first(before, diagonal, after, value) : e[n].advance(before, diagonal, after, value);
      });
#pragma unroll
    for (int m = 0; m < Matrices; ++m) {
      T* const kept = l.work + (static_cast<std::int64_t>(k) * 2 * Matrices + m) * thread.all + thread.line;
      kept[0] = e[m].next;
      kept[Matrices * thread.all] = e[m].below;
    }
    // Intermediate solutions overwrite the right-hand sides; the two modes of a pair are adjacent.
    l.spectrum[k * at.plane + at.first] = {e[0].right, e[1].right};
    if (cosines && at.pair) l.spectrum[k * at.plane + at.second] = {e[Systems - 2].right, e[Systems - 1].right};
  }
  if (!s.has_messages) {
    T* const to = s.ends + thread.line * 2 * Systems;
#pragma unroll
    for (int n = 0; n < Systems; ++n) {
      to[n] = e[n].first_right;
      to[Systems + n] = e[n].right;
    }
    return;
  }
  const auto number = static_cast<unsigned>(s.messages.number.get());
  // Also to this rank's own memory, from which the second kernel reads.
  for (int r = 0; r < s.ranks; ++r) {
    unsigned long long* const to = words_at(s, r, s.rank, thread.line, thread.all, 2 * Systems, number);
#pragma unroll
    for (int n = 0; n < Systems; ++n)
#pragma unroll
      for (int half = 0; half < words_of<T>; ++half) {
        send_word(to + n * words_of<T> + half, word_of(e[n].first_right, half, number));
        send_word(to + (Systems + n) * words_of<T> + half, word_of(e[n].right, half, number));
      }
  }
}

template <class T, int Systems, int Matrices>
__global__ void __launch_bounds__(threads) solution_kernel(const __grid_constant__ SlabLines<T> s, int groups) {
  const Thread<T, Systems> thread(s, groups);
  if (!thread.is_used) return;
  const Lines<T>& l = s.lines;
  const LineModes<T> at(l, thread.x, thread.y);
  constexpr bool cosines = Systems == 4;
  T below[Systems] = {}, above[Systems] = {};
  const unsigned number = s.has_messages ? static_cast<unsigned>(s.messages.number.get()) : 0u;
  const unsigned long long begin = s.has_messages ? comm::nanoseconds() : 0;
  for (int r = 0; r < s.ranks; ++r) {
    T ends[2 * Systems];
    if (s.has_messages) {
      const unsigned long long* const from = words_at(s, s.rank, r, thread.line, thread.all, 2 * Systems, number);
#pragma unroll
      for (int v = 0; v < 2 * Systems; ++v) {
        const unsigned long long low = wait_for_word(from + v * words_of<T>, number, s.messages.timed_out);
        const unsigned long long high =
            words_of<T> == 2 ? wait_for_word(from + v * words_of<T> + 1, number, s.messages.timed_out) : 0;
        ends[v] = value_of<T>(low, high);
      }
    } else {
      const T* const from = s.all_ends + (static_cast<std::int64_t>(r) * thread.all + thread.line) * 2 * Systems;
#pragma unroll
      for (int v = 0; v < 2 * Systems; ++v) ends[v] = from[v];
    }
    const auto factor = [&](int side, int end, int n) {
      const int m = n < Matrices ? n : 0;
      const std::int64_t row = (static_cast<std::int64_t>(side) * 2 * s.ranks + 2 * r + end) * Matrices + m;
      return s.coupling[row * thread.all + thread.line];
    };
#pragma unroll
    for (int n = 0; n < Systems; ++n) {
      below[n] += factor(0, 0, n) * ends[n] + factor(0, 1, n) * ends[Systems + n];
      above[n] += factor(1, 0, n) * ends[n] + factor(1, 1, n) * ends[Systems + n];
    }
  }
  if (s.has_messages && threadIdx.x == 0) atomicAdd(s.messages.waited, comm::nanoseconds() - begin);
  const auto store = [&](int k, const T(&x)[Systems]) { at.store(k, {x[0], x[1]}, {x[Systems - 2], x[Systems - 1]}); };
  if (s.has_above) store(l.nz, above);
  for (int k = l.nz - 1; k >= 0; --k) {
    const ComplexOf<T> a = l.spectrum[k * at.plane + at.first];
    ComplexOf<T> b = {T(0), T(0)};
    if (cosines && at.pair) b = l.spectrum[k * at.plane + at.second];
    const T right[] = {a.re, a.im, b.re, b.im};
#pragma unroll
    for (int n = 0; n < Systems; ++n) {
      const int m = n < Matrices ? n : 0;
      const T* const kept = l.work + (static_cast<std::int64_t>(k) * 2 * Matrices + m) * thread.all + thread.line;
      above[n] = right[n] - kept[0] * above[n] - kept[Matrices * thread.all] * below[n];
    }
    store(k, above);
  }
}

/// Calls launch(constants of systems and matrices, groups, blocks).
template <class T, class Launch>
void with_systems(const SlabLines<T>& s, const Launch& launch) {
  const int groups = s.lines.cosine_y ? s.lines.ny / 2 + 1 : s.lines.ny;
  const auto blocks = static_cast<unsigned>(core::blocks_for(s.all_lines(), threads));
  if (s.has_cosines())
    launch.template operator()<4, 4>(groups, blocks);
  else if (s.lines.pairs_of_modes)
    launch.template operator()<2, 2>(groups, blocks);
  else
    launch.template operator()<2, 1>(groups, blocks);
  core::check(cudaGetLastError());
}

}  // namespace

template <class T>
std::int64_t slab_line_work(const SlabLines<T>& s) {
  return is_for_warps(s) ? 0 : std::int64_t{2} * s.matrices() * s.all_lines() * s.lines.nz;
}

template <class T>
std::int64_t waiting_blocks(const SlabLines<T>& s) {
  return is_for_warps(s) ? warp_blocks(s) : core::blocks_for(s.all_lines(), threads);
}

template <class T>
std::int64_t coupling_work(const SlabLines<T>& s) {
  return std::int64_t{2} * s.ranks * (2 * s.ranks + 1) * s.matrices() * s.all_lines();
}
template <class T>
void enqueue_coupling(const SlabLines<T>& s, const SlabRows<T>& rows, double* work, const core::Stream& stream) {
  with_systems(s, [&]<int Systems, int Matrices>(int groups, unsigned blocks) {
    coupling_kernel<T, Systems, Matrices><<<blocks, threads, 0, stream.get()>>>(s, groups, rows, work);
  });
}
template <class T>
void enqueue_ends(const SlabLines<T>& s, const core::Stream& stream) {
  if (is_for_warps(s)) return enqueue_ends_in_warps(s, stream);
  with_systems(s, [&]<int Systems, int Matrices>(int groups, unsigned blocks) {
    ends_kernel<T, Systems, Matrices><<<blocks, threads, 0, stream.get()>>>(s, groups);
  });
}
template <class T>
void enqueue_solution(const SlabLines<T>& s, const core::Stream& stream) {
  if (is_for_warps(s)) return enqueue_solution_in_warps(s, stream);
  with_systems(s, [&]<int Systems, int Matrices>(int groups, unsigned blocks) {
    solution_kernel<T, Systems, Matrices><<<blocks, threads, 0, stream.get()>>>(s, groups);
  });
}

template std::int64_t slab_line_work(const SlabLines<float>&);
template std::int64_t slab_line_work(const SlabLines<double>&);
template std::int64_t waiting_blocks(const SlabLines<float>&);
template std::int64_t waiting_blocks(const SlabLines<double>&);
template std::int64_t coupling_work(const SlabLines<float>&);
template std::int64_t coupling_work(const SlabLines<double>&);
template void enqueue_coupling(const SlabLines<float>&, const SlabRows<float>&, double*, const core::Stream&);
template void enqueue_coupling(const SlabLines<double>&, const SlabRows<double>&, double*, const core::Stream&);
template void enqueue_ends(const SlabLines<float>&, const core::Stream&);
template void enqueue_ends(const SlabLines<double>&, const core::Stream&);
template void enqueue_solution(const SlabLines<float>&, const core::Stream&);
template void enqueue_solution(const SlabLines<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu
