// ExposedTime: how long a stream waited for something after its own work, of one occasion in eight, which stands for
// them: events before and after each would take longer than a short exchange. For CUDA sources only.
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
    const bool is_measured = count_++ % one_of == 0;
    if (is_measured) {
      add();
      before_.record(stream);
    }
    wait();
    if (!is_measured) return;
    after_.record(stream);
    is_pending_ = true;
  }
  /// The time of all occasions so far. Waits for the last that was measured.
  double seconds() {
    add();
    return seconds_;
  }

 private:
  static constexpr int one_of = 8;

  void add() {
    if (!is_pending_) return;
    after_.synchronize();
    seconds_ += after_.seconds_since(before_) * one_of;
    is_pending_ = false;
  }

  core::Event before_, after_;
  unsigned long long count_ = 0;
  bool is_pending_ = false;
  double seconds_ = 0;
};

}  // namespace speedwell::comm
