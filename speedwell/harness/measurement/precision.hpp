// For applications whose data are in single or double precision: the parameter that chooses it, a workload that holds
// the inputs in one of the two, and the factory of runs for that precision.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::harness {

/// The parameter of the precision. `description`: of which data.
inline Parameter precision_parameter(std::string description) {
  return choice("precision", "f64", std::move(description), {"f64", "f32"});
}
inline Sweep both_precisions() { return {"precision", {"f64", "f32"}}; }

/// The precision of a problem whose application has that parameter, and what follows from it.
inline bool is_f32(const Problem& problem) { return problem.get<std::string>("precision") == "f32"; }
inline double real_bytes(const Problem& problem) { return is_f32(problem) ? sizeof(float) : sizeof(double); }
inline Arithmetic real_arithmetic(const Problem& problem) {
  return is_f32(problem) ? Arithmetic::f32 : Arithmetic::f64;
}

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
