// --project: predicted times on another machine (compare), and on numbers of ranks or GPUs that are not here (scale).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/scaling.hpp"

namespace speedwell::session {

/// The tables of projections, each with its notes below.
std::string projection_text(const std::vector<harness::Projection>& projections);

struct ProjectionOptions {
  std::string counts;  // "4,8,64"
  std::string links;   // a record of `speedwell machine`; empty: the link is measured here
};

/// Predicts the times of a variant by the application's model from the first time that is measured.
class ScaleProjection {
 public:
  using ProblemOn = std::function<harness::Problem(int ranks)>;

  /// Checks the options; measures nothing. `unit` is what is counted, such as GPU. Throws UsageError for counts that
  /// are no numbers, and for an application without a model.
  ScaleProjection(const ProjectionOptions& options, const harness::Application& application, const std::string& variant,
                  std::string unit, ProblemOn problem_on);

  /// Reads the rates of the link, or measures them with a file in `folder` that does not remain. Returns false if a
  /// signal has stopped the measurement. Throws core::Unavailable if there are none, and io::InputError for the file of
  /// the options.
  bool find_link(const std::string& folder, bool oversubscribe);

  /// Nothing if the first number was not timed.
  std::vector<harness::PredictedPoint> predicted(const std::vector<harness::ScalingPoint>& measured) const;
  /// Lines for below the table: what the model says of the numbers that are measured, and what it assumes.
  std::string notes(const std::vector<harness::ScalingPoint>& measured) const;

 private:
  bool is_on_gpus() const { return variant_->backend == harness::Backend::multi; }
  harness::MeasuredDivision base(const harness::ScalingPoint& first) const;
  harness::PredictedPoint predict(const harness::MeasuredDivision& base, int ranks) const;

  ProjectionOptions options_;
  const harness::Application& application_;
  const harness::Variant* variant_ = nullptr;
  const harness::DivisionModel* model_ = nullptr;
  std::string unit_;
  ProblemOn problem_on_;
  std::vector<int> counts_;
  harness::LinkRates link_;
  std::string source_;  // of the link's rates
};

}  // namespace speedwell::session
