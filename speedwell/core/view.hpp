// Extents and View: index arithmetic in one place. Row-major: the last index is contiguous. The names are those of
// std::mdspan, which replaces this when the compilers have it. Device code cannot call std::array::operator[], so
// Extents holds a plain array.
//   const View<double, 3> u(data, {{nz, ny, nx}});
//   u(k, j, i) = 1;                                       // element (k ny + j) nx + i of data
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::core {

/// The shape of a field: `extent(d)` points along dimension d, in all `size()` points.
template <int Rank>
struct Extents {
  std::int64_t points[Rank] = {};  // along each dimension, the slowest first

  /// Points along dimension d < Rank, which is not checked.
  SPEEDWELL_HD
  constexpr std::int64_t extent(int d) const { return points[d]; }
  /// The product of the extents, which the caller keeps below 2^63.
  SPEEDWELL_HD
  constexpr std::int64_t size() const {
    std::int64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= points[d];
    return product;
  }
  /// Whether all extents are equal.
  friend SPEEDWELL_HD
  constexpr bool operator==(const Extents& a, const Extents& b) {
    for (int d = 0; d < Rank; ++d)
      if (a.points[d] != b.points[d]) return false;
    return true;
  }
};

/// A non-owning view of a row-major field in host or device memory, without gaps between rows. Passed by value, also to
/// kernels. T may be const; a view does not make its elements const.
template <class T, int Rank>
class View {
 public:
  /// A view of nothing.
  View() = default;
  /// The field that begins at `data` and has extents.size() elements.
  SPEEDWELL_HD
  constexpr View(T* data, Extents<Rank> extents) : data_(data), extents_(extents) {}
  /// A view of const elements from one of mutable elements.
  SPEEDWELL_HD
  constexpr operator View<const T, Rank>() const { return {data_, extents_}; }

  /// The element of these indices, one for each dimension, which are not checked. Integers of any type; offsets are
  /// computed in 64 bits.
  template <class... Index>
  SPEEDWELL_HD
  constexpr T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index per dimension");
    const std::int64_t indices[Rank] = {static_cast<std::int64_t>(index)...};
    std::int64_t offset = indices[0];
    for (int d = 1; d < Rank; ++d) offset = offset * extents_.points[d] + indices[d];
    return data_[offset];
  }

  /// The first element.
  SPEEDWELL_HD
  constexpr T* data() const { return data_; }
  /// The shape, its extent along one dimension, and the number of elements.
  SPEEDWELL_HD
  constexpr const Extents<Rank>& extents() const { return extents_; }
  SPEEDWELL_HD
  constexpr std::int64_t extent(int d) const { return extents_.extent(d); }
  SPEEDWELL_HD
  constexpr std::int64_t size() const { return extents_.size(); }

 private:
  T* data_ = nullptr;  // the first element
  Extents<Rank> extents_;
};

}  // namespace speedwell::core
