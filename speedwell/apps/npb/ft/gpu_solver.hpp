// Buffers, the time loop and the transfer of the result for all steps of the 2018 study. Included by CUDA sources only.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"
#include "speedwell/apps/npb/ft/ladder.hpp"

namespace speedwell::npb::ft {

class GpuSolver {
 public:
  /// Throws as require_powers_of_two(), and std::logic_error for a step that is not one of the study.
  GpuSolver(const Problem& problem, std::string_view step) : transform_(transform_of(step)) {
    require_powers_of_two(problem);
    operands_.problem = problem;
  }

  /// Allocates the buffers on the current device.
  void allocate() {
    const auto n = static_cast<std::size_t>(points(operands_.problem));
    for (core::DeviceBuffer<double2>& array : arrays_) array = core::DeviceBuffer<double2>(n);
    factors_ = core::DeviceBuffer<double>(n);
    roots_ = core::DeviceBuffer<double2>(roots().size());
    on_device_ = core::DeviceBuffer<double2>(static_cast<std::size_t>(operands_.problem.iterations));
    on_host_ = core::PinnedBuffer<double2>(on_device_.size());
    operands_.modes = arrays_[0].data();
    operands_.field = arrays_[1].data();
    operands_.work[0] = arrays_[2].data();
    operands_.work[1] = arrays_[3].data();
    operands_.factors = factors_.data();
    operands_.roots = roots_.data();
    operands_.checksums = on_device_.data();
  }
  /// The roots of the transforms.
  void upload(const core::Stream& stream) {
    const std::vector<std::complex<double>> table = roots();
    core::check(cudaMemcpyAsync(roots_.data(), table.data(), roots_.bytes(), cudaMemcpyDefault, stream.get()));
    stream.synchronize();
  }
  void poison(const core::Stream& stream) {
    for (core::DeviceBuffer<double2>& array : arrays_) core::fill_bytes_async(array, 0xff, stream);
    core::fill_bytes_async(factors_, 0xff, stream);
    core::fill_bytes_async(on_device_, 0xff, stream);
    std::memset(on_host_.data(), 0xff, on_host_.bytes());
    stream.synchronize();
  }
  /// Enqueues the timed region of the benchmark, which ends with the checksums in host memory.
  void run(const core::Stream& stream) {
    fill_factors(operands_, stream);
    fill_initial(operands_, stream);
    transform_(operands_, operands_.field, operands_.modes, false, stream);
    for (int t = 1; t <= operands_.problem.iterations; ++t) {
      evolve(operands_, stream);
      transform_(operands_, operands_.field, operands_.field, true, stream);
      add_checksum(operands_, t, stream);
    }
    core::copy_async(on_host_.data(), on_device_.data(), on_device_.size(), stream);
  }
  /// The result of the last run; its stream must have been synchronised. The transforms are unscaled.
  Checksums result() const {
    Checksums checksums;
    for (const double2& sum : on_host_.span())
      checksums.push_back(std::complex<double>(sum.x, sum.y) / static_cast<double>(points(operands_.problem)));
    return checksums;
  }

 private:
  std::vector<std::complex<double>> roots() const {
    const Problem& p = operands_.problem;
    return roots_of(std::max({p.nx, p.ny, p.nz}));
  }

  Transform* transform_;
  Operands operands_;
  core::DeviceBuffer<double2> arrays_[4], roots_, on_device_;
  core::DeviceBuffer<double> factors_;
  core::PinnedBuffer<double2> on_host_;
};

}  // namespace speedwell::npb::ft
