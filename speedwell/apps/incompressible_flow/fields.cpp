#include "speedwell/apps/incompressible_flow/fields.hpp"

#include <cstring>

namespace speedwell::incompressible_flow {
namespace {

constexpr std::int64_t cells_worth_a_team = 16384;
constexpr std::size_t bytes_of_tile = std::size_t{1} << 19;  // for three planes of three components

// The value of a ghost cell: sign * inside + constant.
struct GhostCoefficients {
  double sign = 0, constant = 0;
};
GhostCoefficients ghost_coefficients(const Side& side, int axis, int c, bool moving) {
  if (axis == c) return {};
  if (side.edge == Edge::slip) return {1, 0};
  return {-1, moving ? 2 * side.velocity[static_cast<std::size_t>(c)] : 0};
}
template <class T>
void combine(T* to, const T* from, const GhostCoefficients& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(b.sign * from[i] + b.constant);
}

// Planes travel with their ghost cells along x and y, from one field to the other.
template <class T>
void start_planes(Slab& slab, const Layout& l, Field<T>& field, int tag, Neighbors wanted) {
  const auto plane = [&](int k) { return field.at(l, -1, k) - 1; };
  const auto count = static_cast<std::size_t>(l.row * (l.n[1] + 1) + l.n[0] + 2);
  const bool below = wanted != Neighbors::none, above = wanted == Neighbors::both;
  slab.start<T>(above ? plane(0) : nullptr, below ? plane(l.n[2] - 1) : nullptr, below ? plane(-1) : nullptr,
                above ? plane(l.n[2]) : nullptr, count, tag);
}

}  // namespace

RowTeam::RowTeam(const Layout& layout, int threads, std::size_t element, Slab* slab)
    : layout_(layout),
      slab_(slab && slab->is_divided() ? slab : nullptr),
      threads_(std::int64_t{layout.n[0]} * layout.n[1] * layout.n[2] < cells_worth_a_team ? 1 : threads),
      of_rows_(static_cast<std::size_t>(layout.n[1]) * static_cast<std::size_t>(layout.n[2])) {
  const std::size_t row_bytes = 9 * element * static_cast<std::size_t>(layout.row);
  tile_ = std::clamp(static_cast<int>(bytes_of_tile / row_bytes), 4, layout.n[1] < 4 ? 4 : layout.n[1]);
  tiles_ = (layout.n[1] + tile_ - 1) / tile_;
}

void RowTeam::sum_of_rows(std::size_t count, double* sums) {
  const auto rows = static_cast<std::size_t>(layout_.n[1]);
  std::vector<double> planes(count * static_cast<std::size_t>(layout_.n[2]));
  for (std::size_t n = 0; n < planes.size(); ++n)
    planes[n] = pairwise(of_rows_.data() + n / count * rows * count + n % count, rows, count);
  if (slab_) planes = slab_->gather(planes, count);
  for (std::size_t s = 0; s < count; ++s) sums[s] = pairwise(planes.data() + s, planes.size() / count, count);
}

double RowTeam::pairwise(const double* x, std::size_t n, std::size_t stride) {
  if (n <= 8) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i * stride];
    return sum;
  }
  return pairwise(x, n / 2, stride) + pairwise(x + n / 2 * stride, n - n / 2, stride);
}

template <class T>
void fill_edges(const Problem& problem, const Layout& l, const RowTeam& team, int c, Field<T>& field, bool moving) {
  start_edges(problem, l, team, c, field, moving);
  finish_edges(problem, l, team, c, field, moving);
}

template <class T>
void start_edges(const Problem& problem, const Layout& l, const RowTeam& team, int c, Field<T>& field, bool moving,
                 Neighbors wanted, RowEnds ends) {
  const int nx = l.n[0], ny = l.n[1], nz = l.n[2];
  const GhostCoefficients lows[] = {ghost_coefficients(problem.sides[0][0], 0, c, moving),
                                    ghost_coefficients(problem.sides[1][0], 1, c, moving)};
  const GhostCoefficients highs[] = {ghost_coefficients(problem.sides[0][1], 0, c, moving),
                                     ghost_coefficients(problem.sides[1][1], 1, c, moving)};
  const auto row_length = static_cast<std::size_t>(nx) + 2;
  // Fills the ghost cells of a plane along x and y.
  const auto plane = [&](int k) {
    const bool is_filled = problem.periodic(0) && ends == RowEnds::wrapped;
    for (int j = 0; j < ny && !is_filled; ++j) {
      T* x = field.at(l, j, k);
      if (problem.periodic(0)) {
        wrap_row(x, nx);
      } else {
        x[-1] = static_cast<T>(lows[0].sign * x[0] + lows[0].constant);
        x[nx] = static_cast<T>(highs[0].sign * x[nx - 1] + highs[0].constant);
      }
    }
    T *first = field.at(l, 0, k) - 1, *last = field.at(l, ny - 1, k) - 1;
    if (problem.periodic(1)) {
      std::memcpy(field.at(l, -1, k) - 1, last, row_length * sizeof(T));
      std::memcpy(field.at(l, ny, k) - 1, first, row_length * sizeof(T));
    } else {
      combine(field.at(l, -1, k) - 1, first, lows[1], row_length);
      combine(field.at(l, ny, k) - 1, last, highs[1], row_length);
    }
  };
#pragma omp parallel for schedule(static) num_threads(team.threads()) if (team.threads() > 1)
  for (int k = 0; k < nz; ++k) plane(k);
  if (team.slab()) start_planes(*team.slab(), l, field, c, wanted);
}

template <class T>
void finish_edges(const Problem& problem, const Layout& l, const RowTeam& team, int c, Field<T>& field, bool moving) {
  const int ny = l.n[1], nz = l.n[2];
  const GhostCoefficients below = ghost_coefficients(problem.sides[2][0], 2, c, moving),
                          above = ghost_coefficients(problem.sides[2][1], 2, c, moving);
  const auto row_length = static_cast<std::size_t>(l.n[0]) + 2;
  const Slab* slab = team.slab();
  if (slab) team.slab()->finish();
#pragma omp parallel for schedule(static) num_threads(team.threads()) if (team.threads() > 1)
  for (int j = -1; j <= ny; ++j) {
    const T *first = field.at(l, j, 0) - 1, *last = field.at(l, j, nz - 1) - 1;
    T *low = field.at(l, j, -1) - 1, *high = field.at(l, j, nz) - 1;
    if (problem.periodic(2)) {
      if (slab) continue;
      std::memcpy(low, last, row_length * sizeof(T));
      std::memcpy(high, first, row_length * sizeof(T));
    } else {
      if (!slab || !slab->has_below()) combine(low, first, below, row_length);
      if (!slab || !slab->has_above()) combine(high, last, above, row_length);
    }
  }
}

template <class T>
void fill_edges_of_cells(const Problem& problem, const Layout& l, const RowTeam& team, Field<T>& field) {
  const int nx = l.n[0], ny = l.n[1], nz = l.n[2];
  const auto row_bytes = (static_cast<std::size_t>(nx) + 2) * sizeof(T);
#pragma omp parallel for schedule(static) num_threads(team.threads()) if (team.threads() > 1)
  for (int k = 0; k < nz; ++k) {
    if (problem.periodic(0))
      for (int j = 0; j < ny; ++j) wrap_row(field.at(l, j, k), nx);
    if (problem.periodic(1)) {
      std::memcpy(field.at(l, -1, k) - 1, field.at(l, ny - 1, k) - 1, row_bytes);
      std::memcpy(field.at(l, ny, k) - 1, field.at(l, 0, k) - 1, row_bytes);
    }
  }
  if (team.slab()) {
    constexpr int tag = 3;  // after the components of a velocity
    start_planes(*team.slab(), l, field, tag, Neighbors::both);
    team.slab()->finish();
    return;
  }
  if (!problem.periodic(2)) return;
  for (int j = -1; j <= ny; ++j) {
    std::memcpy(field.at(l, j, -1) - 1, field.at(l, j, nz - 1) - 1, row_bytes);
    std::memcpy(field.at(l, j, nz) - 1, field.at(l, j, 0) - 1, row_bytes);
  }
}

template void fill_edges(const Problem&, const Layout&, const RowTeam&, int, Field<float>&, bool);
template void fill_edges(const Problem&, const Layout&, const RowTeam&, int, Field<double>&, bool);
template void start_edges(const Problem&, const Layout&, const RowTeam&, int, Field<float>&, bool, Neighbors, RowEnds);
template void start_edges(const Problem&, const Layout&, const RowTeam&, int, Field<double>&, bool, Neighbors, RowEnds);
template void finish_edges(const Problem&, const Layout&, const RowTeam&, int, Field<float>&, bool);
template void finish_edges(const Problem&, const Layout&, const RowTeam&, int, Field<double>&, bool);
template void fill_edges_of_cells(const Problem&, const Layout&, const RowTeam&, Field<float>&);
template void fill_edges_of_cells(const Problem&, const Layout&, const RowTeam&, Field<double>&);

}  // namespace speedwell::incompressible_flow
