// The runs of all variants on a GPU: as solver_run.hpp, for a solver S that is constructed as
// S(const W&, const Context&, arguments...) on the device of the context and has
//   void execute(const core::Stream&);                 enqueues the timed computation
//   void download(Answer&, const core::Stream&);       returns when the answer is in host memory
// or, where transfers belong to the computation, execute(Answer&, const core::Stream&) and perhaps download();
// and, of the following, what the variant needs:
//   void allocate(); or allocate(const core::Stream&);
//   bool plan(const core::Stream&);
//   void upload(const core::Stream&);                  returns when the inputs are on the device
//   void reset(const core::Stream&);
//   void poison(const core::Stream&);                  overwrites the results on the device
//   verify, choices, updates_so_far                    as on the host
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/harness/measurement/gpu_run.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::harness {

/// Enqueues that every byte of `memory` on the device becomes 0xff: for poison() of a solver that gets the memory of
/// its results from the library. That of a core::DeviceBuffer: core::fill_bytes_async().
template <class T>
void poison_async(std::span<T> memory, const core::Stream& stream) {
  if (!memory.empty()) core::check(cudaMemsetAsync(memory.data(), 0xff, memory.size_bytes(), stream.get()));
}
template <class T>
void poison_async(const std::vector<std::span<T>>& arrays, const core::Stream& stream) {
  for (const std::span<T> array : arrays) poison_async(array, stream);
}

template <VerifiableWorkload W, class S>
class DeviceSolverRun final : public AnsweringRun<W, S, GpuRun> {
  using Answer = typename W::Answer;
  static constexpr bool answers_directly = requires(S & s, Answer& a, const core::Stream& stream) {
    s.execute(a, stream);
  };

 public:
  using AnsweringRun<W, S, GpuRun>::AnsweringRun;

  void allocate() override {
    AnsweringRun<W, S, GpuRun>::allocate();
    if constexpr (requires(S & s, const core::Stream& stream) { s.allocate(stream); })
      this->solver().allocate(this->stream());
  }
  bool plan() override {
    if constexpr (requires(S & s, const core::Stream& stream) { s.plan(stream); })
      return this->solver().plan(this->stream());
    else
      return false;
  }
  void upload() override {
    if constexpr (requires(S & s, const core::Stream& stream) { s.upload(stream); })
      this->solver().upload(this->stream());
  }
  void reset() override {
    if constexpr (requires(S & s, const core::Stream& stream) { s.reset(stream); })
      this->solver().reset(this->stream());
  }
  void poison() override {
    if constexpr (requires(S & s, const core::Stream& stream) { s.poison(stream); }) {
      this->solver().poison(this->stream());
      this->stream().synchronize();
    }
    this->poison_answer();
  }
  void download() override {
    if constexpr (!answers_directly ||
                  requires(S & s, Answer & a, const core::Stream& stream) { s.download(a, stream); })
      this->solver().download(this->answer(), this->stream());
  }

 protected:
  void enqueue() override {
    if constexpr (answers_directly)
      this->solver().execute(this->answer(), this->stream());
    else
      this->solver().execute(this->stream());
  }
};

/// The factory of a variant on a GPU: device_solver<W, S>(arguments...), or device_solver<Inputs, S>(arguments...) of a
/// PrecisionWorkload<Inputs> with S<T>.
template <class W, class S, class... Args>
Variant::Make device_solver(Args... args) {
  return on_device(make_run<W, DeviceSolverRun<W, S>>(std::move(args)...));
}
template <template <class> class Inputs, template <class> class S, class... Args>
Variant::Make device_solver(Args... args) {
  return on_device(
      make_for_precision<Inputs>([=]<class T>(std::shared_ptr<const Inputs<T>> inputs, const Context& context) {
        return std::make_unique<DeviceSolverRun<Inputs<T>, S<T>>>(std::move(inputs), context, args...);
      }));
}

/// The factories of a table of steps, which derive from core::LadderStep: each has the name of its step, and is
/// make(step). A solver may keep the step, which is an element of `steps`.
template <class Steps, class Make>
std::vector<Binding> ladder_bindings(const Steps& steps, Make make) {
  std::vector<Binding> bindings;
  for (const auto& step : steps) bindings.push_back({std::string(step.name), make(step)});
  return bindings;
}

}  // namespace speedwell::harness
