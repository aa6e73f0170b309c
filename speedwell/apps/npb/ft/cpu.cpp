// FT with OpenMP: a time step is one inverse transform that applies the factors of the step in its loads. The results
// of its last lines, along z, are not stored: the terms of the checksum are read while their line is in a cache.
#include <algorithm>
#include <array>

#include "speedwell/apps/npb/ft/field.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::npb::ft {
namespace {

// Term q of a checksum: point z of the line along z with the number y nx + x.
struct Term {
  std::int64_t line, z;
  std::size_t q;
};

std::vector<Term> terms_by_line(const Problem& problem) {
  std::vector<Term> terms;
  for (int q = 1; q <= checksum_points; ++q) {
    const GridPoint at = point_of_term(problem, q);
    terms.push_back({at.y * problem.nx + at.x, at.z, static_cast<std::size_t>(q - 1)});
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.line < b.line; });
  return terms;
}

}  // namespace

struct Solver::State {
  State(const Problem& p, int thread_count)
      : problem(p),
        threads(thread_count),
        plan({.extents = {p.nz, p.ny, p.nx}}, {.threads = threads, .normalisation = fft::Normalisation::backward}),
        modes(p),
        field(p),
        terms(terms_by_line(p)) {}

  void fill() {
    const std::int64_t plane = problem.nx * problem.ny;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t k = 0; k < problem.nz; ++k)
      fill_initial(k * plane,
                   field.span().subspan(static_cast<std::size_t>(k * plane), static_cast<std::size_t>(plane)));
  }

  void gather_terms(const fft::ResultLines<double>& lines) {
    const auto of_line = [](const Term& term, std::int64_t line) { return term.line < line; };
    auto term = std::lower_bound(terms.begin(), terms.end(), lines.first, of_line);
    for (; term != terms.end() && term->line < lines.first + lines.count; ++term)
      values[term->q] = lines.points[term->z * lines.stride + term->line - lines.first];
  }

  std::complex<double> step(int t) {
    const auto x = decay(problem.nx, t), y = decay(problem.ny, t), z = decay(problem.nz, t);
    const std::array<std::span<const double>, 3> factors = {z, y, x};
    plan.transform(fft::Direction::backward, modes.span(), factors, field.span(),
                   [this](const fft::ResultLines<double>& lines) { gather_terms(lines); });
    std::complex<double> sum = 0;
    for (const std::complex<double> value : values) sum += value;
    return sum;
  }

  Problem problem;
  int threads;
  fft::Plan<double> plan;
  Field modes, field;
  std::vector<Term> terms;
  std::array<std::complex<double>, checksum_points> values;  // the terms, in the order of their summation
};

Solver::Solver(const Problem& problem, const Options& options) {
  require_valid(problem);
  state_ = std::make_unique<State>(problem, core::resolve_threads(options.threads));
}
Solver::Solver(Solver&&) noexcept = default;
Solver::~Solver() = default;

double Solver::bytes(const Problem& problem) { return 32 * static_cast<double>(points(problem)); }

Checksums Solver::run() {
  state_->fill();
  state_->plan.forward(state_->field.span(), state_->modes.span());
  Checksums checksums;
  for (int t = 1; t <= state_->problem.iterations; ++t) checksums.push_back(state_->step(t));
  return checksums;
}

}  // namespace speedwell::npb::ft
