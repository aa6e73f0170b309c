// Timer: what a scope takes, added to a sum: the time that a rank communicates and does not compute.
#pragma once

#include <chrono>

namespace speedwell::comm {

/// Adds the seconds from its construction to its destruction to `seconds`, which must outlive it.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace speedwell::comm
