// Profiles of a flow between two walls: means over planes and time, also in wall units.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

class Profiles {
 public:
  /// Throws std::invalid_argument unless the box has walls (or is free of stress) along one axis, is periodic along the
  /// others, and has no solids.
  explicit Profiles(const Problem& problem);

  /// Adds a flow; all flows have the same weight.
  template <class T>
  void add(const State<T>& state);
  std::int64_t samples() const { return samples_; }

  /// A line for each cell between the walls. Velocities and their covariances about the means over planes and samples;
  /// those normal to the walls, and of the stress, are averages of the two adjacent faces. `stress` is viscosity times
  /// the slope of the mean along `first` minus its covariance with the velocity across. In wall units (_plus) the
  /// friction velocity is the root of the mean of both walls' stresses; empty without friction. The normal axis is
  /// called y.
  std::string text() const;
  /// Root of the mean over both walls of |viscosity dU/dy|.
  double friction_velocity() const;

  /// The accumulated sums, to be saved with a checkpoint.
  const std::vector<double>& sums() const { return sums_; }
  /// Throws std::invalid_argument for sums of another mesh.
  void restore(std::int64_t samples, const std::vector<double>& sums);

 private:
  double mean(int what, int j) const;
  double slope(int face) const;  // slope of the mean velocity along `first`, at face `face` = 0 … n

  Problem problem_;
  Extents extents_;
  int across_ = 1, along_ = 0, other_ = 2;
  std::int64_t samples_ = 0;
  std::vector<double> sums_;
};

extern template void Profiles::add(const State<float>&);
extern template void Profiles::add(const State<double>&);

}  // namespace speedwell::incompressible_flow
