// A small application of its own for the tests of the harness: y[i] = 2 x[i].
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "speedwell/core/random.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::test {

struct ToyCase : harness::Workload {
  std::vector<double> x;
};

/// The largest |y[i] - (x[i] + x[i])|, which must be 0. NaN, which never passes, if an element is (poison() leaves NaN
/// where nothing was computed, and std::max() would drop it) or if the sizes differ.
inline core::Verdict verify_doubled(const std::vector<double>& x, const std::vector<double>& y) {
  double error = x.size() == y.size() ? 0 : std::nan("");
  for (std::size_t i = 0; i < y.size() && !std::isnan(error); ++i) {
    const double difference = std::abs(y[i] - (x[i] + x[i]));
    if (!(difference <= error)) error = difference;
  }
  return core::Verdict::from_error(error, 0, "x + x");
}

class ToyRun : public harness::Run {
 public:
  enum class Behaviour { right, drifts, throws };
  ToyRun(std::shared_ptr<const ToyCase> prepared, const harness::Context&, Behaviour behaviour, double seconds)
      : case_(std::move(prepared)), behaviour_(behaviour), seconds_(seconds) {}
  void allocate() override { y_.resize(case_->x.size()); }
  void poison() override { y_.assign(y_.size(), std::nan("")); }
  void execute() override {
    if (behaviour_ == Behaviour::throws) throw std::runtime_error("planted");
    if (seconds_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    const double drift = behaviour_ == Behaviour::drifts ? 1e-3 * executes_++ : 0;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = 2 * case_->x[i] + drift;
  }
  core::Verdict verify() override { return verify_doubled(case_->x, y_); }
  std::vector<harness::Output> outputs() override { return {{"y", harness::ElementType::f64, y_.data(), y_.size()}}; }

 private:
  std::shared_ptr<const ToyCase> case_;
  std::vector<double> y_;
  Behaviour behaviour_;
  double seconds_;
  int executes_ = 0;
};

inline harness::Application toy_application() {
  harness::Application a;
  a.name = "toy";
  a.title = "Toy";
  a.summary = "y = 2 x";
  a.update = "element";
  a.parameters = {
      {.key = "n", .default_value = std::int64_t{1000}, .description = "elements", .minimum = 1, .maximum = 1e9},
      {.key = "scale", .default_value = 1.0, .description = "unused real", .minimum = 0},
      {.key = "precision",
       .default_value = std::string("f64"),
       .description = "of the data",
       .choices = {"f64", "f32"}}};
  a.sizes = {{"test", "tiny", {{"n", std::int64_t{100}}}, {}},
             {"small",
              "small",
              {},
              {{"n", {std::int64_t{10}, std::int64_t{20}}}, {"precision", {std::string("f64"), std::string("f32")}}}}};
  a.work = [](const harness::Problem& p) {
    const auto n = static_cast<double>(p.get<std::int64_t>("n"));
    return harness::Work{.operations = n,
                         .arithmetic = harness::Arithmetic::f64,
                         .bytes_read = 8 * n,
                         .bytes_written = 8 * n,
                         .updates = n,
                         .working_set = 16 * n};
  };
  a.footprint = [](const harness::Problem& p) {
    return harness::Footprint{8.0 * static_cast<double>(p.get<std::int64_t>("n")), 0};
  };
  a.prepare = [](const harness::Problem& p) {
    auto c = std::make_shared<ToyCase>();
    for (std::int64_t i = 0; i < p.get<std::int64_t>("n"); ++i)
      c->x.push_back(core::random_uniform(p.seed(), static_cast<std::uint64_t>(i)));
    return c;
  };
  const auto row = [](std::string name, harness::Backend backend, ToyRun::Behaviour b, double seconds) {
    return harness::Variant{.name = std::move(name),
                            .backend = backend,
                            .description = "a row",
                            .make = harness::make_run<ToyCase, ToyRun>(b, seconds)};
  };
  a.variants = {row("serial", harness::Backend::serial, ToyRun::Behaviour::right, 0),
                row("openmp", harness::Backend::openmp, ToyRun::Behaviour::right, 0),
                row("slow", harness::Backend::serial, ToyRun::Behaviour::right, 2e-3),
                row("drifts", harness::Backend::serial, ToyRun::Behaviour::drifts, 0),
                row("throws", harness::Backend::serial, ToyRun::Behaviour::throws, 0),
                {.name = "cuda",
                 .backend = harness::Backend::cuda,
                 .description = "a GPU row",
                 .unavailable_reason = "built without CUDA"}};
  return a;
}

}  // namespace speedwell::test
