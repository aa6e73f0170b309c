// The 7-point operator on a GPU: the public interface. Included by CUDA sources only.
//   DeviceOperator<double> a(host_operator, stream);      // uploads the coefficients
//   gpu_multiply(a.op(), x, y, stream);                   // fields in device memory
//   GpuSweeps<double> sweeps(a.op(), stream);             // form E0, several sweeps per pass
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/gpu/launch.hpp"
#include "speedwell/apps/stencil/gpu_cg.hpp"

namespace speedwell::stencil {

/// Owns an operator's coefficients in the memory of the device that is current at its construction. T is float or
/// double. It can be moved.
template <class T>
class DeviceOperator {
 public:
  /// Without an operator.
  DeviceOperator() = default;
  /// Uploads the coefficients of `host`; returns after completion. Throws std::invalid_argument as require_operator()
  /// and for an extent above 2^31 - 64, and core::DeviceError.
  DeviceOperator(const Operator<T>& host, const core::Stream& stream) : operator_(host) {
    require_operator(host);
    for (int d = 0; d < 3; ++d)
      if (host.grid.extent(d) > (std::int64_t{1} << 31) - 64)
        throw std::invalid_argument("stencil: an extent of " + std::to_string(host.grid.extent(d)) +
                                    " cells; the maximum on a GPU is 2^31 - 64");
    for (int d = 0; d < 3; ++d) {
      // Coefficients of cells, and of the faces between them.
      operator_.metric[d] = upload(host.metric[d], host.grid.extent(d), stream);
      operator_.inverse[d] = upload(host.inverse[d], host.grid.extent(d) + 1, stream);
    }
    // Fields of coefficients exist for the forms that vary from cell to cell.
    for (int f = 0; f < 7; ++f)
      operator_.cell[f] = f < cell_fields(host.form) ? upload(host.cell[f], host.grid.size(), stream) : nullptr;
    stream.synchronize();
  }
  /// The operator; its coefficients are in device memory owned by this object.
  const Operator<T>& op() const { return operator_; }

 private:
  /// A copy of `count` values in device memory; null for null. The copy is enqueued.
  const T* upload(const T* from, std::int64_t count, const core::Stream& stream) {
    if (!from) return nullptr;
    buffers_.emplace_back(static_cast<std::size_t>(count));
    core::copy_async(buffers_.back().data(), from, buffers_.back().size(), stream);
    return buffers_.back().data();
  }

  Operator<T> operator_;  // its pointers are into the buffers
  std::vector<core::DeviceBuffer<T>> buffers_;
};

/// Reduction workspace for one product at a time on the current device: products that also compute a sum store it here.
class Sums {
 public:
  /// Allocates for all products on this grid and enqueues the initialisation. Throws core::DeviceError.
  explicit Sums(const Grid& grid, const core::Stream& stream) : partial_(2 * max_blocks(grid)), sums_(2), done_(1) {
    core::fill_bytes_async(done_, 0, stream);
  }
  /// What gpu_multiply() takes; valid while this object exists.
  SumWorkspace space() { return {partial_.data(), done_.data(), sums_.data(), partial_.size() / 2}; }
  /// The sum of the last product; synchronises.
  double value(const core::Stream& stream) const {
    double sum = 0;
    core::copy_async(&sum, sums_.data(), 1, stream);
    stream.synchronize();
    return sum;
  }

 private:
  core::DeviceBuffer<double> partial_, sums_;  // sums of blocks, and of all
  core::DeviceBuffer<unsigned> done_;          // blocks that have stored theirs
};

/// The sum of squares in the study's stages, in T: along z on the GPU, along y and x on the host.
template <class T>
class StagedSum {
 public:
  /// Allocates on the current device. Throws core::DeviceError.
  explicit StagedSum(const Grid& grid);
  /// v has grid.size() values in device memory. Synchronises.
  double of_squares(const T* v, const core::Stream& stream);

 private:
  Grid grid_;
  core::DeviceBuffer<T> of_columns_;  // sums along z
  core::PinnedBuffer<T> on_host_;
};

/// y = A^sweeps x for a periodic operator of form E0, with several sweeps per pass over memory. The result does not
/// depend on the division into passes if no product is rounded, and otherwise only to within rounding.
template <class T>
class GpuSweeps {
 public:
  /// `a` is in device memory; `depth` is the maximum number of sweeps per pass, 0: automatic. Throws
  /// std::invalid_argument.
  explicit GpuSweeps(const Operator<T>& a, int depth = 0) : operator_(a), depth_(depth > 0 ? depth : max_depth) {
    if (a.form != Form::constant || a.boundary != Boundary::periodic)
      throw std::invalid_argument("stencil: temporal blocking supports form e0 and a periodic box, not form " +
                                  std::string(to_string(a.form)) + " and boundary " +
                                  std::string(to_string(a.boundary)));
    // Blocks are made as many as the multiprocessors of the current device take.
    multiprocessors_ = core::device_attribute(cudaDevAttrMultiProcessorCount);
  }
  /// Enqueues the sweeps. x, y and scratch have grid.size() values in device memory and do not overlap; y and scratch
  /// are overwritten.
  void run(const T* x, T* y, T* scratch, int sweeps, const core::Stream& stream) const {
    // The passes are as equal as possible, and the last one writes y: passes before it alternate with scratch.
    const int passes = (sweeps + depth_ - 1) / depth_;
    const T* from = x;
    for (int p = 0; p < passes; ++p) {
      T* const to = (passes - 1 - p) % 2 == 0 ? y : scratch;
      const int depth = static_cast<int>(std::int64_t{sweeps} * (p + 1) / passes - std::int64_t{sweeps} * p / passes);
      temporal_pass(operator_, from, to, plan(depth), stream);
      from = to;
    }
  }
  /// How one pass of `depth` sweeps is divided among blocks.
  TemporalPlan plan(int depth) const { return temporal_plan<T>(operator_.grid, depth, multiprocessors_); }

  /// Maximum number of sweeps per pass.
  static constexpr int max_depth = 4;

 private:
  Operator<T> operator_;
  int depth_;                // maximum number of sweeps per pass
  int multiprocessors_ = 1;  // of the device
};

}  // namespace speedwell::stencil
