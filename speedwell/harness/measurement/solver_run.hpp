// The runs of all variants on the host. An application hands over a workload (inputs, memory of an answer, verdict) and
// a solver (what one variant does with it); the class template here makes a Run of the two, so that no application
// writes one of its own. Variants on a GPU: device_solver_run.hpp.
//
// A workload W is a harness::Workload, or the inputs in one precision of a PrecisionWorkload:
//   using Answer = ...;                                a movable type that owns the results of a run in host memory
//   Answer make_answer() const;                        its memory, not yet written
//   std::vector<Output> outputs(Answer&) const;
//   core::Verdict verify(const Answer&) const;         holds it against the oracle, which is computed at the first call
//   void poison(Answer&) const;                        optional; instead of filling the outputs with 0xff bytes
//
// A solver S is constructed as S(const W&, const Context&, arguments...) and has
//   void execute(Answer&);                             the timed computation
// and, of the following, what the variant needs (see Run for when each is called):
//   void allocate(); or allocate(Answer&);
//   bool plan(Answer&);
//   void upload();
//   void reset();                                      execute() advances a state: begins it anew
//   void reset(Answer&);                               the same where that state is the answer itself
//   void download(Answer&);                            collects what execute() has left elsewhere, on other ranks for
//                                                      example
//   void poison();                                     overwrites memory of its own, besides the answer
//   void poison(Answer&);                              instead of filling the outputs with 0xff bytes
//   core::Verdict verify(const Answer&);               replaces that of the workload
//   choices() or choices(const Answer&);               see Run::choices()
//   std::optional<double> updates_so_far() const;
//   double exchange_seconds() const;                   of variants on ranks: see Run::exchange_seconds()
// Instead of reset(), a solver whose execute() overwrites what upload() has set, and that has no room for a copy of it:
//   static constexpr bool uploads_again = true;        upload() is called before every execute()
// A variant that is no more than a function needs no class: see host_function(). Solvers on ranks: OnRanks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/measurement/element_bytes.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::harness {

template <class W>
concept VerifiableWorkload = requires(const W& w, typename W::Answer& answer, const typename W::Answer& got) {
  { w.make_answer() } -> std::same_as<typename W::Answer>;
  { w.outputs(answer) } -> std::same_as<std::vector<Output>>;
  { w.verify(got) } -> std::same_as<core::Verdict>;
};

using Choices = std::vector<std::pair<std::string, std::string>>;

/// `first`, followed by `more`.
inline Choices joined(Choices first, const Choices& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// Fills memory of the host with 0xff bytes: for poison() of a solver with results of its own.
template <class T>
void poison_host(std::span<T> memory) {
  if (!memory.empty()) std::memset(static_cast<void*>(memory.data()), 0xff, memory.size_bytes());
}

/// The base of a solver on ranks, with the workload and the ranks of the context. Every rank has such a solver; the
/// first one alone has the data of the workload and the answer, so that it distributes the one and collects the other.
template <class W>
class OnRanks {
 public:
  OnRanks(const W& workload, const Context& context) : workload_(workload), ranks_(*context.ranks) {}

 protected:
  bool is_root() const { return ranks_.rank() == 0; }
  /// The address of `data` on the first rank, nullptr on all others: what scatter() and gather() of libraries take.
  template <class T>
  T* on_root(T& data) const {
    return is_root() ? &data : nullptr;
  }

  const W& workload_;
  const comm::Communicator& ranks_;
};

/// What runs on the host and on a GPU have in common: the workload, the answer, and what is said of it.
template <VerifiableWorkload W, class S, class Base>
class AnsweringRun : public Base {
 public:
  using Answer = typename W::Answer;

  template <class... Args>
  AnsweringRun(std::shared_ptr<const W> workload, const Context& context, Args&&... args)
      : workload_(std::move(workload)),
        threads_(context.threads),
        has_answer_(context.ranks == nullptr || context.ranks->rank() == 0),
        solver_(*workload_, context, std::forward<Args>(args)...) {}

  void allocate() override {
    if (has_answer_) answer_ = workload_->make_answer();
    if constexpr (requires(S & s, Answer & a) { s.allocate(a); })
      solver_.allocate(answer_);
    else if constexpr (requires(S & s) { s.allocate(); })
      solver_.allocate();
  }
  core::Verdict verify() override {
    const Answer& got = answer_;
    if constexpr (requires(S & s) { s.verify(got); })
      return solver_.verify(got);
    else
      return workload_->verify(got);
  }
  std::vector<Output> outputs() override { return workload_->outputs(answer_); }
  Choices choices() override {
    if constexpr (requires(S & s, const Answer& a) { s.choices(a); })
      return solver_.choices(std::as_const(answer_));
    else if constexpr (requires(S & s) { s.choices(); })
      return solver_.choices();
    else
      return {};
  }
  std::optional<double> exchange_seconds() const override {
    if constexpr (requires(const S& s) { s.exchange_seconds(); })
      return solver_.exchange_seconds();
    else
      return std::nullopt;
  }
  std::optional<double> updates_so_far() const override {
    if constexpr (requires(const S& s) { s.updates_so_far(); })
      return solver_.updates_so_far();
    else
      return std::nullopt;
  }

 protected:
  /// Fills all outputs with 0xff bytes, by the threads that will write them, so that each page lies in the memory next
  /// to its thread.
  void poison_answer() {
    if (!has_answer_) return;
    if constexpr (requires(Answer & a) { workload_->poison(a); }) return workload_->poison(answer_);
    for (const Output& output : workload_->outputs(answer_)) {
      auto* bytes = static_cast<unsigned char*>(output.data);
      core::parallel_for(output.count * element_bytes(output.type), 1, threads_,
                         [&](std::size_t begin, std::size_t end) { std::memset(bytes + begin, 0xff, end - begin); });
    }
  }
  S& solver() { return solver_; }
  Answer& answer() { return answer_; }

 private:
  std::shared_ptr<const W> workload_;
  int threads_;
  bool has_answer_;  // only on the first rank
  S solver_;
  Answer answer_{};
};

/// The run of a variant on the host.
template <VerifiableWorkload W, class S>
class HostSolverRun final : public AnsweringRun<W, S, Run> {
  using Answer = typename W::Answer;
  static constexpr bool advances_answer = requires(S & s, Answer& a) { s.reset(a); };

 public:
  using AnsweringRun<W, S, Run>::AnsweringRun;

  bool plan() override {
    if constexpr (requires(S & s, Answer & a) { s.plan(a); })
      return this->solver().plan(this->answer());
    else
      return false;
  }
  void upload() override {
    if constexpr (requires(S & s) { s.upload(); }) this->solver().upload();
    is_as_uploaded_ = true;
  }
  void reset() override {
    if constexpr (requires { S::uploads_again; }) {
      if (!is_as_uploaded_) upload();
    } else if constexpr (advances_answer) {
      this->solver().reset(this->answer());
    } else if constexpr (requires(S & s) { s.reset(); }) {
      this->solver().reset();
    }
  }
  /// An answer that execute() advances needs none: what is not computed keeps its initial value, which is wrong.
  void poison() override {
    if constexpr (requires(S & s, Answer & a) { s.poison(a); })
      this->solver().poison(this->answer());
    else if constexpr (!advances_answer)
      this->poison_answer();
    if constexpr (requires(S & s) { s.poison(); }) this->solver().poison();
  }
  void execute() override {
    is_as_uploaded_ = false;
    this->solver().execute(this->answer());
  }
  void download() override {
    if constexpr (requires(S & s, Answer & a) { s.download(a); }) this->solver().download(this->answer());
  }

 private:
  bool is_as_uploaded_ = false;  // no execute() since upload()
};

/// The choices of a variant that is one function, as they follow from the context.
using ContextChoices = Choices (*)(const Context&);

/// The solver of a variant that is one function: function(workload, answer, context).
template <class W, class Function>
class FunctionSolver {
 public:
  FunctionSolver(const W& workload, const Context& context, Function function, ContextChoices context_choices)
      : workload_(workload), context_(context), function_(std::move(function)), choices_(context_choices) {}
  void execute(typename W::Answer& answer) { function_(workload_, answer, context_); }
  Choices choices() const { return choices_ ? choices_(context_) : Choices{}; }

 private:
  const W& workload_;
  Context context_;
  Function function_;
  ContextChoices choices_;
};

/// The factory of a variant on the host: host_solver<W, S>(arguments...), or host_solver<Inputs, S>(arguments...) of a
/// PrecisionWorkload<Inputs> with S<T>.
template <class W, class S, class... Args>
Variant::Make host_solver(Args... args) {
  return make_run<W, HostSolverRun<W, S>>(std::move(args)...);
}
template <template <class> class Inputs, template <class> class S, class... Args>
Variant::Make host_solver(Args... args) {
  return make_for_precision<Inputs>([=]<class T>(std::shared_ptr<const Inputs<T>> inputs, const Context& context) {
    return std::make_unique<HostSolverRun<Inputs<T>, S<T>>>(std::move(inputs), context, args...);
  });
}

/// The factory of a variant that is one function: host_function<W>(f) or host_function<Inputs>(f), with
/// f(const W& workload, W::Answer& answer, const Context&), and perhaps its choices.
template <class W, class Function>
Variant::Make host_function(Function function, ContextChoices choices = nullptr) {
  return host_solver<W, FunctionSolver<W, Function>>(std::move(function), choices);
}
template <template <class> class Inputs, class Function>
Variant::Make host_function(Function function, ContextChoices choices = nullptr) {
  return make_for_precision<Inputs>([=]<class T>(std::shared_ptr<const Inputs<T>> inputs, const Context& context) {
    using W = Inputs<T>;
    return std::make_unique<HostSolverRun<W, FunctionSolver<W, Function>>>(std::move(inputs), context, function,
                                                                           choices);
  });
}

}  // namespace speedwell::harness
