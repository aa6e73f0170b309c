// The ten steps of the 2009 study's section 2.3.1, and the two with few registers. All of them have one thread per row.
// They differ in the memory of B and of the running sum, and in whether A is stored by rows or transposed, so that
// consecutive threads read consecutive words. Plain pointers are used, as in the study: the difference still matters
// with today's caches.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/matvec/cuda.hpp"
#include "speedwell/apps/matvec/ladder.hpp"

namespace speedwell::matvec {
namespace {

// Element (i, j) of A stored by rows (listing 2.3), and of A from its transpose.
template <class T>
struct ByRow {
  const T* a;
  std::int64_t leading;
  __device__ T operator()(std::int64_t i, std::int64_t j) const { return a[i * leading + j]; }
};
template <class T>
struct ByColumn {
  const T* a;
  std::int64_t leading;
  __device__ T operator()(std::int64_t i, std::int64_t j) const { return a[j * leading + i]; }
};

__device__ std::int64_t own_row() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

unsigned grid(std::int64_t rows, int threads) { return static_cast<unsigned>(core::blocks_for(rows, threads)); }

template <template <class> class Lie, class T>
Lie<T> matrix(const Operands<T>& p) {
  return {p.a, p.leading};
}

// Listing 2.3. volatile, because the study's profiler counted a write of C for every product.
template <class T, class A>
__global__ void global_kernel(A a, const T* b, volatile T* c, std::int64_t rows, std::int64_t columns) {
  const std::int64_t i = own_row();
  if (i >= rows) return;
  for (std::int64_t j = 0; j < columns; ++j) c[i] = c[i] + a(i, j) * b[j];
}
template <template <class> class Lie, class T>
void global(const Operands<T>& p, const core::Stream& stream) {
  const int threads = block_of(p);
  core::check(cudaMemsetAsync(p.c, 0, p.rows * sizeof(T), stream.get()));
  global_kernel<<<grid(p.rows, threads), threads, 0, stream.get()>>>(matrix<Lie>(p), p.b, p.c, p.rows, p.columns);
  core::check(cudaGetLastError());
}

template <class T, class A>
__global__ void register_kernel(A a, const T* b, T* c, std::int64_t rows, std::int64_t columns) {
  const std::int64_t i = own_row();
  if (i >= rows) return;
  T sum = 0;
  for (std::int64_t j = 0; j < columns; ++j) sum += a(i, j) * b[j];
  c[i] = sum;
}
template <template <class> class Lie, class T>
void in_register(const Operands<T>& p, const core::Stream& stream) {
  const int threads = block_of(p);
  register_kernel<<<grid(p.rows, threads), threads, 0, stream.get()>>>(matrix<Lie>(p), p.b, p.c, p.rows, p.columns);
  core::check(cudaGetLastError());
}

// Dynamic shared memory is declared once for both types, because its name is one symbol.
template <class T>
__device__ T* launch_sized_memory() {
  extern __shared__ __align__(16) unsigned char memory[];
  return reinterpret_cast<T*>(memory);
}

template <class T, class A>
__global__ void shared_kernel(A a, const T* b, T* c, std::int64_t rows, std::int64_t columns) {
  T* const all_of_b = launch_sized_memory<T>();
  for (std::int64_t j = threadIdx.x; j < columns; j += blockDim.x) all_of_b[j] = b[j];
  __syncthreads();
  const std::int64_t i = own_row();
  if (i >= rows) return;
  T sum = 0;
  for (std::int64_t j = 0; j < columns; ++j) sum += a(i, j) * all_of_b[j];
  c[i] = sum;
}
template <template <class> class Lie, class T>
void shared(const Operands<T>& p, const core::Stream& stream) {
  constexpr std::int64_t most = shared_bytes / static_cast<std::int64_t>(sizeof(T));
  if (p.columns > most)
    throw std::invalid_argument("matvec: B has " + std::to_string(p.columns) +
                                " elements and a block's shared memory " + "holds " + std::to_string(most) +
                                "; the staged step takes B a piece at a time");
  const int threads = block_of(p);
  shared_kernel<<<grid(p.rows, threads), threads, p.columns * sizeof(T), stream.get()>>>(matrix<Lie>(p), p.b, p.c,
                                                                                         p.rows, p.columns);
  core::check(cudaGetLastError());
}

// 2 KB of f32, which allowed the study's eight blocks per multiprocessor.
constexpr int stage = 512;

template <class T, class A>
__device__ void staged_sum(A a, const T* b, T* c, std::int64_t rows, std::int64_t columns) {
  __shared__ T piece[stage];
  const std::int64_t i = own_row();
  T sum = 0;
  for (std::int64_t begin = 0; begin < columns; begin += stage) {
    const int length = static_cast<int>(min(static_cast<std::int64_t>(stage), columns - begin));
    for (int j = threadIdx.x; j < length; j += blockDim.x) piece[j] = b[begin + j];
    __syncthreads();
    if (i < rows)
      for (int j = 0; j < length; ++j) sum += a(i, begin + j) * piece[j];
    __syncthreads();
  }
  if (i < rows) c[i] = sum;
}
template <class T, class A>
__global__ void staged_kernel(A a, const T* b, T* c, std::int64_t rows, std::int64_t columns) {
  staged_sum(a, b, c, rows, columns);
}
// 8 blocks of 256 threads are all that a multiprocessor holds (compute capability 8.0 and 9.0): 32 registers per
// thread. In 2009 the limit was 10.
template <class T, class A>
__global__ void __launch_bounds__(capped_threads, 8)
    staged_capped_kernel(A a, const T* b, T* c, std::int64_t rows, std::int64_t columns) {
  staged_sum(a, b, c, rows, columns);
}
template <template <class> class Lie, class T>
void staged(const Operands<T>& p, const core::Stream& stream) {
  const int threads = block_of(p);
  staged_kernel<<<grid(p.rows, threads), threads, 0, stream.get()>>>(matrix<Lie>(p), p.b, p.c, p.rows, p.columns);
  core::check(cudaGetLastError());
}
template <template <class> class Lie, class T>
void staged_capped(const Operands<T>& p, const core::Stream& stream) {
  const int threads = capped_block_of(p);
  staged_capped_kernel<<<grid(p.rows, threads), threads, 0, stream.get()>>>(matrix<Lie>(p), p.b, p.c, p.rows,
                                                                            p.columns);
  core::check(cudaGetLastError());
}

// All the constant memory that a program may declare, aligned for f64, so that both types fit.
constexpr int constant_bytes = 64 * 1024;
__constant__ double constant_memory[constant_bytes / sizeof(double)];

template <class T, class A>
__global__ void constant_kernel(A a, T* c, std::int64_t rows, std::int64_t begin, int length) {
  const T* const piece = reinterpret_cast<const T*>(constant_memory);
  const std::int64_t i = own_row();
  if (i >= rows) return;
  T sum = begin == 0 ? 0 : c[i];
  for (int j = 0; j < length; ++j) sum += a(i, begin + j) * piece[j];
  c[i] = sum;
}
template <template <class> class Lie, class T>
void constant(const Operands<T>& p, const core::Stream& stream) {
  constexpr std::int64_t most = constant_bytes / sizeof(T);
  const int threads = block_of(p);
  for (std::int64_t begin = 0; begin < p.columns; begin += most) {
    const std::int64_t length = std::min(most, p.columns - begin);
    core::check(cudaMemcpyToSymbolAsync(constant_memory, p.b + begin, length * sizeof(T), 0, cudaMemcpyDeviceToDevice,
                                        stream.get()));
    constant_kernel<<<grid(p.rows, threads), threads, 0, stream.get()>>>(matrix<Lie>(p), p.c, p.rows, begin,
                                                                         static_cast<int>(length));
    core::check(cudaGetLastError());
  }
}

template <class T>
struct Function {
  std::string_view step;
  Multiply<T>* function;
};
template <class T>
constexpr Function<T> functions[] = {
    {"cuda-row-global", global<ByRow, T>},
    {"cuda-row-register", in_register<ByRow, T>},
    {"cuda-row-shared", shared<ByRow, T>},
    {"cuda-row-staged", staged<ByRow, T>},
    {"cuda-row-staged-maxreg", staged_capped<ByRow, T>},
    {"cuda-row-constant", constant<ByRow, T>},
    {"cuda-column-global", global<ByColumn, T>},
    {"cuda-column-register", in_register<ByColumn, T>},
    {"cuda-column-shared", shared<ByColumn, T>},
    {"cuda-column-staged", staged<ByColumn, T>},
    {"cuda-column-staged-maxreg", staged_capped<ByColumn, T>},
    {"cuda-column-constant", constant<ByColumn, T>},
    {"cuda", multiply<T>},
};

}  // namespace

// The study took the best of several block sizes for each shape. The criterion is that every multiprocessor has work:
// the largest block size with two blocks per multiprocessor, or a warp if there is none.
int ladder_block(std::int64_t rows, int multiprocessors) {
  for (const int threads : {256, 128, 64})
    if (rows / threads >= 2 * static_cast<std::int64_t>(multiprocessors)) return threads;
  return 32;
}

template <class T>
Multiply<T>* function_of(std::string_view step) {
  for (const Function<T>& f : functions<T>)
    if (f.step == step) return f.function;
  throw std::logic_error("matvec: no GPU variant '" + std::string(step) + "'");
}
template Multiply<float>* function_of<float>(std::string_view);
template Multiply<double>* function_of<double>(std::string_view);

}  // namespace speedwell::matvec
