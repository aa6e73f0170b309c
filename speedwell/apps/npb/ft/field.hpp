// Fields in host memory and their initial values.
#pragma once

#include <complex>
#include <span>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::npb::ft {

class Field {
 public:
  explicit Field(const Problem& problem) : reals_(2 * static_cast<std::size_t>(points(problem)), core::Pages::large) {}
  // std::complex<double> has the memory layout of two doubles.
  std::span<std::complex<double>> span() {
    return {reinterpret_cast<std::complex<double>*>(reals_.data()), reals_.size() / 2};
  }

 private:
  core::HostBuffer<double> reals_;
};

/// Computes the points first, first + 1, … of the initial field.
void fill_initial(std::int64_t first, std::span<std::complex<double>> u);

}  // namespace speedwell::npb::ft
