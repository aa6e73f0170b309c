// The sweep of a ribbon with one instruction set. A lane that ends its cells of a row goes on with those of the row
// that is as many rows further as there are lanes: lane l of plane g is in step s at place s - l - g of its rows put
// end to end, a period apart. A period is a whole number of blocks, and two at least: then what the first lane needs of
// the row before, which the last lane swept, is in memory already. Blocks, transposition and planes are as in
// pencil_kernel.cpp. Compiled without contraction.
#include "speedwell/apps/wavefront/ribbon_kernel.hpp"

#include "speedwell/apps/wavefront/vector_cell.hpp"
#include "speedwell/core/simd.hpp"

namespace speedwell::wavefront::SPEEDWELL_ISA {
namespace {

/// The steps of a block, as a lane sees them: the first `head` are at cells k, k + 1 … of row `row`, the others at
/// cells 0, 1 … of the row that follows.
struct Window {
  std::int64_t row, k;
  std::int64_t head;
};

template <class T, bool Loops, bool Fast>
class Sweep {
 public:
  Sweep(const Ribbon<T>& ribbon, const BundleRecurrence<T>& recurrence)
      : ribbon_(ribbon),
        cell_(recurrence),
        period_((ribbon.cells + lanes - 1) / lanes * lanes),
        reversed_(ribbon.plane[0].z < 0) {
    if (period_ < 2 * lanes) period_ = 2 * lanes;
    whole_ = period_ == ribbon.cells && ribbon.before && ribbon.beyond;
    order_ = simd::numbered<Vector<T>>();
    if (reversed_) order_ = simd::broadcast(static_cast<T>(lanes - 1)) - order_;
  }

  void run() {
    const std::int64_t bundles = (ribbon_.rows + lanes - 1) / lanes;
    const std::int64_t steps = bundles * period_ + lanes - 1 + ribbon_.planes - 1;
    for (std::int64_t step = 0; step < steps; step += lanes) {
      block();
      k_ += lanes;
      if (k_ < period_) continue;
      k_ = 0;
      row_ += lanes;
    }
  }

 private:
  static constexpr int lanes = width<T>;

  /// Of lane `l` that is `lag` steps behind the block's beginning.
  Window window(int l, int lag) const {
    const std::int64_t k = k_ - lag;
    if (k >= 0) return {row_ + l, k, period_ - k};
    return {row_ - lanes + l, k + period_, -k};
  }
  bool has(std::int64_t row) const { return row >= 0 && row < ribbon_.rows; }
  /// A vector's lowest place in memory, whose first step is at cell k.
  template <class V>
  V* lowest(V* row, std::int64_t k) const {
    return reversed_ ? row - (k + lanes - 1) : row + k;
  }
  int place(int s) const { return reversed_ ? lanes - 1 - s : s; }

  /// For the steps of a window that have a cell: each(step, cell).
  template <class Each>
  void each_cell(const Strip<T>& strip, const Window& w, const Each& each) const {
    for (int s = 0; s < lanes; ++s) {
      const std::int64_t row = s < w.head ? w.row : w.row + lanes, k = s < w.head ? w.k + s : s - w.head;
      if (has(row) && k < ribbon_.cells) each(s, strip.first + row * strip.row + k * strip.z);
    }
  }

  void gather(const Strip<T>& strip, int lag, Vector<T> (&steps)[lanes]) const {
    for (int l = 0; l < lanes; ++l) {
      const Window w = window(l, l + lag);
      const T* const row = strip.first + w.row * strip.row;
      const T* const next = row + lanes * strip.row;
      __builtin_prefetch(next + w.k * strip.z);  // so many rows are more than the hardware follows
      steps[l] = Vector<T>{};
      if (w.k + lanes <= ribbon_.cells) {
        if (has(w.row)) steps[l] = simd::load(lowest(row, w.k));
      } else if (whole_) {
        if (has(w.row)) steps[l] = simd::load(lowest(row, w.k));
        if (has(w.row + lanes))
          steps[l] = order_ < simd::broadcast(static_cast<T>(w.head)) ? steps[l] : simd::load(lowest(next, -w.head));
      } else {
        each_cell(strip, w, [&](int s, const T* cell) { steps[l][place(s)] = *cell; });
      }
    }
    simd::transpose<T>(steps);
  }

  void scatter(const Strip<T>& strip, int lag, Vector<T> (&steps)[lanes]) const {
    simd::transpose<T>(steps);
    for (int l = 0; l < lanes; ++l) {
      const Window w = window(l, l + lag);
      T* const row = strip.first + w.row * strip.row;
      T* const next = row + lanes * strip.row;
      if (w.k + lanes <= ribbon_.cells) {
        if (has(w.row)) simd::store(lowest(row, w.k), steps[l]);
      } else if (whole_) {
        // Cells of other chunks are written as they are.
        const auto head = order_ < simd::broadcast(static_cast<T>(w.head));
        if (has(w.row)) simd::store(lowest(row, w.k), head ? steps[l] : simd::load<T>(lowest(row, w.k)));
        if (has(w.row + lanes))
          simd::store(lowest(next, -w.head), head ? simd::load<T>(lowest(next, -w.head)) : steps[l]);
      } else {
        each_cell(strip, w, [&](int s, T* cell) { *cell = steps[l][place(s)]; });
      }
    }
  }

  /// What lies north of the first lane's cells of plane g: the inflow, then the last lane's rows.
  void gather_north(int g, T (&north)[lanes]) const {
    const Window w = window(0, g);
    const auto part = [&](std::int64_t row, std::int64_t k, int first, std::int64_t last) {
      const Strip<T>& plane = ribbon_.plane[g];
      const T* const before = row == 0 ? ribbon_.north[g].first : plane.first + (row - 1) * plane.row;
      if (has(row))
        for (int s = first; s < last && k < ribbon_.cells; ++s, ++k) north[s] = before[k * plane.z];
    };
    for (T& value : north) value = 0;
    part(w.row, w.k, 0, w.head < lanes ? w.head : lanes);
    if (w.head < lanes) part(w.row + lanes, 0, static_cast<int>(w.head), lanes);
  }

  /// What lies before the rows of plane g that lanes begin in this block.
  Vector<T> gather_top(int g) const {
    Vector<T> top{};
    for (int l = 0; l < lanes; ++l) {
      const Window w = window(l, l + g);
      const std::int64_t row = w.k == 0 ? w.row : w.row + lanes;
      if ((w.k == 0 || w.head < lanes) && has(row)) top[l] = ribbon_.top[g].first[row * ribbon_.top[g].row];
    }
    return top;
  }

  /// The lane that begins a row `offset` steps after this block does; or no lane's number.
  T beginning(int offset) const {
    const std::int64_t k = k_ + offset;
    return static_cast<T>(k < 0 ? k + period_ : k);
  }

  void block() {
    Vector<T> values[bundle_planes][lanes], west[lanes], top[bundle_planes];
    T north[bundle_planes][lanes];
    const bool begins = k_ < lanes + bundle_planes;  // some lane begins a row
    const Strip<const T>& before = ribbon_.west;
    gather({const_cast<T*>(before.first), before.row, before.z}, 0, west);
    for (int g = 0; g < ribbon_.planes; ++g) {
      gather(ribbon_.plane[g], g, values[g]);
      gather_north(g, north[g]);
      if (begins) top[g] = gather_top(g);
    }
    for (int s = 0; s < lanes; ++s)
      for (int g = ribbon_.planes - 1; g >= 0; --g) {
        Vector<T> own = now_[g];
        if (begins) own = lane_ == simd::broadcast(beginning(s - g)) ? top[g] : own;
        now_[g] = cell_(values[g][place(s)], own, simd::shifted_in<T>(now_[g], north[g][s]),
                        g > 0 ? now_[g - 1] : west[place(s)]);
        values[g][place(s)] = now_[g];
      }
    for (int g = 0; g < ribbon_.planes; ++g) scatter(ribbon_.plane[g], g, values[g]);
  }

  const Ribbon<T>& ribbon_;
  Cell<T, Loops, Fast> cell_;
  std::int64_t period_;
  bool reversed_;
  bool whole_;       // vectors may be loaded where a row ends
  Vector<T> order_;  // the step of each place in memory
  Vector<T> lane_ = simd::numbered<Vector<T>>();
  Vector<T> now_[bundle_planes] = {};  // what each lane swept last
  std::int64_t row_ = 0, k_ = 0;       // where the first lane of plane 0 is
};

template <class T>
void chosen(const Ribbon<T>& ribbon, const BundleRecurrence<T>& recurrence) {
  const bool loops = recurrence.loops > 0;
  if (recurrence.fast)
    loops ? Sweep<T, true, true>(ribbon, recurrence).run() : Sweep<T, false, true>(ribbon, recurrence).run();
  else
    loops ? Sweep<T, true, false>(ribbon, recurrence).run() : Sweep<T, false, false>(ribbon, recurrence).run();
}

}  // namespace

void ribbon_f32(const Ribbon<float>& ribbon, const BundleRecurrence<float>& recurrence) { chosen(ribbon, recurrence); }
void ribbon_f64(const Ribbon<double>& ribbon, const BundleRecurrence<double>& recurrence) {
  chosen(ribbon, recurrence);
}

}  // namespace speedwell::wavefront::SPEEDWELL_ISA
