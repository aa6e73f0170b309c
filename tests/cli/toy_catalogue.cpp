// A catalogue of one application, y = 2 x, for the tests of commands on ranks: each rank computes its part, which the
// first one gathers, and the last one may fail while it does.
#include <csignal>
#include <functional>
#include <span>

#include "speedwell/catalogue.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/error.hpp"
#include "tests/support/toy.hpp"

namespace speedwell {
namespace {

/// An action of a rank in addition to its part of the work.
using Deed = std::function<void(const comm::Communicator& ranks)>;

class RanksRun : public harness::Run {
 public:
  RanksRun(std::shared_ptr<const test::ToyCase> prepared, const harness::Context& context, double factor, Deed deed)
      : case_(std::move(prepared)), ranks_(*context.ranks), factor_(factor), deed_(std::move(deed)) {}

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
  core::Verdict verify() override {
    double error = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) error = std::max(error, std::abs(y_[i] - (case_->x[i] + case_->x[i])));
    return core::Verdict::from_error(error, 0, "x + x");
  }
  std::vector<harness::Output> outputs() override { return {{"y", harness::ElementType::f64, y_.data(), y_.size()}}; }

 private:
  /// The first rank alone has the data.
  std::size_t size() const {
    return static_cast<std::size_t>(ranks_.broadcast(static_cast<std::int64_t>(case_->x.size())));
  }
  comm::Range part(int rank) const { return comm::part_of(static_cast<std::int64_t>(y_.size()), ranks_.size(), rank); }

  std::shared_ptr<const test::ToyCase> case_;
  const comm::Communicator& ranks_;
  double factor_;
  Deed deed_;
  std::vector<double> x_, y_;
};

Deed of_the_last(std::function<void()> deed) {
  return [deed = std::move(deed)](const comm::Communicator& ranks) {
    if (ranks.rank() == ranks.size() - 1) deed();
  };
}

}  // namespace

std::vector<harness::Application> catalogue() {
  harness::Application toy = test::toy_application();
  toy.prepare_rank = [](const harness::Problem&) { return std::make_shared<test::ToyCase>(); };
  const auto row = [&](std::string name, double factor, Deed deed) {
    toy.variants.push_back({.name = std::move(name),
                            .backend = harness::Backend::mpi,
                            .description = "a row",
                            .make = harness::make_run<test::ToyCase, RanksRun>(factor, std::move(deed))});
  };
  row("mpi", 2, of_the_last([] {}));
  row("mpi-wrong", 3, of_the_last([] {}));
  row("mpi-slow", 2, of_the_last([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
  row("mpi-endless", 2, of_the_last([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }));
  row("mpi-throws", 2, of_the_last([] { throw core::DeviceError("planted"); }));
  row("mpi-throws-everywhere", 2, [](const comm::Communicator&) { throw core::Unavailable("planted everywhere"); });
  row("mpi-killed", 2, of_the_last([] { std::raise(SIGKILL); }));
  return {toy};
}

}  // namespace speedwell
