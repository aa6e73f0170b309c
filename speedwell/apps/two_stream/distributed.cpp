#include "speedwell/apps/two_stream/distributed.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/comm/redistribution.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::two_stream {
namespace {

/// Two divisions of an array of `rows` x `columns` among ranks: its columns divided, and all of it on the first rank.
struct Tiles {
  Tiles(int ranks, std::int64_t rows, std::int64_t columns) : on_first(static_cast<std::size_t>(ranks)) {
    for (int r = 0; r < ranks; ++r)
      divided.push_back({{comm::Range{0, 1}, {0, rows}, comm::part_of(columns, ranks, r)}});
    on_first[0] = {{comm::Range{0, 1}, {0, rows}, {0, columns}}};
  }
  std::vector<comm::Tile> divided, on_first;  // the tile of each rank
};

template <class T>
const T* data_or_null(const core::HostBuffer<T>& array) {
  return array.size() > 0 ? array.data() : nullptr;
}

}  // namespace

template <class T>
DistributedColumns<T>::DistributedColumns(const comm::Communicator& ranks, const Problem& problem)
    : ranks_(ranks), problem_(problem) {
  require_problem<T>(problem);
  if (problem.columns < ranks.size())
    throw std::invalid_argument("two_stream: " + std::to_string(ranks.size()) + " ranks for " +
                                core::counted(problem.columns, "column") + "; at most as many as columns");
  part_ = comm::part_of(problem.columns, ranks.size(), ranks.rank());
}

template <class T>
void DistributedColumns<T>::scatter(const T* whole, std::int64_t rows, core::HostBuffer<T>& own) const {
  // Which arrays the source of radiation needs is known from `whole`, on the first rank alone.
  if (!ranks_.broadcast(whole != nullptr)) {
    own = {};  // of an earlier atmosphere
    return;
  }
  const auto count = [&](std::int64_t columns) { return static_cast<std::size_t>(rows * columns); };
  if (own.size() != count(columns())) own = core::HostBuffer<T>(count(columns()), core::Pages::large);
  const Tiles tiles(ranks_.size(), rows, problem_.columns);
  comm::Redistribution<T>(ranks_, tiles.on_first, tiles.divided)
      .move(std::span<const T>(whole, ranks_.rank() == 0 ? count(problem_.columns) : 0), own.span());
}

template <class T>
void DistributedColumns<T>::scatter(const Atmosphere<T>* whole) {
  const Atmosphere<T> none, &from = whole ? *whole : none;
  const std::int64_t points = problem_.points, layers = problem_.layers;
  scatter(from.optical_depth, points * layers, optical_depth_);
  scatter(from.albedo, points * layers, albedo_);
  scatter(from.asymmetry, points * layers, asymmetry_);
  scatter(from.mu0, 1, mu0_);
  scatter(from.incident, points, incident_);
  scatter(from.ground_direct, points, ground_direct_);
  scatter(from.ground_diffuse, points, ground_diffuse_);
  scatter(from.planck_level, points * (layers + 1), planck_level_);
  scatter(from.planck_middle, points * layers, planck_middle_);
  scatter(from.planck_ground, points, planck_ground_);
  scatter(from.emissivity, points, emissivity_);
  cloud_top_ = ranks_.broadcast(from.cloud_top);
  scatter(from.cloud_fraction, 2 * layers, cloud_fraction_);
  scatter(from.cloud_optical_depth, 2 * points * layers, cloud_optical_depth_);
  scatter(from.cloud_albedo, 2 * points * layers, cloud_albedo_);
  scatter(from.cloud_asymmetry, 2 * points * layers, cloud_asymmetry_);
  weight_.clear();
  if (!ranks_.broadcast(from.weight != nullptr)) return;
  weight_.resize(static_cast<std::size_t>(points));
  if (from.weight) std::copy_n(from.weight, points, weight_.begin());
  ranks_.broadcast(std::span<T>(weight_));
}

template <class T>
Atmosphere<T> DistributedColumns<T>::atmosphere() const {
  return {.columns = columns(),
          .layers = problem_.layers,
          .points = problem_.points,
          .source = problem_.source,
          .optical_depth = data_or_null(optical_depth_),
          .albedo = data_or_null(albedo_),
          .asymmetry = data_or_null(asymmetry_),
          .weight = weight_.empty() ? nullptr : weight_.data(),
          .mu0 = data_or_null(mu0_),
          .incident = data_or_null(incident_),
          .ground_direct = data_or_null(ground_direct_),
          .ground_diffuse = data_or_null(ground_diffuse_),
          .planck_level = data_or_null(planck_level_),
          .planck_middle = data_or_null(planck_middle_),
          .planck_ground = data_or_null(planck_ground_),
          .emissivity = data_or_null(emissivity_),
          .cloud_top = cloud_top_,
          .cloud_fraction = data_or_null(cloud_fraction_),
          .cloud_optical_depth = data_or_null(cloud_optical_depth_),
          .cloud_albedo = data_or_null(cloud_albedo_),
          .cloud_asymmetry = data_or_null(cloud_asymmetry_)};
}

template <class T>
void DistributedColumns<T>::gather(std::span<const T> own, std::int64_t rows, T* whole) const {
  const Tiles tiles(ranks_.size(), rows, problem_.columns);
  const std::int64_t wanted = ranks_.rank() == 0 ? rows * problem_.columns : 0;
  comm::Redistribution<T>(ranks_, tiles.divided, tiles.on_first)
      .move(own, std::span<T>(whole, static_cast<std::size_t>(wanted)));
}

template class DistributedColumns<float>;
template class DistributedColumns<double>;

}  // namespace speedwell::two_stream
