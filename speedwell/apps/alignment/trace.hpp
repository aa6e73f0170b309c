// Rows of one pair's table, and the way back from a cell through directions that are computed again from kept rows of H
// and F. The path does not depend on how many rows are kept, nor on what of the table is at hand, as long as every
// alignment as good as the best one that ends at the cell is in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment::trace {

// A direction: where H, E and F of a cell come from. A gap that could as well begin later goes on.
inline constexpr std::uint8_t from_diagonal = 1, from_e = 2, from_f = 3, source = 3;  // of H; 0: H is 0
inline constexpr std::uint8_t e_opens = 4, f_opens = 8;                               // only from H of the neighbour

/// H and F of one row, column 0 included. E and F are cut off at 0 here, where they no longer matter: 32 bits do.
struct Row {
  std::vector<std::int32_t> h, f;
  explicit Row(std::size_t columns) : h(columns + 1, 0), f(columns + 1, 0) {}
};

class Pair {
 public:
  Pair(Codes query, Codes subject, const Scoring& scoring)
      : query_(query), subject_(subject), matrix_(scoring.matrix.data()) {
    // A gap that costs as much as any score is never taken: larger costs are the same.
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    first_ = static_cast<std::int32_t>(std::min(std::int64_t{scoring.gap_open} + scoring.gap_extend, most));
    next_ = scoring.gap_extend;
  }

  /// Turns row i - 1 into row i, columns 1 … columns, and calls cell(j, h, paired, e, f, e_longer, f_longer), the last two
  /// being what e and f are if their gaps go on.
  template <class Cell>
  void advance(Row& row, std::size_t i, std::size_t columns, const Cell& cell) const {
    const std::int8_t* const scores = matrix_ + query_[i - 1] * code_limit;
    std::int32_t* const h = row.h.data();
    std::int32_t* const f = row.f.data();
    std::int32_t diagonal = 0, left = 0, e = 0;
    for (std::size_t j = 1; j <= columns; ++j) {
      const std::int32_t above = h[j];
      const std::int32_t e_longer = e - next_, f_longer = f[j] - next_;
      e = std::max({e_longer, left - first_, 0});
      f[j] = std::max({f_longer, above - first_, 0});
      const std::int32_t paired = diagonal + scores[subject_[j - 1]];
      left = h[j] = std::max({paired, e, f[j]});
      cell(j, left, paired, e, f[j], e_longer, f_longer);
      diagonal = above;
    }
  }
  void advance(Row& row, std::size_t i, std::size_t columns) const {
    advance(row, i, columns, [](auto...) {});
  }

  void directions(Row& row, std::size_t i, std::size_t columns, std::uint8_t* out) const {
    advance(row, i, columns, [&](std::size_t j, auto h, auto paired, auto e, auto f, auto e_longer, auto f_longer) {
      const std::uint8_t of_h = h == 0 ? 0 : h == paired ? from_diagonal : h == e ? from_e : from_f;
      out[j - 1] = static_cast<std::uint8_t>(of_h | (e > e_longer ? e_opens : 0) | (f > f_longer ? f_opens : 0));
    });
  }

  bool equal(std::size_t i, std::size_t j) const { return query_[i - 1] == subject_[j - 1]; }

 private:
  Codes query_, subject_;
  const std::int8_t* matrix_;
  std::int32_t first_, next_;
};

/// What comes before a place on the path: the cell itself, or a gap that its letter is in.
enum class In { h, e, f, done };

/// After `i` query letters and `j` subject letters.
struct Place {
  std::int64_t i = 0, j = 0;
  In in = In::h;
  friend bool operator==(const Place&, const Place&) = default;
};

inline void add(std::vector<Columns>& path, char operation, std::int64_t count = 1) {
  if (!path.empty() && path.back().operation == operation)
    path.back().count += count;
  else
    path.push_back({operation, count});
}

namespace detail {

class Trace {
 public:
  Trace(const Pair& pair, const Place& from, std::size_t table_bytes, std::vector<Columns>& path)
      : pair_(pair),
        table_bytes_(table_bytes),
        i_(static_cast<std::size_t>(from.i)),
        j_(static_cast<std::size_t>(from.j)),
        in_(from.in),
        path_(path) {}

  Place place() const { return {static_cast<std::int64_t>(i_), static_cast<std::int64_t>(j_), in_}; }

  /// Goes back from (i_, j_), i_ <= last, until row `first` or the path's begin. `row` is row `first`.
  void follow(std::size_t first, std::size_t last, Row row) {
    const std::size_t rows = last - first;
    if (rows <= 1 || rows <= table_bytes_ / j_) {
      follow_in_table(first, last, std::move(row));
      return;
    }
    const std::size_t kept_rows = std::max<std::size_t>(table_bytes_ / (sizeof(std::int32_t) * 2 * (j_ + 1)), 1);
    const std::size_t table_rows = std::max<std::size_t>(table_bytes_ / j_, 1);
    const std::size_t needed = (rows + table_rows - 1) / table_rows;
    const std::size_t pieces = std::min({needed, kept_rows + 1, rows});
    const auto begin_of = [&](std::size_t piece) {  // rows * piece / pieces without overflow
      return first + rows / pieces * piece + std::min(rows % pieces, piece);
    };
    std::vector<Row> begins;
    begins.push_back(std::move(row));
    for (std::size_t piece = 1; piece < pieces; ++piece) {
      Row next = begins.back();
      for (std::size_t i = begin_of(piece - 1) + 1; i <= begin_of(piece); ++i) pair_.advance(next, i, j_);
      begins.push_back(std::move(next));
    }
    for (std::size_t piece = pieces; piece-- > 0 && in_ != In::done;) {
      if (i_ > begin_of(piece)) follow(begin_of(piece), i_, std::move(begins[piece]));
      begins.pop_back();
    }
  }

 private:
  void follow_in_table(std::size_t first, std::size_t last, Row row) {
    const std::size_t columns = j_;
    std::vector<std::uint8_t> table((last - first) * columns);
    for (std::size_t i = first + 1; i <= last; ++i)
      pair_.directions(row, i, columns, table.data() + (i - first - 1) * columns);
    while (i_ > first && j_ > 0 && in_ != In::done) {
      const std::uint8_t cell = table[(i_ - first - 1) * columns + j_ - 1];
      switch (in_) {
        case In::h:
          if ((cell & source) == from_diagonal) {
            add(path_, pair_.equal(i_, j_) ? '=' : 'X');
            --i_;
            --j_;
          } else {
            in_ = (cell & source) == from_e ? In::e : (cell & source) == from_f ? In::f : In::done;
          }
          break;
        case In::e:
          add(path_, 'D');
          if (cell & e_opens) in_ = In::h;
          --j_;
          break;
        case In::f:
          add(path_, 'I');
          if (cell & f_opens) in_ = In::h;
          --i_;
          break;
        case In::done:
          break;
      }
    }
    if (j_ == 0) in_ = In::done;
  }

  const Pair& pair_;
  std::size_t table_bytes_;
  std::size_t i_, j_;
  In in_;
  std::vector<Columns>& path_;
};

}  // namespace detail

/// Goes back from `place` to the path's begin (In::done) or to row 0, of which `top` has H and F, and appends the
/// columns in the order met. `table_bytes`: see AlignOptions.
inline void follow(const Pair& pair, Place& place, Row top, std::size_t table_bytes, std::vector<Columns>& path) {
  detail::Trace trace(pair, place, table_bytes, path);
  trace.follow(0, static_cast<std::size_t>(place.i), std::move(top));
  place = trace.place();
}

/// The alignment whose columns, met on the way back, are `path`.
Alignment finish(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end, const Place& begin,
                 std::vector<Columns> path);

}  // namespace speedwell::alignment::trace
