// FaultyRun: wraps any application's run and plants one fault in what it hands to verify(). Test-only variants made
// from it must be rejected by every application's verdict.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/measurement/element_bytes.hpp"
#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::test {

enum class Fault {
  none,          // the control: must pass
  no_op,         // execute does nothing: the poison stays
  last_skipped,  // the last element of the last output keeps the poison
  one_nan,       // one element is NaN (the largest value, of integers)
  stale,         // the answer to another problem of the same shape
  off_by_one,    // every element stands one place too far
};
inline const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> faults = {Fault::no_op, Fault::last_skipped, Fault::one_nan, Fault::stale,
                                            Fault::off_by_one};
  return faults;
}
inline std::string to_string(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::no_op:
      return "no_op";
    case Fault::last_skipped:
      return "last_skipped";
    case Fault::one_nan:
      return "one_nan";
    case Fault::stale:
      return "stale";
    case Fault::off_by_one:
      return "off_by_one";
  }
  return "";
}

class FaultyRun final : public harness::Run {
 public:
  /// `other`: a run of the same variant on another problem of the same shape, for Fault::stale; else may be null.
  FaultyRun(std::unique_ptr<harness::Run> inner, Fault fault, std::unique_ptr<harness::Run> other)
      : inner_(std::move(inner)), other_(std::move(other)), fault_(fault) {}

  void allocate() override {
    inner_->allocate();
    if (fault_ == Fault::stale && other_) other_->allocate();
  }
  bool plan() override {
    if (fault_ == Fault::stale && other_) other_->plan();
    return inner_->plan();
  }
  void upload() override {
    inner_->upload();
    if (fault_ == Fault::stale && other_) other_->upload();
  }
  void reset() override { inner_->reset(); }
  void poison() override { inner_->poison(); }
  void execute() override {
    if (fault_ != Fault::no_op) inner_->execute();
  }
  void synchronize() override { inner_->synchronize(); }
  void download() override {
    inner_->download();
    plant();
  }
  core::Verdict verify() override { return inner_->verify(); }
  std::vector<harness::Output> outputs() override { return inner_->outputs(); }

 private:
  static char* at(const harness::Output& o, std::size_t i) {
    return static_cast<char*>(o.data) + i * harness::element_bytes(o.type);
  }

  void plant() {
    auto outputs = inner_->outputs();
    if (outputs.empty()) return;
    harness::Output& last = outputs.back();
    if (last.count == 0) return;
    const std::size_t size = harness::element_bytes(last.type);
    switch (fault_) {
      case Fault::none:
      case Fault::no_op:
        return;
      case Fault::last_skipped:
        std::memset(at(last, last.count - 1), 0xff, size);
        return;
      case Fault::one_nan:
        spoil(at(last, last.count / 2), last.type);
        return;
      case Fault::off_by_one:
        std::memmove(at(last, 1), at(last, 0), (last.count - 1) * size);
        if (last.count == 1) std::memset(at(last, 0), 0x7f, size);  // nothing to shift: a wrong value
        return;
      case Fault::stale:
        other_->reset();
        other_->poison();
        other_->execute();
        other_->synchronize();
        other_->download();
        const auto theirs = other_->outputs();
        for (std::size_t o = 0; o < outputs.size(); ++o)
          std::memcpy(outputs[o].data, theirs[o].data,
                      std::min(outputs[o].count, theirs[o].count) * harness::element_bytes(outputs[o].type));
        return;
    }
  }

  static void spoil(char* where, harness::ElementType type) {
    if (type == harness::ElementType::f64) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::memcpy(where, &nan, sizeof nan);
    } else if (type == harness::ElementType::f32) {
      const float nan = std::numeric_limits<float>::quiet_NaN();
      std::memcpy(where, &nan, sizeof nan);
    } else {
      std::memset(where, 0x7f, harness::element_bytes(type));
    }
  }

  std::unique_ptr<harness::Run> inner_, other_;
  Fault fault_;
};

/// A test-only variant: `variant` with `fault` planted. `other` is the case of another problem of the same shape.
inline harness::Variant with_fault(const harness::Variant& variant, Fault fault,
                                   std::shared_ptr<const harness::Workload> other) {
  harness::Variant faulty = variant;
  faulty.name = variant.name + "-" + to_string(fault);
  const auto make = variant.make;
  faulty.make = [=](std::shared_ptr<const harness::Workload> prepared,
                    const harness::Context& context) -> std::unique_ptr<harness::Run> {
    return std::make_unique<FaultyRun>(make(prepared, context), fault, other ? make(other, context) : nullptr);
  };
  return faulty;
}

/// Whether a run of `variant` on `prepared` with a fault passes, led as the harness leads it through two passes.
/// `other`: a problem whose results are stale here.
inline bool passes(const harness::Variant& variant, Fault fault,
                   const std::shared_ptr<const harness::Workload>& prepared,
                   const std::shared_ptr<const harness::Workload>& other) {
  FaultyRun run(variant.make(prepared, {}), fault, variant.make(other, {}));
  run.allocate();
  run.upload();
  for (int pass = 0; pass < 2; ++pass) {
    run.reset();
    run.poison();
    run.execute();
    run.synchronize();
  }
  run.download();
  return run.verify().passed;
}

}  // namespace speedwell::test
