// The sink of march_kernel that stores the product. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/gpu/march.hpp"

namespace speedwell::stencil::device {

/// The sink that stores the product.
template <class T>
struct Store {
  T* y;
  bool streaming;
  __device__ bool begin() const { return true; }
  template <int width>
  __device__ Nothing load(std::int64_t) const {
    return {};
  }
  template <int width>
  __device__ void take(std::int64_t cell, Nothing, const Pack<T, width>&, const Pack<T, width>& result) {
    store_pack(y + cell, result, streaming);
  }
  __device__ void end() const {}
};

/// Whether results bypass the second-level cache, because the fields exceed its capacity.
template <class T>
bool streams(const Grid& g) {
  const int bytes = core::device_attribute(cudaDevAttrL2CacheSize);
  return static_cast<double>(g.size()) * sizeof(T) * 2 > bytes / 3.0 * 2;
}

}  // namespace speedwell::stencil::device
