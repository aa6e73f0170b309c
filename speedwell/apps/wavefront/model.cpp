#include "speedwell/apps/wavefront/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace speedwell::wavefront::model {
namespace {

std::array<double, 3> terms_of(const Extents& block) {
  return {1, static_cast<double>(block.nx) * static_cast<double>(block.ny),
          static_cast<double>(block.nx) * static_cast<double>(block.ny) * static_cast<double>(block.nz)};
}

double relative_error(const CoreTime& model, std::span<const TimedBlock> samples) {
  double sum = 0;
  for (const TimedBlock& s : samples) sum += std::pow(model(s.block) / s.seconds - 1, 2);
  return sum;
}

// Gaussian elimination of the normal equations of the terms in `used`; nothing where they do not settle the terms.
std::optional<CoreTime> fit_terms(std::span<const TimedBlock> samples, unsigned used) {
  double a[3][4] = {};
  for (const TimedBlock& s : samples) {
    std::array<double, 3> x = terms_of(s.block);
    for (int t = 0; t < 3; ++t) x[t] = used >> t & 1 ? x[t] / s.seconds : 0;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) a[r][c] += x[r] * x[c];
      a[r][3] += x[r];
    }
  }
  for (int t = 0; t < 3; ++t)
    if (!(used >> t & 1)) a[t][t] = 1;
  double scale[3];
  for (int t = 0; t < 3; ++t) scale[t] = a[t][t];
  for (int t = 0; t < 3; ++t) {
    if (!(a[t][t] > 1e-9 * scale[t])) return std::nullopt;
    for (int r = 0; r < 3; ++r)
      if (r != t) {
        const double factor = a[r][t] / a[t][t];
        for (int c = t; c < 4; ++c) a[r][c] -= factor * a[t][c];
      }
  }
  const CoreTime model{a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
  if (model.block_s < 0 || model.row_s < 0 || model.cell_s < 0) return std::nullopt;
  return model;
}

/// Cells of an axis divided among ranks: the first `larger` of them have one more.
struct Parts {
  std::int64_t least, larger;
  Parts(std::int64_t cells, int ranks) : least(cells / ranks), larger(cells % ranks) {}
  bool is_larger(int rank) const { return rank < larger; }
};

/// What a rank's chunk takes, and when its faces are where they are needed.
struct Stage {
  double all, east, south;
};

class Stages {
 public:
  Stages(const Extents& extents, const Decomposition& how, std::int64_t chunk, int element_bytes,
         const BlockTime& sweep, const Network& network)
      : how_(how), x_(extents.nx, how.px), y_(extents.ny, how.py), overhead_(network.overhead_s) {
    for (const int more : {0, 1}) {
      const auto transfer = [&](const Parts& parts) {
        const auto bytes = static_cast<double>((parts.least + more) * chunk * element_bytes);
        return network.latency_s + bytes * network.byte_s;
      };
      south_[more] = transfer(x_);
      east_[more] = transfer(y_);
      for (const int more_y : {0, 1}) sweep_[more][more_y] = sweep({x_.least + more, y_.least + more_y, chunk});
    }
  }
  Stage at(int x, int y) const {
    const bool sends_east = x + 1 < how_.px, sends_south = y + 1 < how_.py;
    const double received = (x > 0) * overhead_ + (y > 0) * overhead_;
    const double sent_east = received + sweep_[x_.is_larger(x)][y_.is_larger(y)] + sends_east * overhead_;
    const double sent_south = sent_east + sends_south * overhead_;
    return {sent_south, sent_east + east_[y_.is_larger(y)], sent_south + south_[x_.is_larger(x)]};
  }

 private:
  Decomposition how_;
  Parts x_, y_;
  double overhead_;
  double sweep_[2][2], east_[2], south_[2];  // of parts without and with one cell more
};

void require_valid_pipeline(const Extents& extents, const Decomposition& how) {
  require_valid(extents);
  if (how.px < 1 || how.py < 1 || how.px > extents.nx || how.py > extents.ny)
    throw std::invalid_argument(std::to_string(how.px) + " x " + std::to_string(how.py) +
                                " ranks: each of them has a cell along x and y");
  if (how.chunk < 1) throw std::invalid_argument("a chunk has at least one cell along z");
}

}  // namespace

double CoreTime::operator()(const Extents& block) const {
  const auto terms = terms_of(block);
  return block_s * terms[0] + row_s * terms[1] + cell_s * terms[2];
}

CoreTime fit(std::span<const TimedBlock> samples) {
  if (samples.empty()) throw std::invalid_argument("a fit needs samples");
  for (const TimedBlock& s : samples)
    if (!(s.seconds > 0) || !std::isfinite(s.seconds)) throw std::invalid_argument("a time is positive and finite");
  std::optional<CoreTime> best;
  for (const unsigned used :
       {4u, 5u, 6u, 7u, 1u, 2u, 3u}) {  // cells first: what explains as much with fewer terms stays
    const auto model = fit_terms(samples, used);
    if (model && (!best || relative_error(*model, samples) < 0.999 * relative_error(*best, samples) - 1e-12))
      best = model;
  }
  if (!best) throw std::invalid_argument("the samples do not settle a time per block, row or cell");
  return *best;
}

double far_cell_seconds(std::span<const FarCells> far, double bytes) {
  if (far.empty()) return 0;
  const auto further = std::find_if(far.begin(), far.end(), [&](const FarCells& f) { return f.bytes >= bytes; });
  if (further == far.begin()) return far.front().cell_s;
  if (further == far.end()) return far.back().cell_s;
  const FarCells& nearer = *(further - 1);
  const double share = std::log(bytes / nearer.bytes) / std::log(further->bytes / nearer.bytes);
  return nearer.cell_s + share * (further->cell_s - nearer.cell_s);
}

// The longest path through the chunks of all ranks. Within a rank every full chunk takes the same time, so that a path
// goes through a chunk after another where that takes longest, and otherwise from rank to rank; only the last chunk may
// be shorter. Three numbers for each rank hold the longest path to it that is at the first chunk, at the last but one,
// and at the last.
double pipeline_seconds(const Extents& extents, const Decomposition& how, int element_bytes, const BlockTime& sweep,
                        const Network& network) {
  require_valid_pipeline(extents, how);
  const std::int64_t chunk = std::min(how.chunk, extents.nz), chunks = (extents.nz + chunk - 1) / chunk;
  const Stages full(extents, how, chunk, element_bytes, sweep, network);
  const Stages last(extents, how, extents.nz - (chunks - 1) * chunk, element_bytes, sweep, network);
  constexpr double never = -std::numeric_limits<double>::infinity();
  struct Paths {
    double at_first, at_last_but_one, at_last;
  };
  std::vector<Paths> column(static_cast<std::size_t>(how.py), {never, never, never});
  for (int x = 0; x < how.px; ++x)
    for (int y = 0; y < how.py; ++y) {
      Paths& here = column[static_cast<std::size_t>(y)];
      const auto enter = [](const Paths& from, double whole, double shorter) {
        return Paths{from.at_first + whole, from.at_last_but_one + whole, from.at_last + shorter};
      };
      Paths paths{x == 0 && y == 0 ? 0 : never, never, never};
      const auto longest = [&](const Paths& p) {
        paths = {std::max(paths.at_first, p.at_first), std::max(paths.at_last_but_one, p.at_last_but_one),
                 std::max(paths.at_last, p.at_last)};
      };
      if (x > 0) longest(enter(here, full.at(x - 1, y).east, last.at(x - 1, y).east));
      if (y > 0)
        longest(enter(column[static_cast<std::size_t>(y - 1)], full.at(x, y - 1).south, last.at(x, y - 1).south));
      const double stage = full.at(x, y).all;
      if (chunks == 1) {
        paths.at_last = paths.at_first;
      } else {
        paths.at_last_but_one =
            std::max(paths.at_last_but_one, paths.at_first + static_cast<double>(chunks - 2) * stage);
        paths.at_last = std::max(paths.at_last, paths.at_last_but_one + stage);
      }
      here = paths;
    }
  return column.back().at_last + last.at(how.px - 1, how.py - 1).all;
}

std::optional<Decomposition> best_decomposition(const Extents& extents, int ranks, int element_bytes,
                                                const BlockTime& sweep, const Network& network,
                                                std::int64_t chunk_unit) {
  require_valid(extents);
  if (chunk_unit < 1) throw std::invalid_argument("a chunk has at least one cell along z");
  std::optional<Decomposition> best;
  double least = std::numeric_limits<double>::infinity();
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px != 0 || px > extents.nx || ranks / px > extents.ny) continue;
    for (std::int64_t chunk = chunk_unit; chunk < extents.nz + chunk_unit; chunk += chunk_unit) {
      const Decomposition how{px, ranks / px, std::min(chunk, extents.nz)};
      const double seconds = pipeline_seconds(extents, how, element_bytes, sweep, network);
      if (seconds < least) least = seconds, best = how;
    }
  }
  return best;
}

}  // namespace speedwell::wavefront::model
