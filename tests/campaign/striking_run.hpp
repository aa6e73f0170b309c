// A variant with a race: of every so many executes one leaves a wrong block of elements, whichever pass it belongs to.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"
#include "tests/campaign/faults.hpp"

namespace speedwell::campaign {

class StrikingRun final : public harness::Run {
 public:
  /// `executes`: of all runs of the variant together. `strikes`: how many downloads got a wrong answer.
  StrikingRun(std::unique_ptr<harness::Run> inner, int period, std::uint64_t seed,
              std::shared_ptr<std::atomic<int>> executes, std::shared_ptr<std::atomic<int>> strikes)
      : inner_(std::move(inner)),
        period_(period),
        seed_(seed),
        executes_(std::move(executes)),
        strikes_(std::move(strikes)) {}

  void allocate() override { inner_->allocate(); }
  bool plan() override { return inner_->plan(); }
  void upload() override { inner_->upload(); }
  void reset() override {
    planter_.reset();
    inner_->reset();
  }
  void poison() override { inner_->poison(); }
  void execute() override {
    inner_->execute();
    // Neither the first nor, of whole multiples, the last: those are what has always been looked at.
    struck_ = executes_->fetch_add(1) % period_ == period_ / 2;
  }
  void synchronize() override { inner_->synchronize(); }
  void download() override {
    planter_.reset();
    inner_->download();
    if (!struck_) return;
    for (const harness::Output& output : inner_->outputs()) {
      auto planter = std::make_unique<Planter>(output);
      if (!planter->plant(Fault::block_skipped, seed_).done) continue;
      planter_ = std::move(planter);  // keeps the right values, which it puts back before the next download
      ++*strikes_;
      return;
    }
  }
  core::Verdict verify() override { return inner_->verify(); }
  std::vector<harness::Output> outputs() override { return inner_->outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override { return inner_->choices(); }

 private:
  std::unique_ptr<harness::Run> inner_;
  std::unique_ptr<Planter> planter_;
  int period_;
  std::uint64_t seed_;
  std::shared_ptr<std::atomic<int>> executes_, strikes_;
  bool struck_ = false;
};

/// `variant` with a race that strikes one of `period` executes.
inline harness::Variant striking(const harness::Variant& variant, int period, std::uint64_t seed,
                                 std::shared_ptr<std::atomic<int>> strikes) {
  harness::Variant spoiled = variant;
  spoiled.make = [make = variant.make, period, seed, strikes = std::move(strikes),
                  executes = std::make_shared<std::atomic<int>>(0)](std::shared_ptr<const harness::Workload> prepared,
                                                                    const harness::Context& context) {
    return std::unique_ptr<harness::Run>(
        std::make_unique<StrikingRun>(make(std::move(prepared), context), period, seed, executes, strikes));
  };
  return spoiled;
}

}  // namespace speedwell::campaign
