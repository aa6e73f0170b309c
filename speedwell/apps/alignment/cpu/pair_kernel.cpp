// A tile of Gotoh's recurrence in striped vectors (Farrar, Bioinformatics 23 (2007) 156), rows one after another: lane
// l holds the l-th of `lanes` equal segments of the tile's columns. E goes along a row, so that what a segment gets
// from the one before is corrected afterwards: once as far as it goes, and if it goes through a whole segment, by a
// prefix scan over the lanes (as in Daily, BMC Bioinformatics 17 (2016) 81), after which one more pass is enough. A row
// thus costs three passes at worst, where Farrar's loop may take one for every lane.
//
// Lanes of 8 and 16 bits hold H - base, cut off at both ends. Below, that is the 0 of the recurrence (base 0) or below
// every value of the tile (see Tile::base); above, H past range - highest is seen at the end of its row, before
// anything that was cut off is used.
#include "speedwell/apps/alignment/cpu/pair_kernel.hpp"

#include "speedwell/apps/alignment/cpu/lanes.hpp"

namespace speedwell::alignment::SPEEDWELL_ISA {
namespace {

/// The layout of a tile's vectors in its workspace. Column c is lane c / stripe of vector c % stripe.
template <class Lane>
struct Stripes {
  typedef Vector<Lane> V;
  static constexpr int lanes = width<Lane>;

  std::size_t stripe;  // vectors in a row
  V *profile[32], *h, *f, *kept;
  Lane *h_out, *e_out;

  explicit Stripes(const Tile& t) : stripe((t.columns + lanes - 1) / lanes) {
    const std::size_t padded = (t.columns + 63) / 64 * 64;
    auto* at = reinterpret_cast<Lane*>(t.workspace);
    for (int k = 0; k < t.query_symbol_count; ++k, at += padded) profile[t.query_symbols[k]] = reinterpret_cast<V*>(at);
    h = reinterpret_cast<V*>(at);
    f = reinterpret_cast<V*>(at += padded);
    kept = reinterpret_cast<V*>(at += padded);
    auto* const codes = reinterpret_cast<std::uint8_t*>(at += padded);
    auto* const narrow = reinterpret_cast<std::int8_t*>(codes + padded);
    h_out = reinterpret_cast<Lane*>(codes + 2 * padded);
    e_out = h_out + (t.rows + 63) / 64 * 64;

    for (std::size_t p = 0; p < padded; ++p) codes[p] = 0;
    for_columns(t.columns, [&](std::size_t index, std::size_t column) { codes[index] = t.subject[column]; });
    for (int k = 0; k < t.query_symbol_count; ++k) {
      Lane* const scores = reinterpret_cast<Lane*>(profile[t.query_symbols[k]]);
      look_up(t.scores + t.query_symbols[k] * 32, codes, narrow, padded);
      for (std::size_t p = 0; p < stripe * lanes; ++p) scores[p] = narrow[p];
      // A column past the end costs more than any gap: no score there is as high as the highest of its row.
      for (std::size_t c = t.columns; c < stripe * lanes; ++c)
        scores[c % stripe * lanes + c / stripe] =
            sizeof(Lane) == 4 ? static_cast<Lane>(-2147483647) : static_cast<Lane>(Lanes<Lane>::minimum);
    }
  }

  /// Calls use(index in the vectors, column) for each column.
  template <class Use>
  void for_columns(std::size_t columns, const Use& use) const {
    for (std::size_t first = 0, lane = 0; first < columns; first += stripe, ++lane) {
      const std::size_t count = columns - first < stripe ? columns - first : stripe;
      for (std::size_t k = 0; k < count; ++k) use(k * lanes + lane, first + k);
    }
  }
};

/// The row's gaps that begin in one segment and end in another.
template <class Lane>
class Carry {
  typedef Vector<Lane> V;
  static constexpr int lanes = Stripes<Lane>::lanes;

 public:
  Carry(const Stripes<Lane>& at, V first, V next, std::int64_t gap_next) : at_(at), first_(first), next_(next) {
    // A gap through 1, 2, 4 … segments; one that costs the whole range of a lane has no effect.
    constexpr std::int64_t range = Lanes<Lane>::greatest - Lanes<Lane>::minimum, part = Lanes<Lane>::greatest;
    for (int distance = 1; distance < lanes; distance *= 2) {
      const std::int64_t steps = distance * static_cast<std::int64_t>(at.stripe);
      if (gap_next > 0 && steps >= (range + gap_next - 1) / gap_next) break;
      const std::int64_t cost = steps * gap_next, in_one = cost < part ? cost : part;
      through_[scans_][0] = broadcast<Lane>(in_one);
      through_[scans_++][1] = broadcast<Lane>(cost - in_one);
    }
  }

  /// `e` enters the segment after each lane's; returns the same with the carries, and corrects H and F.
  V correct(V e) {
    if (!far_) {
      V carry = shifted<Lane, 1>(e);
      if (!spread(carry)) return e;
      e = max(e, carry);
    }
    V carry = shifted<Lane, 1>(e);
    scan<1>(carry, 0);
    far_ = spread(carry);
    return far_ ? max(e, carry) : e;
  }

 private:
  /// Extends a gap into each segment as far as it changes H there; true if one leaves a segment at its end.
  bool spread(V& carry) const {
    for (std::size_t k = 0; k < at_.stripe; ++k) {
      const V h = at_.h[k];
      at_.h[k] = max(h, carry);
      at_.f[k] = max(at_.f[k], minus<Lane>(carry, first_));
      carry = minus<Lane>(carry, next_);
      // Gaps that open here have been extended already; a carry that is no better changes nothing further on.
      if (!any_above(carry, minus<Lane>(h, first_))) return false;
    }
    return true;
  }

  /// carry[l] = max over l' <= l of carry[l'] - (l - l') * stripe * next.
  template <int distance>
  void scan(V& carry, int step) const {
    if (step >= scans_) return;
    carry = max(carry, minus<Lane>(minus<Lane>(shifted<Lane, distance>(carry), through_[step][0]), through_[step][1]));
    if constexpr (2 * distance < lanes) scan<2 * distance>(carry, step + 1);
  }

  const Stripes<Lane>& at_;
  const V first_, next_;
  V through_[6][2];
  int scans_ = 0;
  bool far_ = false;  // the row before had a gap through a whole segment: so may this one
};

template <class Lane>
bool score(Tile& t) {
  typedef Vector<Lane> V;
  constexpr int lanes = Stripes<Lane>::lanes;
  constexpr std::int64_t minimum = Lanes<Lane>::minimum, greatest = Lanes<Lane>::greatest;
  const auto narrow = [&](std::int32_t value) {
    const std::int64_t above = std::int64_t{value} - t.base;
    return static_cast<Lane>((above > 0 ? above : 0) + minimum);
  };
  const auto wide = [&](Lane value) { return static_cast<std::int32_t>(value - minimum + t.base); };

  const Stripes<Lane> at(t);
  const std::size_t stripe = at.stripe;
  const V lowest = broadcast<Lane>(minimum);
  for (std::size_t k = 0; k < stripe; ++k) at.h[k] = at.f[k] = lowest;
  {
    auto* const h = reinterpret_cast<Lane*>(at.h);
    auto* const f = reinterpret_cast<Lane*>(at.f);
    at.for_columns(t.columns, [&](std::size_t index, std::size_t column) {
      h[index] = narrow(t.top_h[column]);
      f[index] = narrow(t.top_f[column]);
    });
  }

  const V first = broadcast<Lane>(t.gap_first), next = broadcast<Lane>(t.gap_next);
  Carry<Lane> carry(at, first, next, t.gap_next);
  // 32 bits hold every score: see require_exact().
  const std::int64_t maximum = sizeof(Lane) == 4 ? greatest : greatest - t.highest;
  const std::int64_t sought = std::int64_t{t.threshold} - 1 - t.base;
  std::int64_t limit = (sought > 0 ? sought : 0) + minimum;
  if (limit > maximum) limit = maximum;
  V notable = broadcast<Lane>(limit);
  t.best = 0;
  std::int32_t above_left = t.corner;
  for (std::size_t i = 0; i < t.rows; ++i) {
    const V* const profile = at.profile[t.query[i]];
    V diagonal = shifted<Lane, 1>(at.h[stripe - 1]);
    diagonal[0] = narrow(above_left);
    above_left = t.left_h[i];
    V e = lowest;
    e[0] = narrow(t.left_e[i]);
    V highest = lowest;
    for (std::size_t k = 0; k < stripe; ++k) {
      const V f = at.f[k];
      const V without_e = max(plus<Lane>(diagonal, profile[k]), f), h = max(without_e, e);
      highest = max(highest, h);
      diagonal = at.h[k];
      at.h[k] = h;
      at.f[k] = max(minus<Lane>(f, next), minus<Lane>(h, first));
      // A gap that opens behind a gap is no better than that one going on: two operations from E to E, not three.
      e = max(minus<Lane>(e, next), minus<Lane>(without_e, first));
    }
    e = carry.correct(e);  // raises no maximum: a gap is lower than the cell where it begins
    at.h_out[i] = reinterpret_cast<const Lane*>(at.h + stripe - 1)[lanes - 1];
    at.e_out[i] = e[lanes - 1];
    if (any_above(highest, notable)) {
      const Lane found = largest<Lane>(highest);
      if (found > maximum) return false;
      for (std::size_t k = 0; k < stripe; ++k) at.kept[k] = at.h[k];
      t.best = wide(found);
      t.best_row = i;
      notable = broadcast<Lane>(found);
    }
  }

  if (t.best > 0) {
    const Lane found = narrow(t.best);
    const auto* const kept = reinterpret_cast<const Lane*>(at.kept);
    t.best_column = t.columns;
    at.for_columns(t.columns, [&](std::size_t index, std::size_t column) {
      if (kept[index] == found && column < t.best_column) t.best_column = column;
    });
  }
  const auto* const h = reinterpret_cast<const Lane*>(at.h);
  const auto* const f = reinterpret_cast<const Lane*>(at.f);
  at.for_columns(t.columns, [&](std::size_t index, std::size_t column) {
    t.top_h[column] = wide(h[index]);
    t.top_f[column] = wide(f[index]);
  });
  for (std::size_t i = 0; i < t.rows; ++i) {
    t.left_h[i] = wide(at.h_out[i]);
    t.left_e[i] = wide(at.e_out[i]);
  }
  return true;
}

template <class Lane>
constexpr TileKernel kernel() {
  return {Lanes<Lane>::greatest - Lanes<Lane>::minimum, Lanes<Lane>::greatest, score<Lane>};
}

}  // namespace

extern const TileKernels tile_kernels = {kernel<std::int8_t>(), kernel<std::int16_t>(), kernel<std::int32_t>()};

}  // namespace speedwell::alignment::SPEEDWELL_ISA
