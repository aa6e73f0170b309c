// The sweep of a plane group with one instruction set. Steps are processed in blocks of as many steps as there are
// lanes: the cells of a row for the steps of a block are contiguous in memory, so that loading a vector from every row
// and transposing the square gives the operands of all lanes step by step; the results are stored in the same manner.
// Within a step, top is the lane's own previous value, north that of the lane above, and west that of the preceding
// plane. Four planes are interleaved as independent dependence chains, which hides the latency; the values of the last
// of these planes are the west values of the next four. Compiled without contraction.
#include "speedwell/apps/wavefront/cpu/plane_group_kernel.hpp"

#include "speedwell/apps/wavefront/cpu/vector_cell.hpp"
#include "speedwell/apps/wavefront/cpu/vectors.hpp"
#include "speedwell/core/simd/simd.hpp"
#include "speedwell/numerics/squares.hpp"

namespace speedwell::wavefront::SPEEDWELL_ISA {
namespace {

constexpr int interleaved_planes = 4;
constexpr int blocks_ahead = 1;  // prefetch distance

template <class T, bool Loops, Remainder remainder>
class Sweep {
 public:
  Sweep(PlaneGroup<T>& group, const KernelRecurrence<T>& recurrence)
      : group_(group), cell_(recurrence), reversed_(group.z < 0) {}

  void run(std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step < last; step += lanes) {
      row_ = step / group_.period * lanes;
      k_ = step % group_.period;
      block();
    }
  }

 private:
  static constexpr int lanes = width<T>;
  /// Maximum number of blocks that the cells of a hyperplane span.
  static constexpr int max_cells = (max_group_planes + lanes - 2) / lanes + 2;
  using Block = Vector<T>[lanes];

  void block() {
    for (int n = 0; n < max_cells; ++n) cells_[n] = cells(n);
    prefetch(group_.west, group_.west_row, nullptr);
    Block west;
    gather(group_.west, group_.west_row, 0, west);
    int g = 0;
    for (; g + interleaved_planes <= group_.planes; g += interleaved_planes) sweep_planes<interleaved_planes>(g, west);
    for (; g < group_.planes; ++g) sweep_planes<1>(g, west);
  }

  /// Sweeps `planes` planes of a block. `west` holds the west values of the first plane, and on return those of the
  /// next.
  template <int planes>
  void sweep_planes(int first_plane, Block& west) {
    Block values[planes];
    T north[planes][lanes];
    for (int g = 0; g < planes; ++g) {
      const int plane = first_plane + g;
      const T* const following = group_.following ? group_.following + plane * group_.plane : nullptr;
      prefetch(rows_of(plane), group_.row, following);
      if (row_ == 0) prefetch(group_.north + plane * group_.north_plane + (k_ + blocks_ahead * lanes) * group_.z);
      gather(rows_of(plane), group_.row, plane, values[g]);
      simd::store(north[g], north_of(plane));
    }
    if (k_ < lanes + first_plane + planes - 1)
      steps<planes, true>(first_plane, values, north, west);
    else
      steps<planes, false>(first_plane, values, north, west);
    for (int g = 0; g < planes; ++g) scatter(rows_of(first_plane + g), first_plane + g, values[g]);
  }

  /// Performs the steps of a block. `Begins`: in some step a lane begins a row, whose top value is inflow.
  template <int planes, bool Begins>
  void steps(int first_plane, Block (&values)[planes], const T (&north)[planes][lanes], Block& west) {
    Vector<T> now[planes], top[planes];
    for (int g = 0; g < planes; ++g) {
      now[g] = simd::load(group_.state[first_plane + g]);
      if constexpr (Begins) top[g] = top_of(first_plane + g);
    }
    for (int s = 0; s < lanes; ++s) {
      const int at = reversed_ ? lanes - 1 - s : s;
      const Vector<T> last_plane = now[planes - 1];
      for (int g = planes - 1; g >= 0; --g) {
        Vector<T> own = now[g];
        if constexpr (Begins) own = lane_ == simd::broadcast(static_cast<T>(k_ + s - first_plane - g)) ? top[g] : own;
        now[g] = values[g][at] =
            cell_(values[g][at], own, simd::shifted_in<T>(now[g], north[g][at]), g > 0 ? now[g - 1] : west[at]);
      }
      west[at] = last_plane;
    }
    for (int g = 0; g < planes; ++g) simd::store(group_.state[first_plane + g], now[g]);
  }

  T* rows_of(int plane) const { return group_.first + plane * group_.plane; }
  static int clamp_to_lanes(std::int64_t n) { return static_cast<int>(n < 0 ? 0 : n < lanes ? n : lanes); }
  /// Lowest address of the vector of cells k, k + 1 … of a row. With z reversed the vector has them in descending
  /// order.
  template <class V>
  V* lowest(V* row, std::int64_t k) const {
    return reversed_ ? row - (k + lanes - 1) : row + k;
  }

  /// Whether all lanes are within their rows throughout the block.
  bool all_lanes_in_rows(int plane) const {
    return k_ >= lanes - 1 + plane && k_ + lanes <= group_.cells + plane && row_ + lanes <= group_.rows;
  }
  /// Index range of the cells of a block, one vector per lane, counted in blocks from the beginning of the row. Loads
  /// and stores leave elements outside of the range untouched.
  struct Cells {
    std::int64_t row, offset;  // row of the first lane; offset in memory from the beginning of the row
    int lanes;                 // number of lanes whose row exists
    int first, last;           // range of valid elements
  };
  /// The cells at which the first lane is in this block, or was some blocks before.
  Cells cells(int blocks_before) const {
    std::int64_t row = row_, k = k_ - blocks_before * lanes;
    if (k < 0) {
      row -= lanes;
      k += group_.period;
    }
    const int count = clamp_to_lanes(group_.cells - k),
              rows = row < 0 || count == 0 ? 0 : clamp_to_lanes(group_.rows - row);
    return {row, reversed_ ? 1 - lanes - k : k, rows, reversed_ ? lanes - count : 0, reversed_ ? lanes : count};
  }
  Vector<T> load(const T* rows, std::int64_t stride, const Cells& c, int l) const {
    if (l >= c.lanes) return Vector<T>{};
    return vectors::load_partial(rows + (c.row + l) * stride + c.offset, c.first, c.last);
  }
  /// Stores elements first … last - 1.
  void store(T* rows, const Cells& c, int l, Vector<T> v, int first, int last) const {
    first = first < c.first ? c.first : first;
    last = last < c.last ? last : c.last;
    if (l < c.lanes && first < last) vectors::store_partial(rows + (c.row + l) * group_.row + c.offset, v, first, last);
  }

  /// Values of a lane for the steps of this block, zeros where there is no cell. They combine the end of one vector
  /// with the beginning of the next, which may belong to another row. (Cache lines next to the row are not touched, as
  /// they may be far from being needed, or belong to another thread.)
  Vector<T> row(const T* rows, std::int64_t stride, int plane, int l) const {
    const int blocks = (plane + l) / lanes, lag = (plane + l) % lanes;
    const Vector<T> now = load(rows, stride, cells_[blocks], l);
    if (lag == 0) return now;
    const Vector<T> before = load(rows, stride, cells_[blocks + 1], l);
    return delay_by(lag, before, now);
  }
  Vector<T> delay_by(int steps, Vector<T> before, Vector<T> now) const {
    return reversed_ ? vectors::concatenate_shifted<T>(now, before, steps)
                     : vectors::concatenate_shifted<T>(before, now, lanes - steps);
  }
  void gather(const T* rows, std::int64_t stride, int plane, Block& steps) const {
    if (all_lanes_in_rows(plane))
      return numerics::squares::load_transposed(lowest(rows + row_ * stride, k_ - plane), stride - group_.z, steps);
    for (int l = 0; l < lanes; ++l) steps[l] = row(rows, stride, plane, l);
    simd::transpose<T>(steps);
  }
  void scatter(T* rows, int plane, Block& steps) const {
    if (all_lanes_in_rows(plane))
      return numerics::squares::store_transposed(lowest(rows + row_ * group_.row, k_ - plane), group_.row - group_.z,
                                                 steps);
    simd::transpose<T>(steps);
    for (int l = 0; l < lanes; ++l) {
      const int blocks = (plane + l) / lanes, lag = (plane + l) % lanes;
      const int split = reversed_ ? lag : lanes - lag;
      const Vector<T> v = vectors::concatenate_shifted<T>(steps[l], steps[l], lanes - split);
      const Cells &now = cells_[blocks], &before = cells_[blocks + 1];
      store(rows, reversed_ ? before : now, l, v, 0, split);
      store(rows, reversed_ ? now : before, l, v, split, lanes);
    }
  }

  /// North neighbours of the first lane's cells: the inflow, or the row that the last lane swept.
  Vector<T> north_of(int plane) const {
    const T* const inflow = group_.north + plane * group_.north_plane;
    const T* const rows = rows_of(plane) - group_.row;
    const int lag = plane % lanes;
    const auto part = [&](int blocks) {
      const Cells& c = cells_[blocks];
      return c.row == 0 ? load(inflow, 0, c, 0) : load(rows, group_.row, c, 0);
    };
    const Vector<T> now = part(plane / lanes);
    if (lag == 0) return now;
    const Vector<T> before = part(plane / lanes + 1);
    return delay_by(lag, before, now);
  }
  /// Top inflow of the rows that lanes begin in this block.
  Vector<T> top_of(int plane) const {
    Vector<T> top{};
    for (int l = 0; l < lanes; ++l)
      if (row_ + l < group_.rows) top[l] = group_.top[plane * group_.top_plane + (row_ + l) * group_.top_row];
    return top;
  }

  /// Prefetches to the second-level cache.
  static void prefetch(const T* p) { __builtin_prefetch(p, 0, 2); }
  /// Prefetches the cells of later blocks: there are more rows than the hardware prefetcher follows. (Always inline:
  /// GCC considers a function with no other effect as pure and removes its calls.)
  [[gnu::always_inline]] void prefetch(const T* rows, std::int64_t stride, const T* following) const {
    std::int64_t row = row_, k = k_ + blocks_ahead * lanes;
    if (k >= group_.cells) {
      k -= group_.period;
      row += lanes;
      if (k < 0) return;
    }
    if (row >= group_.rows) {
      if (!following) return;
      rows = following;
      row = 0;
    }
    for (int l = 0; l < lanes; ++l) prefetch(rows + (row + l) * stride + k * group_.z);
  }

  PlaneGroup<T>& group_;
  const Cell<T, Loops, remainder> cell_;
  const bool reversed_;
  const Vector<T> lane_ = simd::iota<Vector<T>>();
  Cells cells_[max_cells];        // of a block, and of the preceding blocks
  std::int64_t row_ = 0, k_ = 0;  // position of the first lane of plane 0 at the beginning of the block
};

template <Remainder remainder, class T>
void sweep_with(PlaneGroup<T>& group, const KernelRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  if (recurrence.loops > 0)
    Sweep<T, true, remainder>(group, recurrence).run(first, last);
  else
    Sweep<T, false, remainder>(group, recurrence).run(first, last);
}
template <class T>
void dispatch(PlaneGroup<T>& group, const KernelRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  if (recurrence.remainder == Remainder::library) return sweep_with<Remainder::library>(group, recurrence, first, last);
  if constexpr (vectors::has_floor)
    if (recurrence.remainder == Remainder::floor) return sweep_with<Remainder::floor>(group, recurrence, first, last);
  sweep_with<Remainder::subtraction>(group, recurrence, first, last);
}

}  // namespace

int lanes_f32() { return width<float>; }
int lanes_f64() { return width<double>; }
void sweep_f32(PlaneGroup<float>& group, const KernelRecurrence<float>& recurrence, std::int64_t first,
               std::int64_t last) {
  dispatch(group, recurrence, first, last);
}
void sweep_f64(PlaneGroup<double>& group, const KernelRecurrence<double>& recurrence, std::int64_t first,
               std::int64_t last) {
  dispatch(group, recurrence, first, last);
}

}  // namespace speedwell::wavefront::SPEEDWELL_ISA
