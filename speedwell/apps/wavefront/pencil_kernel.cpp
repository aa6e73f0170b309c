// The sweep of a bundle with one instruction set. Blocks of as many steps as there are lanes: each row's cells of these
// steps are contiguous in memory, so that loading a vector from every row and transposing the square gives what all
// lanes need step by step; the results go back in the same way. Within a step, top is the lane's own last value, north
// that of the lane beside it, and west that of the plane before. Four planes are four independent chains, which hide
// their latency. Compiled without contraction.
#include "speedwell/apps/wavefront/pencil_kernel.hpp"

#include "speedwell/apps/wavefront/vector_cell.hpp"
#include "speedwell/core/simd.hpp"

namespace speedwell::wavefront::SPEEDWELL_ISA {
namespace {

namespace simd = core::simd;
using simd::Vector;
using simd::width;

constexpr int blocks_ahead = 4;

/// The values of a strip that its lanes need in steps first … first + width - 1, a vector for each step: lane l at cell
/// first + step - l - lag. Zeros where there is no cell.
template <class T>
void gather(const Strip<const T>& strip, int rows, std::int64_t cells, std::int64_t first,
            Vector<T> (&steps)[width<T>]) {
  constexpr int lanes = width<T>;
  for (int l = 0; l < lanes; ++l) {
    steps[l] = Vector<T>{};
    if (l >= rows) continue;
    const std::int64_t k = first - l;
    const T* row = strip.first + l * strip.row;
    __builtin_prefetch(row + (k + blocks_ahead * lanes) * strip.z);  // so many rows are more than the hardware follows
    if (k >= 0 && k + lanes <= cells)
      steps[l] = simd::load(strip.z > 0 ? row + k : row - (k + lanes - 1));
    else
      for (int s = 0; s < lanes; ++s)
        if (k + s >= 0 && k + s < cells) steps[l][strip.z > 0 ? s : lanes - 1 - s] = row[(k + s) * strip.z];
  }
  simd::transpose<T>(steps);
}
template <class T>
void scatter(const Strip<T>& strip, int rows, std::int64_t cells, std::int64_t first, Vector<T> (&steps)[width<T>]) {
  constexpr int lanes = width<T>;
  simd::transpose<T>(steps);
  for (int l = 0; l < rows; ++l) {
    const std::int64_t k = first - l;
    T* row = strip.first + l * strip.row;
    if (k >= 0 && k + lanes <= cells)
      simd::store(strip.z > 0 ? row + k : row - (k + lanes - 1), steps[l]);
    else
      for (int s = 0; s < lanes; ++s)
        if (k + s >= 0 && k + s < cells) row[(k + s) * strip.z] = steps[l][strip.z > 0 ? s : lanes - 1 - s];
  }
}

template <class T, bool Loops, bool Fast>
void sweep(Bundle<T>& bundle, const BundleRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  constexpr int lanes = width<T>;
  const Cell<T, Loops, Fast> cell(recurrence);
  const bool reversed = bundle.plane[0].z < 0;
  const Vector<T> lane = simd::numbered<Vector<T>>();
  Vector<T> now[bundle_planes];
  for (int g = 0; g < bundle_planes; ++g)
    for (int l = 0; l < lanes; ++l) now[g][l] = bundle.state[g][l];

  for (std::int64_t block = first; block < last; block += lanes) {
    Vector<T> values[bundle_planes][lanes], west[lanes];
    T north[bundle_planes][lanes];
    gather(bundle.west, bundle.rows, bundle.cells, block, west);
    for (int g = 0; g < bundle.planes; ++g) {
      const Strip<T>& plane = bundle.plane[g];
      gather<T>({plane.first, plane.row, plane.z}, bundle.rows, bundle.cells, block - g, values[g]);
      for (int s = 0; s < lanes; ++s) {
        const std::int64_t k = block + s - g;
        north[g][s] = k >= 0 && k < bundle.cells ? bundle.north[g].first[k * bundle.north[g].z] : T(0);
      }
    }
    for (int s = 0; s < lanes; ++s) {
      // With z reversed a row's vector holds its cells in the other order.
      const int at = reversed ? lanes - 1 - s : s;
      const std::int64_t step = block + s;
      for (int g = bundle.planes - 1; g >= 0; --g) {
        const Vector<T> next =
            cell(values[g][at], now[g], simd::shifted_in<T>(now[g], north[g][s]), g > 0 ? now[g - 1] : west[at]);
        // A lane that has not begun keeps what lies before its first cell, and one that has ended its last value.
        const std::int64_t begun = step - g, ended = step - g - bundle.cells;
        if (begun < lanes - 1 || ended >= 0) {
          const auto running = (lane <= simd::broadcast(static_cast<T>(begun < lanes ? begun : lanes))) &
                               (lane > simd::broadcast(static_cast<T>(ended)));
          now[g] = running ? next : now[g];
        } else {
          now[g] = next;
        }
        values[g][at] = now[g];
      }
    }
    for (int g = 0; g < bundle.planes; ++g) scatter(bundle.plane[g], bundle.rows, bundle.cells, block - g, values[g]);
  }
  for (int g = 0; g < bundle_planes; ++g)
    for (int l = 0; l < lanes; ++l) bundle.state[g][l] = now[g][l];
}

template <class T>
void chosen(Bundle<T>& bundle, const BundleRecurrence<T>& recurrence, std::int64_t first, std::int64_t last) {
  const bool loops = recurrence.loops > 0;
  if (recurrence.fast)
    loops ? sweep<T, true, true>(bundle, recurrence, first, last)
          : sweep<T, false, true>(bundle, recurrence, first, last);
  else
    loops ? sweep<T, true, false>(bundle, recurrence, first, last)
          : sweep<T, false, false>(bundle, recurrence, first, last);
}

}  // namespace

int lanes_f32() { return width<float>; }
int lanes_f64() { return width<double>; }
void sweep_f32(Bundle<float>& bundle, const BundleRecurrence<float>& recurrence, std::int64_t first,
               std::int64_t last) {
  chosen(bundle, recurrence, first, last);
}
void sweep_f64(Bundle<double>& bundle, const BundleRecurrence<double>& recurrence, std::int64_t first,
               std::int64_t last) {
  chosen(bundle, recurrence, first, last);
}

}  // namespace speedwell::wavefront::SPEEDWELL_ISA
