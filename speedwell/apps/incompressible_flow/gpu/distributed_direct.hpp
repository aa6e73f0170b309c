// The direct pressure solver on slabs of several GPUs: transforms of planes where they are, an exchange that gives each
// rank the lines along z of a range of modes along x, tridiagonal systems, and an exchange back. For CUDA sources only.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/lines.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/ranks/gpu_exchange.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class DistributedDirect {
 public:
  /// Collective. `problem` has the axes of the choice, and no solids. Allocates its memory. `ranks` must outlive the
  /// object. Throws core::Unavailable if the transport is missing.
  DistributedDirect(const comm::Communicator& ranks, const Problem& problem, comm::Transport transport,
                    const core::Stream& stream);

  /// Collective. Enqueues the replacement of the right-hand sides in the planes of this rank, in the order of
  /// spectral_index(), by the solution, which is determined up to a constant.
  void solve(T* values, const core::Stream& stream);

  /// The time that the stream waited for exchanges after its own work.
  double exchange_seconds() const;
  /// Waits. Throws core::DeviceError if a rank did not come to an exchange.
  void check(const core::Stream& stream) const;

 private:
  using Complex = std::complex<T>;
  using Point = fft::gpu::Complex<T>;
  /// Planes of a slab that are transformed together, and travel while others are.
  struct Piece {
    std::unique_ptr<fft::GpuRealPlan<T>> plan;
    std::unique_ptr<fft::gpu::SlabExchange<T>> back;  // of the modes of its planes
  };

  comm::Range planes_of(int rank) const { return comm::part_of(e_.nz, ranks_.size(), rank); }
  comm::Range modes_of(int rank) const { return comm::part_of(e_.nx / 2 + 1, ranks_.size(), rank); }
  comm::Range piece_of(int rank, int piece) const;
  /// The block of modes of a piece that its slab, `planes`, and the lines of rank `lines` exchange.
  fft::gpu::SlabBlock to_lines(int planes, int lines, int piece) const;
  fft::gpu::SlabBlock to_planes(int lines, int planes, int piece) const;
  std::vector<fft::gpu::SlabBlock> blocks_to_lines(int piece) const;
  void allocate_lines(const Problem& problem, const core::Stream& stream);
  void solve_lines(Point* spectrum, const core::Stream& stream);
  void transform(int piece, T* values, const core::Stream& stream);
  void transform_back(int piece, const Point* modes, T* values, const core::Stream& stream);
  void move_to_lines(T* values, const core::Stream& stream);
  void move_to_planes(T* values, const core::Stream& stream);

  const comm::Communicator& ranks_;
  Extents e_;  // of the box
  int pieces_;
  core::DeviceBuffer<Point> spectrum_;  // of the planes of this rank
  std::vector<Piece> piece_;
  std::vector<std::unique_ptr<fft::gpu::SlabExchange<T>>> forward_;  // one or, on one rank, none
  core::DeviceBuffer<T> lambda_x_, lambda_y_, low_, high_, twiddles_x_, twiddles_y_, work_;
  Lines<T> lines_;
};

extern template class DistributedDirect<float>;
extern template class DistributedDirect<double>;

}  // namespace speedwell::incompressible_flow::gpu
