// For applications whose data are in single or double precision: a workload that holds the inputs in one of the two,
// and the factory of runs for that precision.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "speedwell/harness/application.hpp"

namespace speedwell::harness {

/// Inputs<float> or Inputs<double>, made from the same arguments.
template <template <class> class Inputs>
class PrecisionWorkload : public Workload {
 public:
  template <class... Args>
  explicit PrecisionWorkload(bool f32, const Args&... args) {
    if (f32)
      inputs_ = std::make_shared<const Inputs<float>>(args...);
    else
      inputs_ = std::make_shared<const Inputs<double>>(args...);
  }
  const auto& inputs() const { return inputs_; }

 private:
  std::variant<std::shared_ptr<const Inputs<float>>, std::shared_ptr<const Inputs<double>>> inputs_;
};

/// A factory that calls make(std::shared_ptr<const Inputs<T>>, const Context&), which returns a unique_ptr to a run,
/// with the T of the workload.
template <template <class> class Inputs, class Make>
Variant::Make make_for_precision(Make make) {
  return [=](std::shared_ptr<const Workload> prepared, const Context& context) {
    return std::visit(
        [&]<class T>(const std::shared_ptr<const Inputs<T>>& inputs) -> std::unique_ptr<Run> {
          return make(inputs, context);
        },
        static_cast<const PrecisionWorkload<Inputs>&>(*prepared).inputs());
  };
}

template <class T>
constexpr ElementType element_type = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;

}  // namespace speedwell::harness
