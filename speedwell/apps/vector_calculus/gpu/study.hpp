// The GPU versions of the study (Richardson 2009; README.md), which have letters there, as templates: study_f32.cu and
// study_f64.cu include this for one precision each, so that they compile in parallel. For CUDA sources only.
#pragma once

#include <stdexcept>
#include <string>

#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/study_body.hpp"

namespace speedwell::vector_calculus {
namespace device {

// The version before a, which has no letter, and versions a and b: one thread per point. `anew`: operands are loaded
// from memory each time they occur.
template <Operation o, Layout layout, bool anew, class T>
__global__ void __launch_bounds__(ladder_threads) point_kernel(StudyFields<T> of, T* out) {
  const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z;
  if (i >= of.frame.nx || j >= of.frame.ny) return;
  const InMemory<layout, anew, T> q{of, i, j, k};
  store_body<o, layout>(q, out, of.frame.points, q.point(i, j, k));
}

// Version c: numbers that all threads of a block use, such as the factor of axpy, are in shared memory.
template <Layout layout, class T>
struct SharedNumbers : InMemory<layout, false, T> {
  const T* shared;
  __device__ T number(int n) const { return shared[n]; }
};
// Version c of the study's kernel 7, the cross product: each thread's own operands are in shared memory.
template <class T>
struct OwnValues {
  const T* values;  // 6 per thread, ladder_threads apart
  __device__ T a(int n) const { return values[n * ladder_threads]; }
  __device__ T b(int n) const { return values[(3 + n) * ladder_threads]; }
};
template <Operation o, class T>
__global__ void __launch_bounds__(ladder_threads) shared_kernel(StudyFields<T> of, T* out) {
  constexpr Layout layout = Layout::soa;
  __shared__ T shared[o == Operation::cross ? 6 * ladder_threads : 4];
  const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z;
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const bool inside = i < of.frame.nx && j < of.frame.ny;
  const InMemory<layout, false, T> q{of, i, j, k};
  if constexpr (o == Operation::cross) {
    if (!inside) return;
    for (int n = 0; n < 3; ++n) {
      shared[n * ladder_threads + thread] = q.a(n);
      shared[(3 + n) * ladder_threads + thread] = q.b(n);
    }
    store_body<o, layout>(OwnValues<T>{shared + thread}, out, of.frame.points, q.point(i, j, k));
  } else {
    if (thread < 4) shared[thread] = of.numbers[thread];
    __syncthreads();
    if (inside) store_body<o, layout>(SharedNumbers<layout, T>{q, shared}, out, of.frame.points, q.point(i, j, k));
  }
}

// Version d: one thread for all points of a line along z.
template <Operation o, class T>
__global__ void __launch_bounds__(ladder_threads) z_loop_kernel(StudyFields<T> of, T* out) {
  const int i = blockIdx.x * ladder_threads + threadIdx.x, j = blockIdx.y;
  if (i >= of.frame.nx) return;
  for (int k = 0; k < of.frame.nz; ++k) {
    const InMemory<Layout::soa, false, T> q{of, i, j, k};
    store_body<o, Layout::soa>(q, out, of.frame.points, q.point(i, j, k));
  }
}

// Versions e and f: the vector operands of a block's points in shared memory, loaded by all its threads together.
template <class T>
struct Staged {
  const StudyFields<T>& of;
  const T* staged;  // 3 ladder_threads words per vector field; this points to the first word of the point
  std::int64_t point;
  __device__ T vector(int field, int n) const { return staged[field * 3 * ladder_threads + n]; }
  __device__ T f() const { return of.f[point]; }
  __device__ T g() const { return of.g[point]; }
  __device__ T a(int n) const { return vector(0, n); }
  __device__ T b(int n) const { return vector(1, n); }
  __device__ T c(int n) const { return vector(2, n); }
  __device__ T d(int n) const { return vector(3, n); }
  __device__ T number(int n) const { return of.numbers[n]; }
};
// Version f: loads and stores in separate functions. `words`: the elements of a field that the block has.
template <class T>
__device__ void load_block(T* staged, const T* field, std::int64_t first, std::int64_t words) {
#pragma unroll
  for (int pass = 0; pass < 3; ++pass) {
    const int w = pass * ladder_threads + threadIdx.x;
    if (w < words) staged[w] = field[first + w];
  }
}
template <class T>
__device__ void store_block(T* field, const T* staged, std::int64_t first, std::int64_t words) {
#pragma unroll
  for (int pass = 0; pass < 3; ++pass) {
    const int w = pass * ladder_threads + threadIdx.x;
    if (w < words) field[first + w] = staged[w];
  }
}
template <Operation o, class T>
__global__ void __launch_bounds__(ladder_threads) staged_kernel(StudyFields<T> of, T* out) {
  constexpr OperationInfo about = operations[static_cast<int>(o)];
  __shared__ T staged[about.vectors * 3 * ladder_threads];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * ladder_threads;
  const std::int64_t words = 3 * min(static_cast<std::int64_t>(ladder_threads), of.frame.points - first);
  const T* const fields[] = {of.a, of.b, of.c, of.d};
#pragma unroll
  for (int v = 0; v < about.vectors; ++v) load_block(staged + v * 3 * ladder_threads, fields[v], 3 * first, words);
  __syncthreads();
  const std::int64_t p = first + threadIdx.x;
  const bool inside = p < of.frame.points;
  const Staged<T> q{of, staged + 3 * threadIdx.x, p};
  if constexpr (about.components == 1) {
    if (inside) out[p] = body<o>(q, 0);
  } else {
    T result[3] = {};
    if (inside)
      for (int n = 0; n < 3; ++n) result[n] = body<o>(q, n);
    for (int n = 0; n < 3; ++n) staged[3 * threadIdx.x + n] = result[n];  // overwrites a of this thread's point alone
    __syncthreads();
    store_block(out, staged, 3 * first, words);
  }
}

// Versions i, j and k: the gradient. A block has a row of points along x and marches along z, with the row in three
// planes in shared memory: the one above is loaded with its halo, the present one and the one below are there already.
// Neighbours along y are read from memory, and all of them if the boundary is one-sided. The versions differ in how
// indices wrap around: by remainders, by remainders kept in registers, or by comparisons.
enum class Indices { remainders, kept, compared };
template <Indices indices, class T>
__global__ void __launch_bounds__(ladder_threads) planes_kernel(StudyFields<T> of, T* out) {
  __shared__ T planes[3][ladder_threads + 2];
  const int nx = static_cast<int>(of.frame.nx), ny = static_cast<int>(of.frame.ny), nz = static_cast<int>(of.frame.nz);
  const int i0 = blockIdx.x * ladder_threads, i = i0 + threadIdx.x, j = blockIdx.y, x = threadIdx.x + 1;
  const InMemory<Layout::aos, false, T> q{of, i, j, 0};
  const int many = min(ladder_threads, nx - i0);
  const int kept_west = (i0 + nx - 1) % nx, kept_east = (i0 + many) % nx, kept_south = (j + ny - 1) % ny,
            kept_north = (j + 1) % ny;
  const auto wrapped = [](int at, int n, int kept) {
    if constexpr (indices == Indices::remainders) return (at + n) % n;
    if constexpr (indices == Indices::kept) return kept;
    return at < 0 ? at + n : at >= n ? at - n : at;
  };
  const auto fill = [&](int slot, int k) {
    if (i < nx) planes[slot][x] = of.f[q.point(i, j, k)];
    if (threadIdx.x == 0) planes[slot][0] = of.f[q.point(wrapped(i0 - 1, nx, kept_west), j, k)];
    if (x == many) planes[slot][many + 1] = of.f[q.point(wrapped(i0 + many, nx, kept_east), j, k)];
  };
  fill(2, nz - 1);
  fill(0, 0);
  for (int k = 0; k < nz; ++k) {
    const int below = (k + 2) % 3, here = k % 3, above = (k + 1) % 3;
    // This overwrites the oldest plane, which no thread reads any more: all have passed the barrier at the end of the
    // loop's body.
    fill(above, indices == Indices::compared ? (k + 1 == nz ? 0 : k + 1) : (k + 1) % nz);
    __syncthreads();
    if (i < nx) {
      InMemory<Layout::aos, false, T> at{of, i, j, k};
      T result[3];
      if (of.sided) {
        for (int n = 0; n < 3; ++n) result[n] = at.slope_of_f(n);
      } else {
        result[0] = of.frame.per_spacing[0] * (planes[here][x + 1] - planes[here][x - 1]);
        result[1] = of.frame.per_spacing[1] * (of.f[q.point(i, wrapped(j + 1, ny, kept_north), k)] -
                                               of.f[q.point(i, wrapped(j - 1, ny, kept_south), k)]);
        result[2] = of.frame.per_spacing[2] * (planes[above][x] - planes[below][x]);
      }
      for (int n = 0; n < 3; ++n) out[3 * q.point(i, j, k) + n] = result[n];
    }
    __syncthreads();
  }
}

/// Throws std::invalid_argument for more blocks along y or z than a CUDA grid can have.
inline void require_blocks(const char* what, std::int64_t blocks) {
  if (blocks > 65535)
    throw std::invalid_argument("vector_calculus: " + std::to_string(blocks) + " blocks along " + what +
                                "; the study's launches have at most 65535");
}

/// Calls act.template operator()<operation>() for one of the study's thirteen operations or the copy. Throws
/// std::logic_error for a chain of operations.
template <class Act>
void with_single(Operation operation, const Act& act) {
  switch (operation) {
#define SPEEDWELL_SINGLE(name) \
  case Operation::name:        \
    return act.template operator()<Operation::name>();
    SPEEDWELL_SINGLE(copy)
    SPEEDWELL_SINGLE(add)
    SPEEDWELL_SINGLE(scale)
    SPEEDWELL_SINGLE(grad)
    SPEEDWELL_SINGLE(div)
    SPEEDWELL_SINGLE(curl)
    SPEEDWELL_SINGLE(dot)
    SPEEDWELL_SINGLE(cross)
    SPEEDWELL_SINGLE(norm2)
    SPEEDWELL_SINGLE(mul)
    SPEEDWELL_SINGLE(lincomb4)
    SPEEDWELL_SINGLE(axpy)
    SPEEDWELL_SINGLE(fscale)
    SPEEDWELL_SINGLE(advect)
#undef SPEEDWELL_SINGLE
    default:
      throw std::logic_error("vector_calculus: the study's versions have no chains");
  }
}

}  // namespace device

template <class T>
void study_apply(std::string_view step, Operation operation, const StudyOperands<T>& operands, T* out,
                 const core::Stream& stream) {
  using namespace device;
  const Grid& g = *operands.fields.grid;
  require_grid(g, info(operation).reach);
  const StudyFields<T> of = study_fields(operands);
  const std::int64_t rows = core::blocks_for(g.ny, 4);
  const auto launch = [&](void (*kernel)(StudyFields<T>, T*), dim3 blocks, dim3 threads) {
    kernel<<<blocks, threads, 0, stream.get()>>>(of, out);
    core::check(cudaGetLastError());
  };
  const dim3 of_points(static_cast<unsigned>(core::blocks_for(g.nx, 32)), static_cast<unsigned>(rows),
                       static_cast<unsigned>(g.nz)),
      columns(static_cast<unsigned>(core::blocks_for(g.nx, ladder_threads)), static_cast<unsigned>(g.ny));
  const bool by_columns = step == "cuda-z-loop" || step.starts_with("cuda-planes");
  if (step != "cuda-staged") {
    require_blocks("y", by_columns ? g.ny : rows);
    if (!by_columns) require_blocks("z", g.nz);
  }
  bool known = true;
  with_single(operation, [&]<Operation o>() {
    if (step == "cuda-naive") return launch(point_kernel<o, Layout::aos, true, T>, of_points, dim3(32, 4));
    if (step == "cuda-restructured") return launch(point_kernel<o, Layout::soa, true, T>, of_points, dim3(32, 4));
    if (step == "cuda-registers") return launch(point_kernel<o, Layout::soa, false, T>, of_points, dim3(32, 4));
    if (step == "cuda-z-loop") return launch(z_loop_kernel<o, T>, columns, ladder_threads);
    if constexpr (shares_values(o))
      if (step == "cuda-shared") return launch(shared_kernel<o, T>, of_points, dim3(32, 4));
    if constexpr (is_pointwise_on_vectors(o))
      if (step == "cuda-staged")
        return launch(staged_kernel<o, T>, blocks_of(core::blocks_for(g.size(), ladder_threads)), ladder_threads);
    if constexpr (is_gradient(o)) {
      if (step == "cuda-planes") return launch(planes_kernel<Indices::remainders, T>, columns, ladder_threads);
      if (step == "cuda-planes-kept") return launch(planes_kernel<Indices::kept, T>, columns, ladder_threads);
      if (step == "cuda-planes-compared") return launch(planes_kernel<Indices::compared, T>, columns, ladder_threads);
    }
    known = false;
  });
  if (!known) throw std::logic_error("vector_calculus: no such step: " + std::string(step));
}

template <class T>
void restructure(const Grid& grid, Layout layout, const T* from, T* to, const core::Stream& stream) {
  if (layout == Layout::aos)
    device::evaluate_points<3, Layout::soa>(VectorLeaf<T, Layout::aos, MemorySpace::device>{from, &grid}, to, grid,
                                            stream);
  else
    device::evaluate_points<3, Layout::aos>(VectorLeaf<T, Layout::soa, MemorySpace::device>{from, &grid}, to, grid,
                                            stream);
}

}  // namespace speedwell::vector_calculus
