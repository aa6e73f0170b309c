// Kernels 3 and 4 of SSCA#1 with a sequence in each of 16 lanes: global alignment with linear gap costs, and
// semi-global alignment of a whole query with a part of main (Gotoh's recurrence) that propagates the begin of each
// path.
#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/core/simd/simd.hpp"

namespace speedwell::ssca1::SPEEDWELL_ISA {
namespace {

constexpr int lanes = core::simd::width<std::int32_t>;
typedef core::simd::Vector<std::int32_t> Vector;

inline Vector broadcast(std::int32_t value) { return core::simd::broadcast(value); }
/// Element k of an array whose lanes begin at `data`.
inline Vector& at(std::int32_t* data, std::size_t k) { return *reinterpret_cast<Vector*>(data + k * wide_lanes); }
inline Vector at(const std::int32_t* data, std::size_t k) {
  return *reinterpret_cast<const Vector*>(data + k * wide_lanes);
}

/// A score and the column in which its path begins.
struct Value {
  Vector score, begin;
};
/// Selects `b` in the lanes in which it is better.
inline Value better(const Value& a, const Value& b) {
  const Vector take = b.score > a.score;
  return {take ? b.score : a.score, take ? b.begin : a.begin};
}

/// The lanes from `part` on.
void differences(const DifferenceBatch& batch, int part) {
  const std::int32_t* const columns = batch.columns + part;
  std::int32_t* const row = batch.row + part;
  const Vector mismatch = broadcast(batch.mismatch), space = broadcast(batch.space), none = {};
  Vector border = none;
  for (std::size_t y = 0; y <= batch.column_count; ++y, border += space) at(row, y) = border;
  for (std::size_t x = 0; x < batch.length; ++x) {
    const Vector symbol = broadcast(batch.sequence[x]);
    Vector diagonal = at(row, 0), left = diagonal + space;
    at(row, 0) = left;
    for (std::size_t y = 0; y < batch.column_count; ++y) {
      const Vector above = at(row, y + 1);
      const Vector paired = diagonal + (at(columns, y) == symbol ? none : mismatch);
      const Vector alone = (above < left ? above : left) + space;
      left = paired < alone ? paired : alone;
      at(row, y + 1) = left;
      diagonal = above;
    }
  }
}

void similar(const SimilarBatch& batch, int part) {
  const Vector open = broadcast(batch.gap_open), extend = broadcast(batch.gap_extend);
  const Vector never = broadcast(INT32_MIN / 2);
  const std::size_t rows = batch.rows;
  std::int32_t* const v_score = batch.workspace + part;
  std::int32_t* const v_begin = v_score + (rows + 1) * wide_lanes;
  std::int32_t* const e_score = v_begin + (rows + 1) * wide_lanes;
  std::int32_t* const e_begin = e_score + (rows + 1) * wide_lanes;
  Vector border = -open;
  for (std::size_t x = 0; x <= rows; ++x, border -= extend) {
    at(v_score, x) = x == 0 ? Vector{} : border;
    at(v_begin, x) = Vector{};
    at(e_score, x) = never;
    at(e_begin, x) = Vector{};
  }
  for (std::int64_t column = batch.first; column < batch.last; ++column) {
    const std::int32_t symbol = batch.main[column];
    Value diagonal = {Vector{}, broadcast(static_cast<std::int32_t>(column - batch.first))};
    Value above = {Vector{}, diagonal.begin + 1};
    Value f = {never, Vector{}};
    for (std::size_t x = 1; x <= rows; ++x) {
      Vector s;
      if (batch.profile) {
        s = at(batch.profile + part, static_cast<std::size_t>(symbol) * rows + x - 1);
      } else {
        const std::uint8_t* const codes = batch.queries + (x - 1) * wide_lanes + static_cast<std::size_t>(part);
        for (int lane = 0; lane < lanes; ++lane) s[lane] = batch.scores[codes[lane] * batch.symbols + symbol];
      }
      const Value before = {at(v_score, x), at(v_begin, x)};
      Value e = better({before.score - open, before.begin}, {at(e_score, x), at(e_begin, x)});
      f = better({above.score - open, above.begin}, f);
      e.score -= extend;
      f.score -= extend;
      above = better(better({diagonal.score + s, diagonal.begin}, e), f);
      at(v_score, x) = above.score;
      at(v_begin, x) = above.begin;
      at(e_score, x) = e.score;
      at(e_begin, x) = e.begin;
      diagonal = before;
    }
    if (column < batch.owned) continue;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int32_t length = batch.lengths[part + lane];
      const auto last = static_cast<std::size_t>(length * wide_lanes + lane);
      if (length > 0 && v_score[last] >= batch.minimum_score)
        batch.found(batch.context, part + lane, column, v_score[last], v_begin[last]);
    }
  }
}

}  // namespace

void differences(const DifferenceBatch& batch) {
  for (int part = 0; part < wide_lanes; part += lanes) differences(batch, part);
}
void similar(const SimilarBatch& batch) {
  for (int part = 0; part < wide_lanes; part += lanes) similar(batch, part);
}

}  // namespace speedwell::ssca1::SPEEDWELL_ISA
