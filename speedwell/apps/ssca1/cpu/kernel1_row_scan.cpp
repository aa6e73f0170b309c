#include "speedwell/apps/ssca1/cpu/kernel1_row_scan.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/team_member.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::int32_t no_path = INT32_MIN / 2;
constexpr std::int64_t min_part = 512;  // columns per thread; with fewer, the barrier costs more than it saves

/// The current row, by column from 1; column 0 is the border.
struct Rows {
  std::vector<std::int32_t> h_above, h, h_row, e_row, f;
  explicit Rows(std::int64_t columns)
      : h_above(static_cast<std::size_t>(columns + 1), 0),
        h(h_above),
        h_row(h_above),
        e_row(h_above),
        f(h_above.size(), no_path) {}
};

/// Called with the finished row by one thread, while the others wait at a barrier.
using Observer = std::function<void(std::int64_t row, const Rows& rows)>;

class RowScan {
 public:
  RowScan(const TableProblem& table, int threads, const Observer& observe)
      : table_(table),
        observe_(observe),
        rows_(table.columns()),
        parts_(std::clamp<std::int64_t>(table.columns() / min_part, 1, core::resolve_threads(threads))),
        totals_(static_cast<std::size_t>(parts_)),
        found_(static_cast<std::size_t>(parts_), Candidates(table.rules)) {}

  Endpoints run() {
    // A parallel region may have fewer threads than requested; the parts are then distributed over these.
#pragma omp parallel num_threads(static_cast <int>(parts_))
    {
      const auto [rank, ranks] = core::team_member();
      for (std::int64_t i = 0; i < table_.rows(); ++i) {
        for (std::int64_t p = rank; p < parts_; p += ranks) from_row_above(i, p);
#pragma omp barrier
        for (std::int64_t p = rank; p < parts_; p += ranks) along_row(i, p);
#pragma omp barrier
#pragma omp single
        {
          if (observe_) observe_(i, rows_);
          std::swap(rows_.h, rows_.h_above);
        }
      }
    }
    Candidates all(table_.rules);
    for (const Candidates& found : found_) all.add(found);
    return all.finish();
  }

 private:
  std::size_t first_column(std::int64_t part) const {
    return static_cast<std::size_t>(table_.columns() * part / parts_ + 1);
  }

  /// F and H~ of a part, and E~ without the preceding parts; the total of the part is E~ + gap_extend after its last
  /// column.
  void from_row_above(std::int64_t i, std::int64_t part) {
    const std::int32_t open = table_.scoring.gap_open(), extend = table_.scoring.gap_extend();
    const std::int32_t* const scores =
        table_.scoring.scores().data() +
        static_cast<std::ptrdiff_t>(table_.match[static_cast<std::size_t>(i)]) * table_.scoring.symbols();
    const std::size_t first = first_column(part), last = first_column(part + 1);
    const std::uint8_t* const main = table_.main.data();
    const std::int32_t* const h_above = rows_.h_above.data();
    std::int32_t *const f = rows_.f.data(), *const h_row = rows_.h_row.data(), *const e_row = rows_.e_row.data();
#pragma omp simd
    for (std::size_t j = first; j < last; ++j) {
      f[j] = std::max(f[j], h_above[j] - open) - extend;
      h_row[j] = std::max(std::max(h_above[j - 1] + scores[main[j - 1]], f[j]), 0);
    }
    std::int32_t e = no_path;
    for (std::size_t j = first; j < last; ++j) {
      e_row[j] = e - extend;
      e = std::max(e - extend, h_row[j]);
    }
    totals_[static_cast<std::size_t>(part)] = e;
  }

  /// Adds the preceding parts to E~, and computes H and the candidates of the part.
  void along_row(std::int64_t i, std::int64_t part) {
    const std::int64_t open = table_.scoring.gap_open(), extend = table_.scoring.gap_extend();
    std::int64_t before =
        0;  // H~ of the border, then the maximum over all columns before `first`, as if it were at first - 1
    for (std::int64_t p = 0; p < part; ++p) {
      const auto columns = static_cast<std::int64_t>(first_column(p + 1) - first_column(p));
      before = std::max<std::int64_t>(before - columns * extend, totals_[static_cast<std::size_t>(p)]);
    }
    Candidates& found = found_[static_cast<std::size_t>(part)];
    const std::size_t first = first_column(part), last = first_column(part + 1);
    std::int32_t best = 0;
    for (std::size_t j = first; j < last; ++j) {
      const std::int64_t reach = before - static_cast<std::int64_t>(j - first + 1) * extend;
      rows_.e_row[j] = static_cast<std::int32_t>(std::max<std::int64_t>(rows_.e_row[j], reach));
      rows_.h[j] = std::max(rows_.h_row[j], rows_.e_row[j] - static_cast<std::int32_t>(open));
      best = std::max(best, rows_.h[j]);
    }
    if (best < found.threshold()) return;
    for (std::size_t j = first; j < last; ++j)
      table_.look_at(i, static_cast<std::int64_t>(j) - 1, rows_.h[j], rows_.h_above[j - 1], found);
  }

  const TableProblem& table_;
  const Observer& observe_;
  Rows rows_;
  std::int64_t parts_;
  std::vector<std::int32_t> totals_;
  std::vector<Candidates> found_;
};

}  // namespace

Endpoints row_scan_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                         const Options& options) {
  require_valid(main, match, scoring, rules);
  const TableProblem table{main, match, scoring, rules};
  const Observer no_observer;
  return RowScan(table, options.threads, no_observer).run();
}

RowScanTables row_scan_tables(Codes main, Codes match, const Scoring& scoring, const Options& options) {
  const EndpointRules rules{};
  require_valid(main, match, scoring, rules);
  const TableProblem table{main, match, scoring, rules};
  RowScanTables made;
  const Observer keep = [&](std::int64_t, const Rows& rows) {
    const auto append = [](std::vector<std::int32_t>& to, const std::vector<std::int32_t>& row) {
      to.insert(to.end(), row.begin() + 1, row.end());
    };
    append(made.h, rows.h);
    append(made.h_row, rows.h_row);
    append(made.e_row, rows.e_row);
    append(made.f, rows.f);
  };
  RowScan(table, options.threads, keep).run();
  return made;
}

void exclusive_decaying_maximum(std::span<std::int32_t> values, std::int32_t decay) {
  const std::size_t n = values.size();
  if (!std::has_single_bit(n))
    throw std::invalid_argument("a scan of " + std::to_string(n) + " values: it must be a power of two");
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t k = 0; k < n; k += 2 * half) {
      const std::int32_t reach = static_cast<std::int32_t>(half) * decay;
      values[k + 2 * half - 1] = std::max(values[k + half - 1], values[k + 2 * half - 1] + reach);
    }
  values[n - 1] = 0;
  for (std::size_t half = n / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < n; k += 2 * half) {
      const std::int32_t reach = static_cast<std::int32_t>(half) * decay;
      const std::int32_t left = values[k + half - 1];
      values[k + half - 1] = values[k + 2 * half - 1];
      values[k + 2 * half - 1] = std::max(left, values[k + 2 * half - 1]) - reach;
    }
}

}  // namespace speedwell::ssca1
