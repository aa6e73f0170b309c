#include "speedwell/apps/stencil/adapter_work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace speedwell::stencil {
namespace {

harness::Arithmetic arithmetic_of(double word) {
  return word == sizeof(float) ? harness::Arithmetic::f32 : harness::Arithmetic::f64;
}

// As written in point.hpp; the factors of a face are computed once.
double operations_of(Form form) {
  switch (form) {
    case Form::cell_metric:
      return 11;
    case Form::constant:
      return 10;
    case Form::face_metric:
      return 26;
    case Form::face_coefficient:
      return 20;
    case Form::general:
      break;
  }
  return 13;
}

bool is_file(const Spec& spec) { return spec.assembled() && spec.matrix != "7-point" && spec.matrix != "27-point"; }

// A product of a matrix of which `stored` bytes are read.
harness::Work sparse_work(double rows, double columns, double entries, double stored, double word) {
  const double read = stored + columns * word;
  return {.operations = 2 * entries,
          .arithmetic = arithmetic_of(word),
          .bytes_read = read,
          .bytes_written = rows * word,
          .updates = rows,
          .working_set = read + rows * word};
}

// What rows of a format read of a matrix: values, columns, offsets.
double rows_bytes(double rows, double entries, double word, double offset) {
  return entries * (word + 4) + rows * offset;
}
// Blocks of 2: of a box, each neighbour of two cells side by side is in one; larger ones of a box take more.
double blocks_bytes(double rows, double neighbours, double word) {
  return rows / 2 * (neighbours * (4 * word + 4) + 8);
}

enum class Format { rows, narrow_rows, slices, diagonals, blocks };
Format format_of(std::string_view row, double slices, double diagonals) {
  if (row == "cuda") return diagonals_win(diagonals, slices) ? Format::diagonals : Format::slices;
  if (row == "cusparse") return Format::narrow_rows;  // offsets of 4 bytes
  if (row == "cuda-sell" || row == "openmp-ell" || row == "cusparse-sell") return Format::slices;
  if (row == "cuda-dia" || row == "openmp-dia") return Format::diagonals;
  if (row == "cuda-bsr" || row == "openmp-bsr" || row == "cusparse-bsr") return Format::blocks;
  return Format::rows;
}

// Words that an iteration reads and writes of each cell.
struct Words {
  double read, written;
};
// Two passes: p' from r and p; x and r from p', x, r. Preconditioners: 1 / D beside; z out and in.
Words passes_of(Preconditioner preconditioner) {
  return {preconditioner == Preconditioner::none ? 5.0 : 7.0, preconditioner == Preconditioner::polynomial ? 4.0 : 3.0};
}

// 132 multiprocessors of 16384 cells in double each; more than any CPU's second-level caches hold. Bricks that do not
// divide a box take fewer cells: this is the most.
bool fits_on_chip(const Spec& spec, double word) {
  constexpr double bytes = 132.0 * 16384 * 8;
  return spec.cg.preconditioner == Preconditioner::none &&
         static_cast<double>(spec.problem.grid.size()) * word <= bytes;
}

harness::Work cg_work(const Spec& spec, double word, const Words& words, double fields) {
  const double n = static_cast<double>(spec.problem.grid.size()), steps = spec.steps;
  harness::Work all{.operations = steps * n * (operations_of(Form::constant) + 10),
                    .arithmetic = arithmetic_of(word),
                    .bytes_read = steps * n * word * words.read,
                    .bytes_written = steps * n * word * words.written,
                    .updates = steps * n,
                    .working_set = fields * n * word};
  return all;
}

// How many iterations a tolerance takes is no property of the problem: b, the matrix and x once.
harness::Work solution_work(const Spec& spec, double word, double rows, double entries) {
  const double matrix = spec.assembled() ? rows_bytes(rows, entries, word, 4) : 0;
  return {.operations = 2 * (spec.assembled() ? entries : 7 * rows),
          .arithmetic = arithmetic_of(word),
          .bytes_read = matrix + rows * word,
          .bytes_written = rows * word,
          .updates = rows,
          .working_set = matrix + 4 * rows * word,
          .no_limit = "how many iterations a tolerance takes is no property of the problem"};
}

// `passes` over memory for all sweeps, of `operations` a cell and sweep.
harness::Work product_work(const Spec& spec, double word, double passes, double operations) {
  const double n = static_cast<double>(spec.problem.grid.size());
  const double times = spec.kernel == Kernel::jacobi ? spec.steps : 1;
  const int fields = cell_fields(spec.problem.form);
  return {.operations = times * n * operations,
          .arithmetic = arithmetic_of(word),
          .bytes_read = passes * (1 + fields) * n * word,
          .bytes_written = passes * n * word,
          .updates = times * n,
          .working_set = (2 + fields) * n * word};
}

// On all cores and on a GPU four sweeps a pass; one elsewhere. On a GPU a cell takes 7 instructions of the pipe that
// multiplies and adds, each of which could be two operations, and tiles of 64 x 40 cells in double, 128 x 40 in float,
// keep 56 x 32 and 120 x 32.
harness::Work sweeps_work(std::string_view row, const Spec& spec, double word) {
  constexpr int max_depth = 4;
  const double own = operations_of(Form::constant);
  if (row != "cuda" && row != "openmp") return product_work(spec, word, spec.steps, own);
  const double passes = std::ceil(static_cast<double>(spec.steps) / max_depth);
  if (row == "openmp") return product_work(spec, word, passes, own);
  const double again = spec.steps % max_depth != 0 ? 1 : word == 4 ? 128.0 * 40 / (120 * 32) : 64.0 * 40 / (56 * 32);
  return product_work(spec, word, passes, 14 * again);
}

harness::Work iterations_work(std::string_view row, const Spec& spec, double word) {
  if (row == "cuda" && fits_on_chip(spec, word)) return cg_work(spec, word, {1, 1}, 2);  // x alone is not on the chip
  if (row == "cuda-naive" || row == "cuda-tile") return cg_work(spec, word, {10, 4}, 4);
  if (row == "openmp-textbook" || row == "cuda-fused" || row == "cuda-pinned" || row == "cuda-mapped")
    return cg_work(spec, word, {7, 4}, 4);
  return cg_work(spec, word, passes_of(spec.cg.preconditioner), 4);
}

}  // namespace

Entries entries_of(const Spec& spec) {
  if (is_file(spec)) return {};
  const double n = static_cast<double>(spec.problem.grid.size());
  if (spec.matrix == "27-point") return {27 * n, 27};
  return {7 * n, spec.problem.boundary == Boundary::periodic ? 13.0 : 7.0};
}

harness::Work best_work(const Spec& spec, double word) {
  const double n = static_cast<double>(spec.problem.grid.size());
  const auto [entries, diagonals] = entries_of(spec);
  switch (spec.kernel) {
    case Kernel::spmv: {
      const double least = std::min(rows_bytes(n, entries, word, 0), diagonals_bytes(n, diagonals, word));
      return sparse_work(n, n, entries, least, word);
    }
    case Kernel::cg:
      if (spec.cg.tolerance > 0) return solution_work(spec, word, n, entries);
      // Once b and x where the iterations stay on the chip.
      return cg_work(
          spec, word,
          fits_on_chip(spec, word) ? Words{1.0 / spec.steps, 1.0 / spec.steps} : passes_of(spec.cg.preconditioner), 4);
    case Kernel::sum:
      return {.operations = 2 * n,
              .arithmetic = arithmetic_of(word),
              .bytes_read = n * word,
              .bytes_written = sizeof(double),
              .updates = n,
              .working_set = n * word};
    case Kernel::jacobi:
    case Kernel::product:
      break;
  }
  return product_work(spec, word, 1, operations_of(spec.problem.form));
}

harness::Work row_work(std::string_view row, const Spec& spec, double word) {
  const double n = static_cast<double>(spec.problem.grid.size());
  const auto [entries, diagonals] = entries_of(spec);
  if (spec.kernel == Kernel::jacobi) return sweeps_work(row, spec, word);
  if (spec.kernel == Kernel::cg && spec.cg.tolerance == 0) return iterations_work(row, spec, word);
  if (spec.kernel != Kernel::spmv) return best_work(spec, word);
  const double slices = sliced_bytes(entries, word), by_diagonals = diagonals_bytes(n, diagonals, word);
  const double stored = [&] {
    switch (format_of(row, slices, by_diagonals)) {
      case Format::rows:
        return rows_bytes(n, entries, word, 8);
      case Format::narrow_rows:
        return rows_bytes(n, entries, word, 4);
      case Format::slices:
        return slices;
      case Format::diagonals:
        return by_diagonals;
      case Format::blocks:
        break;
    }
    return blocks_bytes(n, entries / std::max(n, 1.0), word);
  }();
  return sparse_work(n, n, entries, stored, word);
}

harness::Work best_work_of(const harness::Workload& prepared) {
  return std::visit(
      []<class T>(const std::shared_ptr<const Inputs<T>>& inputs) {
        const Spec& spec = inputs->spec();
        if (!is_file(spec)) return best_work(spec, sizeof(T));
        const auto& m = inputs->matrix();
        const auto rows = static_cast<double>(m.rows), entries = static_cast<double>(m.entries());
        if (spec.kernel == Kernel::cg) return solution_work(spec, sizeof(T), rows, entries);
        // Its values, which no format leaves out.
        return sparse_work(rows, static_cast<double>(m.columns), entries, entries * sizeof(T), sizeof(T));
      },
      static_cast<const StencilWorkload&>(prepared).inputs());
}

harness::Work row_work_of(std::string_view row, const harness::Workload& prepared) {
  return std::visit(
      [&]<class T>(const std::shared_ptr<const Inputs<T>>& inputs) {
        const Spec& spec = inputs->spec();
        if (!is_file(spec)) return row_work(row, spec, sizeof(T));
        if (spec.kernel == Kernel::cg) return best_work_of(prepared);
        const auto& m = inputs->matrix();
        constexpr double word = sizeof(T);
        const auto rows = static_cast<double>(m.rows), entries = static_cast<double>(m.entries());
        const double slices = sliced_bytes(static_cast<double>(sliced_entries(m)), word),
                     by_diagonals = diagonals_bytes(rows, static_cast<double>(diagonal_count(m)), word);
        const Format format = format_of(row, slices, by_diagonals);
        const double stored = format == Format::slices      ? slices
                              : format == Format::diagonals ? by_diagonals
                              : format == Format::blocks
                                  ? entries * word
                                  : rows_bytes(rows, entries, word, format == Format::rows ? 8 : 4);
        harness::Work all = sparse_work(rows, static_cast<double>(m.columns), entries, stored, word);
        if (format == Format::blocks) all.no_limit = "how many blocks a file's matrix takes is not counted";
        return all;
      },
      static_cast<const StencilWorkload&>(prepared).inputs());
}

}  // namespace speedwell::stencil
