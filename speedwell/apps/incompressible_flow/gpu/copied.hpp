// Tables to the device. Included by CUDA sources alone.
#pragma once

#include <vector>

#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Returns when they have arrived.
template <class T>
core::DeviceBuffer<T> copied(const std::vector<T>& values, const core::Stream& stream) {
  core::DeviceBuffer<T> buffer(values.size());
  core::copy_async(buffer.data(), values.data(), values.size(), stream);
  stream.synchronize();
  return buffer;
}

}  // namespace speedwell::incompressible_flow::gpu
