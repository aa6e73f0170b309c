// The toy application on ranks: each computes its part, which the first one gathers, and the last one may fail while it
// does. Variants on several GPUs compute on the host, too, and tell the device that they were given.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "tests/support/toy.hpp"

namespace speedwell::test {

/// An action of a rank in addition to its part of the work.
using Deed = std::function<void(const comm::Communicator& ranks)>;

class RanksRun : public harness::Run {
 public:
  RanksRun(std::shared_ptr<const ToyCase> prepared, const harness::Context& context, double factor, Deed deed)
      : case_(std::move(prepared)),
        ranks_(*context.ranks),
        device_(context.device),
        factor_(factor),
        deed_(std::move(deed)) {}

  void allocate() override { y_.resize(size()); }
  void upload() override {
    x_ = case_->x;
    x_.resize(size());
    ranks_.broadcast(std::span<double>(x_));
  }
  void poison() override { y_.assign(y_.size(), std::nan("")); }
  void execute() override {
    deed_(ranks_);
    const auto [begin, end] = part(ranks_.rank());
    for (std::int64_t i = begin; i < end; ++i)
      y_[static_cast<std::size_t>(i)] = factor_ * x_[static_cast<std::size_t>(i)];
  }
  void download() override {
    for (int r = 1; r < ranks_.size(); ++r) {
      const auto [begin, end] = part(r);
      const std::span<double> values(y_.data() + begin, y_.data() + end);
      if (ranks_.rank() == 0) ranks_.receive(values, r);
      if (ranks_.rank() == r) ranks_.send(std::span<const double>(values), 0);
    }
  }
  core::Verdict verify() override { return verify_doubled(case_->x, y_); }
  std::vector<std::pair<std::string, std::string>> choices() override { return {{"device", std::to_string(device_)}}; }
  std::vector<harness::Output> outputs() override { return {{"y", harness::ElementType::f64, y_.data(), y_.size()}}; }

 private:
  /// The first rank alone has the data.
  std::size_t size() const {
    return static_cast<std::size_t>(ranks_.broadcast(static_cast<std::int64_t>(case_->x.size())));
  }
  comm::Range part(int rank) const { return comm::part_of(static_cast<std::int64_t>(y_.size()), ranks_.size(), rank); }

  std::shared_ptr<const ToyCase> case_;
  const comm::Communicator& ranks_;
  int device_;
  double factor_;
  Deed deed_;
  std::vector<double> x_, y_;
};

inline Deed of_the_last(std::function<void()> deed) {
  return [deed = std::move(deed)](const comm::Communicator& ranks) {
    if (ranks.rank() == ranks.size() - 1) deed();
  };
}

/// A variant of the toy on ranks, `factor` times x in place of 2 x.
inline harness::Variant toy_on_ranks(std::string name, harness::Backend backend, double factor, Deed deed) {
  return {.name = std::move(name),
          .backend = backend,
          .description = "a row",
          .make = harness::make_run<ToyCase, RanksRun>(factor, std::move(deed))};
}
/// Workloads of the ranks other than the first, which have no data.
inline std::shared_ptr<const harness::Workload> no_toy_data(const harness::Problem&) {
  return std::make_shared<ToyCase>();
}

}  // namespace speedwell::test
