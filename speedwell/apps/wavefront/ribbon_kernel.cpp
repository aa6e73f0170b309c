// The sweep of a ribbon with one instruction set. Blocks of as many steps as there are lanes: each row's cells of these
// steps are contiguous in memory, so that loading a vector from every row and transposing the square gives what all
// lanes need step by step; the results go back in the same way. Within a step, top is the lane's own last value, north
// that of the lane beside it, and west that of the plane before. Four planes are four independent chains, which hide
// their latency; what such a group leaves of its last plane is west of the next one. Compiled without contraction.
#include "speedwell/apps/wavefront/ribbon_kernel.hpp"

#include "speedwell/apps/wavefront/vector_cell.hpp"
#include "speedwell/apps/wavefront/vectors.hpp"
#include "speedwell/core/simd.hpp"
#include "speedwell/numerics/squares.hpp"

namespace speedwell::wavefront::SPEEDWELL_ISA {
namespace {

constexpr int group_planes = 4;
constexpr int blocks_ahead = 1;  // that lines are asked for before they are needed

template <class T, bool Loops, Remainder remainder>
class Sweep {
 public:
  Sweep(Ribbon<T>& ribbon, const RibbonRecurrence<T>& recurrence)
      : ribbon_(ribbon), cell_(recurrence), reversed_(ribbon.z < 0) {}

  void run(std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step < last; step += lanes) {
      row_ = step / ribbon_.period * lanes;
      k_ = step % ribbon_.period;
      block();
    }
  }

 private:
  static constexpr int lanes = width<T>;
  /// Blocks in which the cells of a hyperplane are at most.
  static constexpr int most_cells = (most_ribbon_planes + lanes - 2) / lanes + 2;
  using Square = Vector<T>[lanes];

  void block() {
    for (int n = 0; n < most_cells; ++n) cells_[n] = cells(n);
    prefetch(ribbon_.west, ribbon_.west_row, nullptr);
    Square west;
    gather(ribbon_.west, ribbon_.west_row, 0, west);
    int g = 0;
    for (; g + group_planes <= ribbon_.planes; g += group_planes) group<group_planes>(g, west);
    for (; g < ribbon_.planes; ++g) group<1>(g, west);
  }

  /// `west` has what lies before the planes, and then what lies before those that follow.
  template <int planes>
  void group(int first_plane, Square& west) {
    Square values[planes];
    T north[planes][lanes];
    for (int g = 0; g < planes; ++g) {
      const int plane = first_plane + g;
      const T* const following = ribbon_.following ? ribbon_.following + plane * ribbon_.plane : nullptr;
      prefetch(rows_of(plane), ribbon_.row, following);
      if (row_ == 0) prefetch(ribbon_.north + plane * ribbon_.north_plane + (k_ + blocks_ahead * lanes) * ribbon_.z);
      gather(rows_of(plane), ribbon_.row, plane, values[g]);
      simd::store(north[g], north_of(plane));
    }
    if (k_ < lanes + first_plane + planes - 1)
      steps<planes, true>(first_plane, values, north, west);
    else
      steps<planes, false>(first_plane, values, north, west);
    for (int g = 0; g < planes; ++g) scatter(rows_of(first_plane + g), first_plane + g, values[g]);
  }

  /// `Begins`: some lane begins a row, before which lies top.
  template <int planes, bool Begins>
  void steps(int first_plane, Square (&values)[planes], const T (&north)[planes][lanes], Square& west) {
    Vector<T> now[planes], top[planes];
    for (int g = 0; g < planes; ++g) {
      now[g] = simd::load(ribbon_.state[first_plane + g]);
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
    for (int g = 0; g < planes; ++g) simd::store(ribbon_.state[first_plane + g], now[g]);
  }

  T* rows_of(int plane) const { return ribbon_.first + plane * ribbon_.plane; }
  static int within(std::int64_t n) { return static_cast<int>(n < 0 ? 0 : n < lanes ? n : lanes); }
  /// Where in memory the vector of cells k, k + 1 … of a row begins. With z reversed it has them in the other order.
  template <class V>
  V* lowest(V* row, std::int64_t k) const {
    return reversed_ ? row - (k + lanes - 1) : row + k;
  }

  /// Whether all lanes are within their rows throughout the block.
  bool whole(int plane) const {
    return k_ >= lanes - 1 + plane && k_ + lanes <= ribbon_.cells + plane && row_ + lanes <= ribbon_.rows;
  }
  /// A whole vector of cells of each lane, counted in blocks from its row's beginning. What it has no cells for is left
  /// alone, too, by what loads and stores it.
  struct Cells {
    std::int64_t row, offset;  // of the first lane; in memory, from where the row begins
    int lanes;                 // that have the row
    int first, last;           // places that there are
  };
  /// Those that the first lane is at, or some blocks before.
  Cells cells(int blocks_before) const {
    std::int64_t row = row_, k = k_ - blocks_before * lanes;
    if (k < 0) {
      row -= lanes;
      k += ribbon_.period;
    }
    const int count = within(ribbon_.cells - k), rows = row < 0 || count == 0 ? 0 : within(ribbon_.rows - row);
    return {row, reversed_ ? 1 - lanes - k : k, rows, reversed_ ? lanes - count : 0, reversed_ ? lanes : count};
  }
  Vector<T> load(const T* rows, std::int64_t stride, const Cells& c, int l) const {
    if (l >= c.lanes) return Vector<T>{};
    return vectors::load_part(rows + (c.row + l) * stride + c.offset, c.first, c.last);
  }
  /// Places first … last - 1 of them.
  void store(T* rows, const Cells& c, int l, Vector<T> v, int first, int last) const {
    first = first < c.first ? c.first : first;
    last = last < c.last ? last : c.last;
    if (l < c.lanes && first < last) vectors::store_part(rows + (c.row + l) * ribbon_.row + c.offset, v, first, last);
  }

  /// A lane's values in the steps of this block, zeros where there is no cell: the end of one vector and the beginning
  /// of the next, which may be another row's. (Lines beside the row are not touched: they may be far from being needed,
  /// or another thread's.)
  Vector<T> row(const T* rows, std::int64_t stride, int plane, int l) const {
    const int blocks = (plane + l) / lanes, behind = (plane + l) % lanes;
    const Vector<T> now = load(rows, stride, cells_[blocks], l);
    if (behind == 0) return now;
    const Vector<T> before = load(rows, stride, cells_[blocks + 1], l);
    return behind_by(behind, before, now);
  }
  Vector<T> behind_by(int steps, Vector<T> before, Vector<T> now) const {
    return reversed_ ? vectors::joined<T>(now, before, steps) : vectors::joined<T>(before, now, lanes - steps);
  }
  void gather(const T* rows, std::int64_t stride, int plane, Square& steps) const {
    if (whole(plane))
      return numerics::squares::load_transposed(lowest(rows + row_ * stride, k_ - plane), stride - ribbon_.z, steps);
    for (int l = 0; l < lanes; ++l) steps[l] = row(rows, stride, plane, l);
    simd::transpose<T>(steps);
  }
  void scatter(T* rows, int plane, Square& steps) const {
    if (whole(plane))
      return numerics::squares::store_transposed(lowest(rows + row_ * ribbon_.row, k_ - plane), ribbon_.row - ribbon_.z,
                                                 steps);
    simd::transpose<T>(steps);
    for (int l = 0; l < lanes; ++l) {
      const int blocks = (plane + l) / lanes, behind = (plane + l) % lanes;
      const int split = reversed_ ? behind : lanes - behind;
      const Vector<T> v = vectors::joined<T>(steps[l], steps[l], lanes - split);
      const Cells &now = cells_[blocks], &before = cells_[blocks + 1];
      store(rows, reversed_ ? before : now, l, v, 0, split);
      store(rows, reversed_ ? now : before, l, v, split, lanes);
    }
  }

  /// What lies north of the first lane's cells: the inflow, or the last lane's rows.
  Vector<T> north_of(int plane) const {
    const T* const inflow = ribbon_.north + plane * ribbon_.north_plane;
    const T* const rows = rows_of(plane) - ribbon_.row;
    const int behind = plane % lanes;
    const auto part = [&](int blocks) {
      const Cells& c = cells_[blocks];
      return c.row == 0 ? load(inflow, 0, c, 0) : load(rows, ribbon_.row, c, 0);
    };
    const Vector<T> now = part(plane / lanes);
    if (behind == 0) return now;
    const Vector<T> before = part(plane / lanes + 1);
    return behind_by(behind, before, now);
  }
  /// What lies before the rows that lanes begin in this block.
  Vector<T> top_of(int plane) const {
    Vector<T> top{};
    for (int l = 0; l < lanes; ++l)
      if (row_ + l < ribbon_.rows) top[l] = ribbon_.top[plane * ribbon_.top_plane + (row_ + l) * ribbon_.top_row];
    return top;
  }

  /// To the second cache.
  static void prefetch(const T* p) { __builtin_prefetch(p, 0, 2); }
  /// What is needed blocks later: so many rows are more than the processor follows. (Inline: to GCC a function that
  /// does nothing else has no effect, and calls of it go.)
  [[gnu::always_inline]] void prefetch(const T* rows, std::int64_t stride, const T* following) const {
    std::int64_t row = row_, k = k_ + blocks_ahead * lanes;
    if (k >= ribbon_.cells) {
      k -= ribbon_.period;
      row += lanes;
      if (k < 0) return;
    }
    if (row >= ribbon_.rows) {
      if (!following) return;
      rows = following;
      row = 0;
    }
    for (int l = 0; l < lanes; ++l) prefetch(rows + (row + l) * stride + k * ribbon_.z);
  }

  Ribbon<T>& ribbon_;
  const Cell<T, Loops, remainder> cell_;
  const bool reversed_;
  const Vector<T> lane_ = simd::numbered<Vector<T>>();
  Cells cells_[most_cells];       // of a block, and of those before it
  std::int64_t row_ = 0, k_ = 0;  // where the first lane of plane 0 is at the beginning of the block
};

template <Remainder remainder, class T>
void swept(Ribbon<T>& ribbon, const RibbonRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  if (recurrence.loops > 0)
    Sweep<T, true, remainder>(ribbon, recurrence).run(first, last);
  else
    Sweep<T, false, remainder>(ribbon, recurrence).run(first, last);
}
template <class T>
void chosen(Ribbon<T>& ribbon, const RibbonRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  if (recurrence.remainder == Remainder::library) return swept<Remainder::library>(ribbon, recurrence, first, last);
  if constexpr (vectors::has_floor)
    if (recurrence.remainder == Remainder::floor) return swept<Remainder::floor>(ribbon, recurrence, first, last);
  swept<Remainder::subtraction>(ribbon, recurrence, first, last);
}

}  // namespace

int lanes_f32() { return width<float>; }
int lanes_f64() { return width<double>; }
void ribbon_f32(Ribbon<float>& ribbon, const RibbonRecurrence<float>& recurrence, std::int64_t first,
                std::int64_t last) {
  chosen(ribbon, recurrence, first, last);
}
void ribbon_f64(Ribbon<double>& ribbon, const RibbonRecurrence<double>& recurrence, std::int64_t first,
                std::int64_t last) {
  chosen(ribbon, recurrence, first, last);
}

}  // namespace speedwell::wavefront::SPEEDWELL_ISA
