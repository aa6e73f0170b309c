// The model of a transfer, t(n) = alpha + n / beta: a latency and a bandwidth, in a few segments of sizes, because
// small and large blocks take different paths.
#pragma once

#include <span>
#include <vector>

namespace speedwell::transfer {

struct Sample {
  double bytes = 0;
  double seconds = 0;
};

struct Segment {
  double first_bytes = 0, last_bytes = 0;  // range of the fitted samples
  double alpha_seconds = 0;                // not negative
  double bytes_per_second = 0;             // infinite if the time does not grow
  double worst_error = 0;                  // largest |model - measured| / measured

  double seconds(double bytes) const;
  /// The size at which half the bandwidth is reached; infinite if bytes_per_second is.
  double half_bytes() const { return alpha_seconds * bytes_per_second; }
};

/// Fits by least squares of the relative error in at most `segments` segments of at least three different sizes each,
/// whose bounds minimise the total cost; fewer segments if there are not enough sizes. Samples may have any order, and
/// several may have the same size. Throws std::invalid_argument for fewer than two different sizes, a size or time that
/// is not positive and finite, or segments below 1.
std::vector<Segment> fit(std::span<const Sample> samples, int segments = 3);

/// The predicted time: by the segment that contains the size, or that is nearest to it on a logarithmic scale.
double predict(std::span<const Segment> segments, double bytes);

/// Sizes at which the bandwidth of adjacent segments differs by more than `change` relative to the smaller: the first
/// size of the later segment.
std::vector<double> thresholds(std::span<const Segment> segments, double change = 0.2);

}  // namespace speedwell::transfer
