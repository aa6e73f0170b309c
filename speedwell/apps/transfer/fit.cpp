#include "speedwell/apps/transfer/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace speedwell::transfer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Line {
  double alpha = 0, slope = 0, cost = 0;  // cost: sum of squared relative errors
};

double cost_of(std::span<const Sample> samples, double alpha, double slope) {
  double cost = 0;
  for (const Sample& s : samples) {
    const double error = (alpha + slope * s.bytes) / s.seconds - 1;
    cost += error * error;
  }
  return cost;
}

// Minimises sum ((alpha + slope n) / t - 1)^2 for non-negative alpha and slope. The minimum is in the interior or on
// one of the two axes.
Line line_through(std::span<const Sample> samples) {
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (const Sample& s : samples) {
    const double weight = 1 / (s.seconds * s.seconds);
    w += weight;
    wn += weight * s.bytes;
    wnn += weight * s.bytes * s.bytes;
    wt += weight * s.seconds;
    wnt += weight * s.bytes * s.seconds;
  }
  const double determinant = w * wnn - wn * wn;
  const double slope = (w * wnt - wn * wt) / determinant, alpha = (wt - slope * wn) / w;
  if (slope >= 0 && alpha >= 0) return {alpha, slope, cost_of(samples, alpha, slope)};
  const Line flat{wt / w, 0, cost_of(samples, wt / w, 0)};
  const Line through_zero{0, wnt / wnn, cost_of(samples, 0, wnt / wnn)};
  return flat.cost < through_zero.cost ? flat : through_zero;
}

Segment segment_of(std::span<const Sample> samples) {
  const Line line = line_through(samples);
  Segment segment{.first_bytes = samples.front().bytes,
                  .last_bytes = samples.back().bytes,
                  .alpha_seconds = line.alpha,
                  .bytes_per_second = line.slope > 0 ? 1 / line.slope : infinity,
                  .worst_error = 0};
  for (const Sample& s : samples)
    segment.worst_error = std::max(segment.worst_error, std::abs(segment.seconds(s.bytes) / s.seconds - 1));
  return segment;
}

}  // namespace

double Segment::seconds(double bytes) const { return alpha_seconds + bytes / bytes_per_second; }

std::vector<Segment> fit(std::span<const Sample> samples, int segments) {
  if (segments < 1) throw std::invalid_argument("transfer: a fit needs at least one segment");
  std::vector<Sample> sorted(samples.begin(), samples.end());
  for (const Sample& s : sorted)
    if (!(s.bytes > 0 && s.bytes < infinity && s.seconds > 0 && s.seconds < infinity))
      throw std::invalid_argument("transfer: sizes and times of a fit must be positive and finite");
  std::sort(sorted.begin(), sorted.end(), [](const Sample& a, const Sample& b) { return a.bytes < b.bytes; });
  std::vector<std::size_t> starts;  // first sample of each size, and the end
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i].bytes != sorted[i - 1].bytes) starts.push_back(i);
  const std::size_t sizes = starts.size();
  if (sizes < 2) throw std::invalid_argument("transfer: a fit needs at least two different sizes");
  starts.push_back(sorted.size());

  const std::size_t min_samples = std::min<std::size_t>(3, sizes);
  const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(segments), sizes / min_samples);
  const auto range = [&](std::size_t from, std::size_t to) {
    return std::span<const Sample>(sorted).subspan(starts[from], starts[to] - starts[from]);
  };
  // best[k][j]: minimum cost of the first j sizes in k segments, and the begin of the last of them.
  struct Best {
    double cost = infinity;
    std::size_t from = 0;
  };
  std::vector<std::vector<Best>> best(count + 1, std::vector<Best>(sizes + 1));
  best[0][0].cost = 0;
  for (std::size_t k = 1; k <= count; ++k)
    for (std::size_t to = k * min_samples; to <= sizes; ++to)
      for (std::size_t from = (k - 1) * min_samples; from + min_samples <= to; ++from) {
        if (best[k - 1][from].cost == infinity) continue;
        const double cost = best[k - 1][from].cost + line_through(range(from, to)).cost;
        if (cost < best[k][to].cost) best[k][to] = {cost, from};
      }
  std::vector<Segment> found;
  for (std::size_t k = count, to = sizes; k > 0; --k) {
    const std::size_t from = best[k][to].from;
    found.push_back(segment_of(range(from, to)));
    to = from;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

double predict(std::span<const Segment> segments, double bytes) {
  if (segments.empty()) throw std::invalid_argument("transfer: a prediction needs at least one fitted segment");
  const auto distance = [bytes](const Segment& s) {  // 0 inside
    return std::max({0.0, std::log(s.first_bytes / bytes), std::log(bytes / s.last_bytes)});
  };
  return std::min_element(segments.begin(), segments.end(),
                          [&](const Segment& a, const Segment& b) { return distance(a) < distance(b); })
      ->seconds(bytes);
}

std::vector<double> thresholds(std::span<const Segment> segments, double change) {
  std::vector<double> sizes;
  for (std::size_t k = 1; k < segments.size(); ++k) {
    const double a = segments[k - 1].bytes_per_second, b = segments[k].bytes_per_second;
    if (std::isinf(a) && std::isinf(b)) continue;
    if (std::max(a, b) > (1 + change) * std::min(a, b)) sizes.push_back(segments[k].first_bytes);
  }
  return sizes;
}

}  // namespace speedwell::transfer
