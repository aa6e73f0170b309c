// ExposedTime: how long a stream waited for something after its own work. One occasion in eight is measured, since
// events before and after each would take longer than a short exchange; those that follow it count as long. For CUDA
// sources only.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda_trace.hpp"

namespace speedwell::comm {

class ExposedTime {
 public:
  /// Enqueues wait(), which makes `stream` wait.
  template <class Wait>
  void measure(const core::Stream& stream, const Wait& wait) {
    const core::DeviceSpan span("wait for the exchange", core::TraceCategory::wait, stream.get());
    const bool is_measured = occasions_++ % one_of == 0;
    if (is_measured) {
      count();
      before_.record(stream);
    }
    ++uncounted_;
    wait();
    if (!is_measured) return;
    after_.record(stream);
    is_pending_ = true;
  }
  /// The time of all occasions so far, in seconds. Waits for the last that was measured.
  double seconds() {
    count();
    return seconds_;
  }

 private:
  static constexpr int one_of = 8;

  /// Adds the occasions since the last call, each as long as the last that was measured.
  void count() {
    if (is_pending_) {
      after_.synchronize();
      latest_ = after_.seconds_since(before_);
      is_pending_ = false;
    }
    seconds_ += latest_ * static_cast<double>(uncounted_);
    uncounted_ = 0;
  }

  core::Event before_, after_;
  unsigned long long occasions_ = 0, uncounted_ = 0;
  bool is_pending_ = false;
  double latest_ = 0, seconds_ = 0;
};

}  // namespace speedwell::comm
