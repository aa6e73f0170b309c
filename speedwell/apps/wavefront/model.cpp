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

// Solves the normal equations of the terms in `used` by Gaussian elimination; nothing if they are singular.
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

/// Division of the cells of an axis among ranks: the first `num_larger` ranks have one cell more than the others.
struct Shares {
  std::int64_t smaller, num_larger;
  Shares(std::int64_t cells, int ranks) : smaller(cells / ranks), num_larger(cells % ranks) {}
  bool is_larger(int rank) const { return rank < num_larger; }
};

/// Time of a rank's chunk, and when its east and south faces arrive at the neighbours.
struct Stage {
  double all, east, south;
};

class Stages {
 public:
  Stages(const Extents& extents, const Decomposition& decomposition, std::int64_t chunk, int element_bytes,
         const BlockTime& sweep, const Network& network)
      : decomposition_(decomposition),
        x_(extents.nx, decomposition.px),
        y_(extents.ny, decomposition.py),
        overhead_(network.overhead_s) {
    for (const int more : {0, 1}) {
      const auto transfer = [&](const Shares& shares) {
        const auto bytes = static_cast<double>((shares.smaller + more) * chunk * element_bytes);
        return network.latency_s + bytes * network.byte_s;
      };
      south_[more] = transfer(x_);
      east_[more] = transfer(y_);
      for (const int more_y : {0, 1}) sweep_[more][more_y] = sweep({x_.smaller + more, y_.smaller + more_y, chunk});
    }
  }
  Stage at(int x, int y) const {
    const bool sends_east = x + 1 < decomposition_.px, sends_south = y + 1 < decomposition_.py;
    const double received = (x > 0) * overhead_ + (y > 0) * overhead_;
    const double sent_east = received + sweep_[x_.is_larger(x)][y_.is_larger(y)] + sends_east * overhead_;
    const double sent_south = sent_east + sends_south * overhead_;
    return {sent_south, sent_east + east_[y_.is_larger(y)], sent_south + south_[x_.is_larger(x)]};
  }

 private:
  Decomposition decomposition_;
  Shares x_, y_;
  double overhead_;
  double sweep_[2][2], east_[2], south_[2];  // indices: whether the share has one more cell
};

void require_valid_pipeline(const Extents& extents, const Decomposition& decomposition) {
  require_valid(extents);
  if (decomposition.px < 1 || decomposition.py < 1 || decomposition.px > extents.nx || decomposition.py > extents.ny)
    throw std::invalid_argument(std::to_string(decomposition.px) + " x " + std::to_string(decomposition.py) +
                                " ranks: each must have at least one cell along x and y");
  if (decomposition.chunk < 1) throw std::invalid_argument("a chunk must have at least one cell along z");
}

}  // namespace

double CoreTime::operator()(const Extents& block) const {
  const auto terms = terms_of(block);
  return block_s * terms[0] + row_s * terms[1] + cell_s * terms[2];
}

CoreTime fit(std::span<const TimedBlock> samples) {
  if (samples.empty()) throw std::invalid_argument("a fit needs samples");
  for (const TimedBlock& s : samples)
    if (!(s.seconds > 0) || !std::isfinite(s.seconds)) throw std::invalid_argument("times must be positive and finite");
  std::optional<CoreTime> best;
  for (const unsigned used :
       {4u, 5u, 6u, 7u, 1u, 2u, 3u}) {  // cells first: an equally good fit with fewer terms is kept
    const auto model = fit_terms(samples, used);
    if (model && (!best || relative_error(*model, samples) < 0.999 * relative_error(*best, samples) - 1e-12))
      best = model;
  }
  if (!best) throw std::invalid_argument("the samples do not determine a time per block, row or cell");
  return *best;
}

double extra_cell_seconds(std::span<const ExtraCellTime> samples, double bytes) {
  if (samples.empty()) return 0;
  const auto above =
      std::find_if(samples.begin(), samples.end(), [&](const ExtraCellTime& f) { return f.bytes >= bytes; });
  if (above == samples.begin()) return samples.front().cell_s;
  if (above == samples.end()) return samples.back().cell_s;
  const ExtraCellTime& below = *(above - 1);
  const double weight = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return below.cell_s + weight * (above->cell_s - below.cell_s);
}

// Longest path through the chunks of all ranks. Within a rank every full chunk takes the same time, so that the longest
// path stays in the rank where that time is greatest and otherwise moves from rank to rank; only the last chunk may be
// shorter. For each rank three numbers hold the longest path that ends at its first chunk, at its last but one, and at
// its last.
double pipeline_seconds(const Extents& extents, const Decomposition& decomposition, int element_bytes,
                        const BlockTime& sweep, const Network& network) {
  require_valid_pipeline(extents, decomposition);
  const std::int64_t chunk = std::min(decomposition.chunk, extents.nz), chunks = (extents.nz + chunk - 1) / chunk;
  const Stages full(extents, decomposition, chunk, element_bytes, sweep, network);
  const Stages last(extents, decomposition, extents.nz - (chunks - 1) * chunk, element_bytes, sweep, network);
  constexpr double never = -std::numeric_limits<double>::infinity();
  struct Paths {
    double at_first, at_last_but_one, at_last;
  };
  std::vector<Paths> column(static_cast<std::size_t>(decomposition.py), {never, never, never});
  for (int x = 0; x < decomposition.px; ++x)
    for (int y = 0; y < decomposition.py; ++y) {
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
  return column.back().at_last + last.at(decomposition.px - 1, decomposition.py - 1).all;
}

std::optional<Decomposition> best_decomposition(const Extents& extents, int ranks, int element_bytes,
                                                const BlockTime& sweep, const Network& network,
                                                std::int64_t chunk_unit) {
  require_valid(extents);
  if (chunk_unit < 1) throw std::invalid_argument("a chunk must have at least one cell along z");
  std::optional<Decomposition> best;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (int px = 1; px <= ranks; ++px) {
    if (ranks % px != 0 || px > extents.nx || ranks / px > extents.ny) continue;
    for (std::int64_t chunk = chunk_unit; chunk < extents.nz + chunk_unit; chunk += chunk_unit) {
      const Decomposition decomposition{px, ranks / px, std::min(chunk, extents.nz)};
      const double seconds = pipeline_seconds(extents, decomposition, element_bytes, sweep, network);
      if (seconds < best_seconds) best_seconds = seconds, best = decomposition;
    }
  }
  return best;
}

}  // namespace speedwell::wavefront::model
