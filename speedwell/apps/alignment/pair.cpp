// One pair: the best cell in one pass over the rows, and the way back from it through directions that are computed
// again from kept rows of H and F, so that memory stays bounded and the path does not depend on the bound.
#include <algorithm>
#include <limits>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {
namespace {

// A direction: where H, E and F of a cell come from.
constexpr std::uint8_t from_diagonal = 1, from_e = 2, from_f = 3, source = 3;  // of H; 0: H is 0
constexpr std::uint8_t e_opens = 4, f_opens = 8;  // from H of the neighbour, and from nothing else

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

  /// Turns row i - 1 into row i, columns 1 … columns, and calls cell(j, h, paired, e, f, e_opens, f_opens). A gap that
  /// could as well go on does not open.
  template <class Cell>
  void advance(Row& row, std::size_t i, std::size_t columns, const Cell& cell) const {
    const std::int8_t* const scores = matrix_ + query_[i - 1] * code_limit;
    std::int32_t* const h = row.h.data();
    std::int32_t* const f = row.f.data();
    std::int32_t diagonal = 0, left = 0, e = 0;
    for (std::size_t j = 1; j <= columns; ++j) {
      const std::int32_t above = h[j];
      const std::int32_t e_opened = left - first_, f_opened = above - first_;
      const std::int32_t e_extended = e - next_, f_extended = f[j] - next_;
      e = std::max({e_extended, e_opened, 0});
      f[j] = std::max({f_extended, f_opened, 0});
      const std::int32_t paired = diagonal + scores[subject_[j - 1]];
      left = h[j] = std::max({paired, e, f[j]});
      cell(j, left, paired, e, f[j], e_opened > e_extended, f_opened > f_extended);
      diagonal = above;
    }
  }
  void advance(Row& row, std::size_t i, std::size_t columns) const {
    advance(row, i, columns, [](auto...) {});
  }

  EndPoint find_end() const {
    EndPoint end;
    Row row(subject_.size());
    for (std::size_t i = 1; i <= query_.size(); ++i)
      advance(row, i, subject_.size(), [&](std::size_t j, std::int32_t h, auto...) {
        if (h > end.score) end = {h, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
      });
    return end;
  }

  void directions(Row& row, std::size_t i, std::size_t columns, std::uint8_t* out) const {
    advance(row, i, columns, [&](std::size_t j, auto h, auto paired, auto e, auto, bool e_open, bool f_open) {
      const std::uint8_t of_h = h == 0 ? 0 : h == paired ? from_diagonal : h == e ? from_e : from_f;
      out[j - 1] = static_cast<std::uint8_t>(of_h | (e_open ? e_opens : 0) | (f_open ? f_opens : 0));
    });
  }

  bool equal(std::size_t i, std::size_t j) const { return query_[i - 1] == subject_[j - 1]; }

 private:
  Codes query_, subject_;
  const std::int8_t* matrix_;
  std::int32_t first_, next_;
};

/// The way back from a cell; the path is collected from its end.
class Trace {
 public:
  Trace(const Pair& pair, EndPoint end, std::size_t table_bytes)
      : pair_(pair),
        table_bytes_(table_bytes),
        i_(static_cast<std::size_t>(end.query_end)),
        j_(static_cast<std::size_t>(end.subject_end)) {
    follow(0, i_, Row(j_));
    std::reverse(path_.begin(), path_.end());
  }

  std::size_t query_begin() const { return i_ + 1; }
  std::size_t subject_begin() const { return j_ + 1; }
  std::vector<Columns> path() && { return std::move(path_); }

 private:
  enum class In { h, e, f, done };

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
            add(pair_.equal(i_, j_) ? '=' : 'X');
            --i_;
            --j_;
          } else {
            in_ = (cell & source) == from_e ? In::e : (cell & source) == from_f ? In::f : In::done;
          }
          break;
        case In::e:
          add('D');
          if (cell & e_opens) in_ = In::h;
          --j_;
          break;
        case In::f:
          add('I');
          if (cell & f_opens) in_ = In::h;
          --i_;
          break;
        case In::done:
          break;
      }
    }
    if (i_ == 0 || j_ == 0) in_ = In::done;
  }

  void add(char operation) {
    if (!path_.empty() && path_.back().operation == operation)
      ++path_.back().count;
    else
      path_.push_back({operation, 1});
  }

  const Pair& pair_;
  std::size_t table_bytes_;
  std::size_t i_, j_;
  In in_ = In::h;
  std::vector<Columns> path_;
};

void count_columns(Codes query, Codes subject, const SubstitutionMatrix& matrix, Alignment& alignment) {
  auto i = static_cast<std::size_t>(alignment.query_begin) - 1,
       j = static_cast<std::size_t>(alignment.subject_begin) - 1;
  for (const auto& [operation, count] : alignment.path) {
    alignment.columns += count;
    const auto letters = static_cast<std::size_t>(count);
    if (operation == 'I' || operation == 'D') {
      ++alignment.gap_opens;
      (operation == 'I' ? i : j) += letters;
      continue;
    }
    (operation == '=' ? alignment.identities : alignment.mismatches) += count;
    for (std::size_t k = 0; k < letters; ++k) alignment.positives += matrix.score(query[i + k], subject[j + k]) > 0;
    i += letters;
    j += letters;
  }
}

}  // namespace

EndPoint find_end(Codes query, Codes subject, const Scoring& scoring) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  return Pair(query, subject, scoring).find_end();
}

Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  const Pair pair(query, subject, scoring);
  const EndPoint end = pair.find_end();
  if (end.score == 0) return {};
  Trace trace(pair, end, options.table_bytes);
  Alignment alignment;
  alignment.score = end.score;
  alignment.query_begin = static_cast<std::int32_t>(trace.query_begin());
  alignment.query_end = end.query_end;
  alignment.subject_begin = static_cast<std::int32_t>(trace.subject_begin());
  alignment.subject_end = end.subject_end;
  alignment.path = std::move(trace).path();
  count_columns(query, subject, scoring.matrix, alignment);
  return alignment;
}

}  // namespace speedwell::alignment
