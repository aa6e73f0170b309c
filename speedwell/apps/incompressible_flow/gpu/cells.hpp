// A kernel that calls a body for every cell of a mesh and reduces its terms. For CUDA sources only.
#pragma once

#include <algorithm>

#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::incompressible_flow::gpu {

constexpr int cells_x = 32, cells_y = 8;

struct NoSums {
  template <class Terms>
  __device__ void operator()(const Terms&) const {}
};

/// Calls body(i, j, k, terms) for each cell, and finish(sums) once in one thread afterwards. Does nothing if `running`
/// is given and 0.
template <int sums, class Body, class Finish>
__global__ void __launch_bounds__(cells_x* cells_y)
    cells_kernel(Shape s, int planes, const int* running, numerics::SumWorkspace space, Body body, Finish finish) {
  if (running && !*running) return;
  const int i = static_cast<int>(blockIdx.x) * cells_x + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * cells_y + static_cast<int>(threadIdx.y);
  const int first = static_cast<int>(blockIdx.z) * planes, last = min(first + planes, s.n[2]);
  numerics::Terms<sums> terms;
  if (i < s.n[0] && j < s.n[1])
    for (int k = first; k < last; ++k) body(i, j, k, terms);
  if constexpr (!std::is_same_v<Finish, NoSums>) numerics::grid_sum(terms, space, finish);
}

/// The mapping of a mesh's cells to blocks, and the workspace of their sums.
class Cells {
 public:
  static constexpr int max_sums = 17;

  explicit Cells(const Shape& shape) : shape_(shape) {
    const std::int64_t x = core::blocks_for(shape.n[0], cells_x), y = core::blocks_for(shape.n[1], cells_y);
    constexpr std::int64_t enough_blocks = 2112;  // 16 for each of 132 multiprocessors
    const std::int64_t pieces = std::clamp<std::int64_t>(enough_blocks / (x * y), 1, shape.n[2]);
    planes_ = static_cast<int>(core::blocks_for(shape.n[2], static_cast<int>(pieces)));
    blocks_ = dim3(static_cast<unsigned>(x), static_cast<unsigned>(y),
                   static_cast<unsigned>(core::blocks_for(shape.n[2], planes_)));
    partial_ = core::DeviceBuffer<double>(std::size_t{blocks_.x} * blocks_.y * blocks_.z * max_sums);
    sums_ = core::DeviceBuffer<double>(max_sums);
    done_ = core::DeviceBuffer<unsigned>(1);
  }
  void clear(const core::Stream& stream) { core::fill_bytes_async(done_, 0, stream); }

  template <int sums, class Body, class Finish>
  void add_up(const int* running, const Body& body, const Finish& finish, const core::Stream& stream) {
    const numerics::SumWorkspace space{partial_.data(), done_.data(), sums_.data(), partial_.size() / sums};
    cells_kernel<sums>
        <<<blocks_, dim3(cells_x, cells_y), 0, stream.get()>>>(shape_, planes_, running, space, body, finish);
    core::check(cudaGetLastError());
  }
  template <class Body>
  void for_each(const int* running, const Body& body, const core::Stream& stream) {
    add_up<1>(running, body, NoSums{}, stream);
  }
  double* sums() { return sums_.data(); }

 private:
  Shape shape_;
  dim3 blocks_;
  int planes_ = 1;
  core::DeviceBuffer<double> partial_, sums_;
  core::DeviceBuffer<unsigned> done_;
};

}  // namespace speedwell::incompressible_flow::gpu
