// Copies of tables on the device. For CUDA sources only.
#pragma once

#include <vector>

#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Copies and waits.
template <class T>
core::DeviceBuffer<T> copied(const std::vector<T>& values, const core::Stream& stream) {
  core::DeviceBuffer<T> buffer(values.size());
  core::copy_async(buffer.data(), values.data(), values.size(), stream);
  stream.synchronize();
  return buffer;
}

}  // namespace speedwell::incompressible_flow::gpu
