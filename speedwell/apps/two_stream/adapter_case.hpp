// What the runs of two_stream share: the atmosphere in either precision, the oracle's answer when it is first asked
// for, the results in host memory, and the run of everything that computes there.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/two_stream/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::two_stream {

template <class T>
class Inputs {
 public:
  explicit Inputs(const Problem& problem) : problem_(problem), data_(problem) {}
  const Problem& problem() const { return problem_; }
  Atmosphere<T> atmosphere() const { return data_.atmosphere(); }
  core::Verdict judge(const Fluxes<const T>& got) const {
    std::call_once(asked_, [this] { expected_ = reference(data_.atmosphere(), problem_.options); });
    return verify<T>(problem_, expected_, got);
  }
  core::Verdict judge(const Coefficients<const T>& got) const { return verify<T>(problem_, data_.atmosphere(), got); }

 private:
  Problem problem_;
  SyntheticAtmosphere<T> data_;
  mutable std::once_flag asked_;
  mutable Answer expected_;
};

using TwoStreamCase = harness::PrecisionCase<Inputs>;

/// Fluxes, or coefficients, in host memory, as every run has them.
template <class T>
class Results {
 public:
  explicit Results(std::shared_ptr<const Inputs<T>> inputs) : inputs_(std::move(inputs)) {}

  void allocate() {
    const Problem& p = inputs_->problem();
    const bool column = p.kernel == Kernel::column, sun = p.source == Source::sun;
    const std::int64_t size = p.columns * (column ? p.layers + 1 : p.layers * p.points);
    arrays_.clear();
    for (int i = 0; i < (column ? 2 : 4) + (sun ? 1 : 0); ++i)
      arrays_.emplace_back(static_cast<std::size_t>(size), core::Pages::large);
  }
  void poison() {
    for (auto& array : arrays_) std::memset(array.data(), 0xff, array.bytes());  // every element a NaN
  }
  Fluxes<T> fluxes() {
    return {arrays_[0].data(), arrays_[1].data(), arrays_.size() > 2 ? arrays_[2].data() : nullptr};
  }
  Coefficients<T> layers() {
    return {.reflected = arrays_[0].data(),
            .transmitted = arrays_[1].data(),
            .direct = arrays_.size() > 4 ? arrays_[4].data() : nullptr,
            .top = arrays_[2].data(),
            .bottom = arrays_[3].data()};
  }
  core::Verdict judge() {
    if (inputs_->problem().kernel == Kernel::column) {
      const Fluxes<T> f = fluxes();
      return inputs_->judge(Fluxes<const T>{f.up, f.down, f.direct});
    }
    const Coefficients<T> c = layers();
    return inputs_->judge(Coefficients<const T>{c.reflected, c.transmitted, c.direct, c.top, c.bottom});
  }
  std::vector<harness::Output> outputs() {
    const bool column = inputs_->problem().kernel == Kernel::column;
    const std::vector<std::string> names = column ? std::vector<std::string>{"up", "down", "direct"}
                                                  : std::vector<std::string>{"R", "T", "top", "bottom", "T0"};
    const Problem& p = inputs_->problem();
    const auto columns = static_cast<std::size_t>(p.columns), layers = static_cast<std::size_t>(p.layers);
    std::vector<std::size_t> extents = {layers + 1, columns};
    if (!column) extents = {static_cast<std::size_t>(p.points), layers, columns};
    std::vector<harness::Output> all;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      all.push_back({.name = names[i],
                     .type = harness::element_type<T>,
                     .data = arrays_[i].data(),
                     .count = arrays_[i].size(),
                     .extents = extents});
    return all;
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  std::vector<core::HostBuffer<T>> arrays_;
};

template <class T>
class HostRun final : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, bool serial)
      : inputs_(std::move(inputs)), options_(inputs_->problem().options), serial_(serial), results_(inputs_) {
    options_.threads = serial ? 1 : context.threads;
  }
  void allocate() override { results_.allocate(); }
  void poison() override { results_.poison(); }
  void execute() override {
    const Atmosphere<T> a = inputs_->atmosphere();
    if (inputs_->problem().kernel == Kernel::column)
      serial_ ? solve_serially(a, options_, results_.fluxes()) : solve_unchecked(a, options_, results_.fluxes());
    else
      serial_ ? layer_coefficients_serially(a, options_, results_.layers())
              : layer_coefficients(a, options_, results_.layers());
  }
  core::Verdict verify() override { return results_.judge(); }
  std::vector<harness::Output> outputs() override { return results_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    if (serial_) return {};
    return {{"instruction_set", std::string(core::to_string(core::best_isa()))},
            {"threads_at_most", std::to_string(options_.threads)}};
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  Options options_;
  bool serial_;
  Results<T> results_;
};

}  // namespace speedwell::two_stream
