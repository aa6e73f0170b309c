// GpuRun: what every GPU variant's run has: one stream, and two events around the work enqueued by execute().
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/measurement/run.hpp"

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

/// `make` on the device of the context, which a run's stream has to be made on.
inline Variant::Make on_device(Variant::Make make) {
  return [make = std::move(make)](std::shared_ptr<const Workload> prepared, const Context& context) {
    core::check(cudaSetDevice(context.device));
    return make(std::move(prepared), context);
  };
}

}  // namespace speedwell::harness
