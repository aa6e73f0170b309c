// The workload of two_stream for the harness, in f32 or f64: a synthetic atmosphere, the results of a variant in host
// memory, and their verification by the oracle, whose fluxes are computed when they are first needed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/two_stream/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/oracle_team.hpp"

namespace speedwell::two_stream {

/// Fluxes of columns, [level][column], or coefficients of layers, [g][layer][column], in host memory. Those in
/// brackets below exist for Source::sun only.
template <class T>
struct Results {
  std::vector<core::HostBuffer<T>> arrays;  // up, down[, direct], or R, T, top, bottom[, T0]

  Fluxes<T> fluxes() { return {arrays[0].data(), arrays[1].data(), arrays.size() > 2 ? arrays[2].data() : nullptr}; }
  Coefficients<T> layers() {
    return {.reflected = arrays[0].data(),
            .transmitted = arrays[1].data(),
            .direct = arrays.size() > 4 ? arrays[4].data() : nullptr,
            .top = arrays[2].data(),
            .bottom = arrays[3].data()};
  }
};

/// Allocates the results of a problem; they are not initialised.
template <class T>
Results<T> make_results(const Problem& p) {
  const bool column = is_column(p);
  const auto size = static_cast<std::size_t>(p.columns * (column ? p.layers + 1 : p.layers * p.points));
  Results<T> results;
  for (int i = 0; i < (column ? 2 : 4) + (p.source == Source::sun ? 1 : 0); ++i)
    results.arrays.emplace_back(size, core::Pages::large);
  return results;
}

/// The inputs of a problem and the verification of its results.
template <class T>
class Inputs {
 public:
  using Answer = Results<T>;

  /// Generates the atmosphere if `whole`: it is false on all ranks but rank 0, which distributes the atmosphere and
  /// verifies. Without it atmosphere() and verify() must not be called. Throws as require_problem().
  explicit Inputs(const Problem& problem, bool whole = true) : problem_(problem) {
    if (whole) data_.emplace(problem);
  }
  const Problem& problem() const { return problem_; }
  bool is_column() const { return two_stream::is_column(problem_); }
  Atmosphere<T> atmosphere() const { return data_->atmosphere(); }

  Answer make_answer() const { return make_results<T>(problem_); }
  /// The results with their names, types and extents; they point into `answer`.
  std::vector<harness::Output> outputs(Answer& answer) const {
    static constexpr const char* fluxes[] = {"up", "down", "direct"};
    static constexpr const char* coefficients[] = {"R", "T", "top", "bottom", "T0"};
    const auto columns = static_cast<std::size_t>(problem_.columns), layers = static_cast<std::size_t>(problem_.layers);
    std::vector<std::size_t> extents = {layers + 1, columns};
    if (!is_column()) extents = {static_cast<std::size_t>(problem_.points), layers, columns};
    std::vector<harness::Output> all;
    for (std::size_t i = 0; i < answer.arrays.size(); ++i)
      all.push_back({.name = is_column() ? fluxes[i] : coefficients[i],
                     .type = harness::element_type<T>,
                     .data = answer.arrays[i].data(),
                     .count = answer.arrays[i].size(),
                     .extents = extents});
    return all;
  }
  /// Compares with the reference, whose answer is kept for the next call; that of layers only where it takes at most a
  /// quarter of the memory that is left, otherwise they are computed again each time.
  core::Verdict verify(const Answer& answer) const {
    const auto array = [&](std::size_t i) { return i < answer.arrays.size() ? answer.arrays[i].data() : nullptr; };
    if (!is_column()) {
      const Coefficients<const T> got{
          .reflected = array(0), .transmitted = array(1), .direct = array(4), .top = array(2), .bottom = array(3)};
      const LayerAnswers& expected = expected_layers_.get([this] { return layers_if_there_is_room(); });
      return expected.size() > 0 ? two_stream::verify<T>(problem_, expected, got)
                                 : two_stream::verify<T>(problem_, data_->atmosphere(), got);
    }
    const Answer64& expected = expected_.get([this] { return reference(data_->atmosphere(), problem_.options); });
    return two_stream::verify<T>(problem_, expected, Fluxes<const T>{array(0), array(1), array(2)});
  }

 private:
  using Answer64 = two_stream::Answer;

  LayerAnswers layers_if_there_is_room() const {
    const double bytes = static_cast<double>(problem_.columns) * static_cast<double>(problem_.layers) *
                         static_cast<double>(problem_.points) * sizeof(LayerCoefficients);
    if (!harness::oracle_may_keep(bytes)) return {};
    return reference_layers(data_->atmosphere(), problem_.options);
  }

  Problem problem_;
  std::optional<SyntheticAtmosphere<T>> data_;
  core::Lazy<Answer64> expected_;
  core::Lazy<LayerAnswers> expected_layers_;  // empty where there is no room for it
};

using TwoStreamWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::two_stream
