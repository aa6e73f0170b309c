// Loads of a thread's operands, and stores of its result. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/apps/vector_calculus/gpu/pack.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus::device {

/// Words [3 p, 3 p + 3 width), or the same words of three arrays, for expressions without neighbours. A field may also
/// be the result, so that loads must not use the read-only cache.
template <class T, int width>
struct PackPoint {
  static constexpr bool sided = false;
  using V = Pack<T, width>;
  std::int64_t points, p;

  SPEEDWELL_POINT static V get(const T* from) { return *reinterpret_cast<const V*>(from); }
  SPEEDWELL_POINT V load(const T* data, Shift) const { return get(data + p); }
  template <Layout layout>
  SPEEDWELL_POINT Triple<V> load3(const T* data, Shift) const {
    if constexpr (layout == Layout::soa) {
      return {get(data + p), get(data + points + p), get(data + 2 * points + p)};
    } else {
      V words[3];
#pragma unroll
      for (int r = 0; r < 3; ++r) words[r] = get(data + 3 * p + r * width);
      Triple<V> triple;
#pragma unroll
      for (int w = 0; w < width; ++w) {
        triple.x.v[w] = words[(3 * w) / width].v[(3 * w) % width];
        triple.y.v[w] = words[(3 * w + 1) / width].v[(3 * w + 1) % width];
        triple.z.v[w] = words[(3 * w + 2) / width].v[(3 * w + 2) % width];
      }
      return triple;
    }
  }
};

/// Words of a result that depend only on the same words of the operands.
template <class T, int width>
struct FlatPoint {
  static constexpr bool sided = false;
  std::int64_t i;
  template <Layout>
  SPEEDWELL_POINT Pack<T, width> load3(const T* data, Shift) const {
    return PackPoint<T, width>::get(data + i);
  }
};

/// One point; its neighbours are loaded through the caches. slab: a halo along z has what is beyond its ends.
template <class T, bool sided_, bool slab = false>
struct CachedPoint {
  static constexpr bool sided = sided_;
  using V = Pack<T, 1>;
  const Frame<T>& f;
  int i, j, k;

  SPEEDWELL_POINT static int wrapped(int at, int n) { return at < 0 ? at + n : at >= n ? at - n : at; }
  SPEEDWELL_POINT std::int64_t offset(Shift s) const {
    const int nx = static_cast<int>(f.nx), ny = static_cast<int>(f.ny), nz = static_cast<int>(f.nz);
    const int x = sided || s.i == 0 ? i + s.i : wrapped(i + s.i, nx),
              y = sided || s.j == 0 ? j + s.j : wrapped(j + s.j, ny),
              z = sided || slab || s.k == 0 ? k + s.k : wrapped(k + s.k, nz);
    return (static_cast<std::int64_t>(z) * ny + y) * nx + x;
  }
  SPEEDWELL_POINT static V get(const T* p) {
#ifdef __CUDA_ARCH__
    return {__ldg(p)};
#else
    return {*p};
#endif
  }
  SPEEDWELL_POINT V load(const T* data, Shift s) const { return get(data + offset(s)); }
  template <Layout layout>
  SPEEDWELL_POINT Triple<V> load3(const T* data, Shift s) const {
    const std::int64_t at = offset(s);
    if constexpr (layout == Layout::soa)
      return {get(data + at), get(data + f.points + at), get(data + 2 * f.points + at)};
    else
      return {get(data + 3 * at), get(data + 3 * at + 1), get(data + 3 * at + 2)};
  }
  template <int axis>
  SPEEDWELL_POINT T per_spacing() const {
    return f.per_spacing[axis];
  }
  template <int axis>
  SPEEDWELL_POINT int side(Shift s) const {
    const int at = axis == 0 ? i + s.i : axis == 1 ? j + s.j : k + s.k;
    return at == 0 ? -1 : at == static_cast<int>(axis == 0 ? f.nx : axis == 1 ? f.ny : f.nz) - 1 ? 1 : 0;
  }
};

/// A result in device memory. For an interleaved vector field, the values of a warp pass through `stage`, 3 * 32 *
/// width words of shared memory per warp, so that stores are coalesced.
template <class T, int components, Layout layout>
struct Result {
  T* data;

  static constexpr bool staged = components == 3 && layout == Layout::aos;

  /// Must be called by all lanes of a warp. `first` is that of lane 0, and `count` of the warp's 32 width points exist.
  template <int width>
  __device__ void set(std::int64_t first, int count, std::int64_t, const Pack<T, width>& v, T*) const {
    const int lane = threadIdx.x % 32;
    if (lane * width < count) put(data + first + lane * width, v);
  }
  template <int width>
  __device__ void set(std::int64_t first, int count, std::int64_t points, const Triple<Pack<T, width>>& v,
                      T* stage) const {
    const int lane = threadIdx.x % 32;
    if constexpr (layout == Layout::soa) {
      if (lane * width >= count) return;
      T* const to = data + first + lane * width;
      put(to, v.x);
      put(to + points, v.y);
      put(to + 2 * points, v.z);
    } else {
      Pack<T, width> words[3];
#pragma unroll
      for (int w = 0; w < width; ++w) {
        words[(3 * w) / width].v[(3 * w) % width] = v.x.v[w];
        words[(3 * w + 1) / width].v[(3 * w + 1) % width] = v.y.v[w];
        words[(3 * w + 2) / width].v[(3 * w + 2) % width] = v.z.v[w];
      }
      auto* const packs = reinterpret_cast<Pack<T, width>*>(stage);
      __syncwarp();
#pragma unroll
      for (int r = 0; r < 3; ++r) packs[3 * lane + r] = words[r];
      __syncwarp();
#pragma unroll
      for (int r = 0; r < 3; ++r)
        if ((32 * r + lane) * width < 3 * count) put(data + 3 * first + (32 * r + lane) * width, packs[32 * r + lane]);
    }
  }

 private:
  // Stores with evict-first priority: this kernel does not read the result.
  template <int width>
  __device__ static void put(T* to, const Pack<T, width>& v) {
    if constexpr (sizeof(v) == 16)
      __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&v));
    else
#pragma unroll
      for (int w = 0; w < width; ++w) __stcs(to + w, v.v[w]);
  }
};

}  // namespace speedwell::vector_calculus::device
