// DeviceSpan: a span of a trace on a CUDA stream, between two events that are recorded on it. For CUDA sources only.
//   const DeviceSpan span("interior", TraceCategory::compute, stream.get());
// Work that follows on the stream waits for the second event, so that a traced kernel does not begin before the one
// before it has ended, even if it was launched to overlap. What is captured into a graph has no spans.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/trace.hpp"

namespace speedwell::core {

/// The spans on the streams of the current device. For one host thread at a time. Events that end spans are kept for
/// later spans. Functions throw DeviceError if CUDA fails.
class DeviceTrace final : public TraceSource {
 public:
  /// The source of device spans of this trace, made at the first use.
  static DeviceTrace& of(Trace& trace) {
    if (!trace.source()) trace.set_source(std::make_unique<DeviceTrace>());
    return static_cast<DeviceTrace&>(*trace.source());
  }

  /// Records the beginning of a span and returns its index, which is valid until resolve(). A stream is named after its
  /// first span; it must exist until the span has been resolved. `bytes` are those of a transfer, or -1.
  std::size_t begin(std::string_view name, TraceCategory category, cudaStream_t stream, std::string_view stream_name,
                    std::int64_t bytes) {
    const auto [named, is_new] = streams_.try_emplace(stream);
    if (is_new) named->second = std::string(stream_name) + " (CUDA stream " + std::to_string(streams_.size()) + ")";
    spans_.push_back({std::string(name), category, stream, event(), {}, bytes});
    check(cudaEventRecord(spans_.back().begin->get(), stream));
    return spans_.size() - 1;
  }
  /// Records the end of the span of this index, on the stream of its beginning.
  void end(std::size_t span) {
    spans_[span].end = event();
    check(cudaEventRecord(spans_[span].end->get(), spans_[span].stream));
    spans_[span].has_ended = true;
  }

  /// Waits for the device, adds the spans that have ended to the trace with times of the host's clock, and forgets all.
  void resolve(Trace& trace) override {
    if (spans_.empty()) return;
    check(cudaDeviceSynchronize());
    // Times between events are exact; one event whose time on the host is known places them all.
    const Anchor anchor = fix();
    trace.add_device_uncertainty(anchor.uncertainty);
    for (Span& s : spans_) {
      if (!s.has_ended) continue;  // an exception left it
      const double begin = anchor.host_time - anchor.event->seconds_since(*s.begin);
      const double end = anchor.host_time - anchor.event->seconds_since(*s.end);
      trace.add({s.name, s.category, trace.track(streams_.at(s.stream)), begin, std::max(begin, end), s.bytes});
      free_.push_back(std::move(s.begin));
      free_.push_back(std::move(s.end));
    }
    spans_.clear();
    streams_.clear();  // they may be destroyed before the next span
  }

 private:
  /// Events are not copied, and move between spans and free_.
  using EventPointer = std::unique_ptr<Event>;
  /// A span as it was begun, without times.
  struct Span {
    std::string name;
    TraceCategory category;
    cudaStream_t stream;
    EventPointer begin, end;
    std::int64_t bytes;  // of a transfer; negative: not stated
    bool has_ended = false;
  };
  /// An event whose time on the host's clock is known.
  struct Anchor {
    EventPointer event;
    double host_time = 0;  // seconds, as Trace::now()
    // By which host_time may be off, in seconds.
    double uncertainty = std::numeric_limits<double>::infinity();
  };

  /// An event that no span uses.
  EventPointer event() {
    if (free_.empty()) return std::make_unique<Event>();
    EventPointer last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  /// The event lies between the times before it was recorded and after the host has seen it: of several tries the one
  /// with the shortest interval.
  Anchor fix() {
    const Stream stream;
    Anchor best;
    for (int i = 0; i < 16; ++i) {
      // The stream is empty, so that the event is reached as soon as the device sees it.
      EventPointer tried = std::make_unique<Event>();
      const double before = Trace::now();
      tried->record(stream);
      tried->synchronize();
      const double after = Trace::now();
      if ((after - before) / 2 >= best.uncertainty) continue;
      best = {std::move(tried), (before + after) / 2, (after - before) / 2};
    }
    return best;
  }

  std::vector<Span> spans_;                      // in the order of their beginnings
  std::map<cudaStream_t, std::string> streams_;  // and their names in the trace
  std::vector<EventPointer> free_;               // events of spans that have been resolved
};

/// A span on `stream` from what is enqueued after its construction to what was enqueued before its destruction. Without
/// a recording, and while the stream is captured into a graph, it does nothing.
class DeviceSpan {
 public:
  /// `stream_name` is what the trace calls the stream if this is its first span; `bytes` are those of a transfer.
  /// Throws DeviceError.
  DeviceSpan(std::string_view name, TraceCategory category, cudaStream_t stream,
             std::string_view stream_name = "computation", std::int64_t bytes = -1)
      : trace_(Trace::active()) {
    if (!trace_) return;
    // An event that is recorded while a graph is captured has no time.
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &capture));
    if (capture != cudaStreamCaptureStatusNone) {
      trace_ = nullptr;
      return;
    }
    span_ = DeviceTrace::of(*trace_).begin(name, category, stream, stream_name, bytes);
  }
  DeviceSpan(const DeviceSpan&) = delete;
  DeviceSpan& operator=(const DeviceSpan&) = delete;
  ~DeviceSpan() {
    if (!trace_) return;
    try {
      DeviceTrace::of(*trace_).end(span_);
    } catch (const std::exception&) {
      // The span is missing. An error of the device is reported by the call that follows.
    }
  }

 private:
  Trace* trace_;          // null: nothing is recorded
  std::size_t span_ = 0;  // its index
};

}  // namespace speedwell::core
