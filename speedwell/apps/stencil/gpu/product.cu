// One product on a GPU: the variants from a thread per cell, over the study's tile in shared memory, to streaming along
// z.
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/apps/stencil/gpu/march.hpp"
#include "speedwell/apps/stencil/gpu/store.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::stencil {
namespace {

// One thread per cell, every operand from global memory.
template <Form form, class T>
__global__ void naive_kernel(const __grid_constant__ Operator<T> a, const T* __restrict__ x, T* __restrict__ y,
                             std::int64_t first, std::int64_t end) {
  const std::int64_t cell = first + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= end) return;
  CellIndex at{.i = cell % a.grid.nx,
               .j = cell / a.grid.nx % a.grid.ny,
               .k = cell / (a.grid.nx * a.grid.ny),
               .cell = cell,
               .west = 0,
               .south = 0,
               .below = 0};
  const Star<T> star = star_at(
      a.grid, a.boundary, [x](std::int64_t c) { return __ldg(x + c); }, at);
  y[cell] = product<form>(a, star, at);
}

template <class T>
void naive(const Operator<T>& a, const T* x, T* y, const Planes& planes, const core::Stream& stream) {
  constexpr int threads = 256;
  const std::int64_t plane = a.grid.nx * a.grid.ny;
  with_form(a.form, [&]<Form form>() {
    naive_kernel<form>
        <<<static_cast<unsigned>(core::blocks_for(planes.size() * plane, threads)), threads, 0, stream.get()>>>(
            a, x, y, planes.begin * plane, planes.end * plane);
  });
  core::check(cudaGetLastError());
}
template <class T>
void naive(const Operator<T>& a, const T* x, T* y, const core::Stream& stream) {
  naive(a, x, y, all_planes(a.grid), stream);
}

// The study's kernel: 16 x 16 results from a patch of 18 x 18 cells in shared memory, one plane after the other; the
// planes above and below in registers.
constexpr int tile = 16;

template <Form form, class T>
__global__ void __launch_bounds__(tile* tile)
    tile_kernel(const __grid_constant__ Operator<T> a, const T* __restrict__ x, T* __restrict__ y) {
  __shared__ T patch[tile + 2][tile + 2];
  const Grid& g = a.grid;
  const std::int64_t i = blockIdx.x * tile + threadIdx.x, j = blockIdx.y * tile + threadIdx.y, plane = g.nx * g.ny;
  const bool inside = i < g.nx && j < g.ny, wraps = a.boundary == Boundary::periodic,
             none = a.boundary == Boundary::none;
  // Ghost values of a box that is not periodic: 0, or the adjacent cell.
  const auto value = [&](std::int64_t ii, std::int64_t jj, std::int64_t k) -> T {
    const std::int64_t i_in = none ? min(max(ii, std::int64_t{0}), g.nx - 1) : (ii + g.nx) % g.nx,
                       j_in = none ? min(max(jj, std::int64_t{0}), g.ny - 1) : (jj + g.ny) % g.ny;
    if (!wraps && !none && (i_in != ii || j_in != jj)) return T(0);
    return x[k * plane + j_in * g.nx + i_in];
  };
  const auto own = [&](std::int64_t k) -> T {
    if (!inside) return T(0);
    if (k < 0 || k >= g.nz) {
      if (none) return x[(k < 0 ? 0 : g.nz - 1) * plane + j * g.nx + i];
      if (!wraps) return T(0);
      k = (k + g.nz) % g.nz;
    }
    return x[k * plane + j * g.nx + i];
  };
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  T below = own(-1), centre = own(0);
  for (std::int64_t k = 0; k < g.nz; ++k) {
    const T above = own(k + 1);
    __syncthreads();
    // The threads of the last cells of the box also load their halo, which threads outside of the box would otherwise
    // load.
    if (inside) {
      patch[ty][tx] = centre;
      if (tx == 1) patch[ty][0] = value(i - 1, j, k);
      if (tx == tile || i == g.nx - 1) patch[ty][tx + 1] = value(i + 1, j, k);
      if (ty == 1) patch[0][tx] = value(i, j - 1, k);
      if (ty == tile || j == g.ny - 1) patch[ty + 1][tx] = value(i, j + 1, k);
    }
    __syncthreads();
    if (inside) {
      const std::int64_t cell = g.cell(i, j, k);
      const auto lower = [&](std::int64_t index, std::int64_t extent, std::int64_t stride) {
        return index > 0 ? cell - stride : wraps ? cell + (extent - 1) * stride : cell;
      };
      const CellIndex at{.i = i,
                         .j = j,
                         .k = k,
                         .cell = cell,
                         .west = lower(i, g.nx, 1),
                         .south = lower(j, g.ny, g.nx),
                         .below = lower(k, g.nz, plane)};
      y[cell] = product<form>(
          a, Star<T>{centre, patch[ty][tx - 1], patch[ty][tx + 1], patch[ty - 1][tx], patch[ty + 1][tx], below, above},
          at);
    }
    below = centre;
    centre = above;
  }
}

template <class T>
void tiles(const Operator<T>& a, const T* x, T* y, const core::Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(a.grid.nx, tile)),
                    static_cast<unsigned>(core::blocks_for(a.grid.ny, tile)));
  with_form(a.form, [&]<Form form>() { tile_kernel<form><<<blocks, dim3(tile, tile), 0, stream.get()>>>(a, x, y); });
  core::check(cudaGetLastError());
}

template <class T>
struct StoreAndDot {
  T* y;
  bool streaming;
  SumWorkspace space;
  numerics::Terms<1> sum = {};
  __device__ bool begin() const { return true; }
  template <int width>
  __device__ device::Nothing load(std::int64_t) const {
    return {};
  }
  template <int width>
  __device__ void take(std::int64_t cell, device::Nothing, const device::Pack<T, width>& x,
                       const device::Pack<T, width>& result) {
    device::store_pack(y + cell, result, streaming);
#pragma unroll
    for (int w = 0; w < width; ++w) sum[0] = fma(static_cast<double>(x.v[w]), static_cast<double>(result.v[w]), sum[0]);
  }
  __device__ void end() const {
    numerics::grid_sum(sum, space, [this](numerics::Terms<1> total) { *space.sums = total[0]; });
  }
};

template <class T, class Sink>
void run_march(const Operator<T>& a, const T* x, const Sink& sink, const Planes& planes, const core::Stream& stream) {
  with_form(a.form, [&]<Form form>() {
    const auto run = [&]<int width>() {
      using Source = device::Plain<T>;
      device::march<form, width>(a, Source{{x}}, sink, planes, stream);
    };
    a.grid.nx % device::widest<T> == 0 ? run.template operator()<device::widest<T>>() : run.template operator()<1>();
  });
}

}  // namespace

std::size_t max_blocks(const Grid& g) {
  // For the narrowest packs and any shape of march_kernel.
  const auto pieces = [](std::int64_t n, std::int64_t piece) {
    return static_cast<std::size_t>((n + piece - 1) / piece);
  };
  const std::size_t layer = std::max({pieces(g.nx, 16) * pieces(g.ny, 16), pieces(g.nx, 32) * pieces(g.ny, 8)});
  return layer * pieces(g.nz, device::march_min_planes);
}

template <class T>
void gpu_multiply(const Operator<T>& a, const T* x, T* y, const Planes& planes, const core::Stream& stream) {
  // None of the seven coefficients of a cell is shared with a neighbour: streaming along z saves nothing and has fewer
  // loads in flight.
  if (a.form == Form::general) return naive(a, x, y, planes, stream);
  run_march(a, x, device::Store<T>{y, device::streams<T>(a.grid)}, planes, stream);
}
template <class T>
void gpu_multiply(const Operator<T>& a, const T* x, T* y, const core::Stream& stream) {
  gpu_multiply(a, x, y, all_planes(a.grid), stream);
}

template <class T>
void gpu_multiply_and_dot(const Operator<T>& a, const T* x, T* y, const SumWorkspace& sums,
                          const core::Stream& stream) {
  run_march(a, x, StoreAndDot<T>{y, device::streams<T>(a.grid), sums}, all_planes(a.grid), stream);
}

template <class T>
Multiply<T>* product_of(std::string_view step) {
  if (step == "cuda-naive") return naive<T>;
  if (step == "cuda-tile") return tiles<T>;
  if (step == "cuda") return gpu_multiply<T>;
  throw std::logic_error("stencil: no product '" + std::string(step) + "'");
}

#define SPEEDWELL_PRODUCTS(T)                                                                                     \
  template void gpu_multiply(const Operator<T>&, const T*, T*, const core::Stream&);                              \
  template void gpu_multiply(const Operator<T>&, const T*, T*, const Planes&, const core::Stream&);               \
  template void gpu_multiply_and_dot(const Operator<T>&, const T*, T*, const SumWorkspace&, const core::Stream&); \
  template Multiply<T>* product_of(std::string_view);
SPEEDWELL_PRODUCTS(float)
SPEEDWELL_PRODUCTS(double)
#undef SPEEDWELL_PRODUCTS

}  // namespace speedwell::stencil
