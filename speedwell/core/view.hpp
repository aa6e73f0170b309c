// Extents and View: index arithmetic in one place. Row-major: the last index is contiguous. The names are those of
// std::mdspan, which replaces this when the compilers have it. Device code cannot call std::array::operator[], so
// Extents holds a plain array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::core {

/// The shape of a field: `extent(d)` points along dimension d, in all `size()` points.
template <int Rank>
struct Extents {
  std::int64_t points[Rank] = {};

  SPEEDWELL_HD
  constexpr std::int64_t extent(int d) const { return points[d]; }
  SPEEDWELL_HD
  constexpr std::int64_t size() const {
    std::int64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= points[d];
    return product;
  }
  friend SPEEDWELL_HD
  constexpr bool operator==(const Extents& a, const Extents& b) {
    for (int d = 0; d < Rank; ++d)
      if (a.points[d] != b.points[d]) return false;
    return true;
  }
};

/// A non-owning view of a row-major field in host or device memory. Passed by value.
template <class T, int Rank>
class View {
 public:
  View() = default;
  SPEEDWELL_HD
  constexpr View(T* data, Extents<Rank> extents) : data_(data), extents_(extents) {}
  /// A view of const elements from one of mutable elements.
  SPEEDWELL_HD
  constexpr operator View<const T, Rank>() const { return {data_, extents_}; }

  template <class... Index>
  SPEEDWELL_HD
  constexpr T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index per dimension");
    const std::int64_t indices[Rank] = {static_cast<std::int64_t>(index)...};
    std::int64_t offset = indices[0];
    for (int d = 1; d < Rank; ++d) offset = offset * extents_.points[d] + indices[d];
    return data_[offset];
  }

  SPEEDWELL_HD
  constexpr T* data() const { return data_; }
  SPEEDWELL_HD
  constexpr const Extents<Rank>& extents() const { return extents_; }
  SPEEDWELL_HD
  constexpr std::int64_t extent(int d) const { return extents_.extent(d); }
  SPEEDWELL_HD
  constexpr std::int64_t size() const { return extents_.size(); }

 private:
  T* data_ = nullptr;
  Extents<Rank> extents_;
};

}  // namespace speedwell::core
