// GpuRun: what every GPU variant's run has: one stream, and two events around the work enqueued by execute().
#pragma once

#include <optional>

#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/run.hpp"

namespace speedwell::harness {

class GpuRun : public Run {
 public:
  void execute() final {
    begin_.record(stream_);
    enqueue();
    end_.record(stream_);
  }
  void synchronize() final { stream_.synchronize(); }
  std::optional<double> device_seconds() override { return end_.seconds_since(begin_); }

 protected:
  /// Puts the computation on stream().
  virtual void enqueue() = 0;
  const core::Stream& stream() const { return stream_; }

 private:
  core::Stream stream_;
  core::Event begin_, end_;
};

}  // namespace speedwell::harness
