// Device memory of solvers: the check that enough is free before any is allocated, and buffers that begin as zeros. For
// CUDA sources (.cu) only.
#pragma once

#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::blast_wave {

/// Throws core::Unavailable if fewer than `needed` bytes are free on the current device. The message names `e`, and
/// before it `part_of`, the part of it that needs them.
inline void require_device_bytes(const Extents& e, double needed, const std::string& part_of = "") {
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (needed > static_cast<double>(free))
    throw core::Unavailable("blast_wave: " + part_of + "a mesh of " + std::to_string(e.nx) + " x " +
                            std::to_string(e.ny) + " x " + std::to_string(e.nz) + " points needs " +
                            core::format_bytes(needed) + " of device memory; " +
                            core::format_bytes(static_cast<double>(free)) + " are free");
}

/// A buffer that is filled with zeros on the stream.
template <class T>
core::DeviceBuffer<T> zeros(std::size_t size, const core::Stream& stream) {
  core::DeviceBuffer<T> buffer(size);
  core::fill_bytes_async(buffer, 0, stream);
  return buffer;
}

}  // namespace speedwell::blast_wave
