// Trace: a time line of what a process does, for viewers such as Perfetto. Code marks what it does by spans:
//   const TraceSpan span("interior", TraceCategory::compute);
// Without a recording a span costs one load and a comparison. Spans of work on a GPU: cuda_trace.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace speedwell::core {

/// The kind of work in a span, by which viewers filter.
enum class TraceCategory { phase, compute, halo, communication, wait, copy };
/// The name of the category in the file of a trace.
std::string_view to_string(TraceCategory category);

/// A span of time on a track. Spans of one track are nested or apart; those of different tracks may overlap, and those
/// without a track, such as messages that are under way at the same time, do so with each other.
struct TraceEvent {
  static constexpr int no_track = -1;

  std::string name;
  TraceCategory category = TraceCategory::phase;
  int track = no_track;     // index in Trace::tracks()
  double begin = 0;         // Trace::now(), in seconds
  double end = 0;           // at least `begin`
  std::int64_t bytes = -1;  // of a transfer; negative: not stated
};

class Trace;

/// What records spans by itself and can tell their times only later, as events on a GPU do.
class TraceSource {
 public:
  /// Sources are destroyed with their trace.
  virtual ~TraceSource() = default;
  /// Waits until the recorded spans have ended and adds them to the trace.
  virtual void resolve(Trace& trace) = 0;
};

/// The spans of one process. Threads may add spans at the same time.
class Trace {
 public:
  /// Further spans are counted and dropped.
  static constexpr std::size_t max_events = std::size_t{1} << 20;

  /// The trace that is being recorded; null: none.
  static Trace* active() { return active_.load(std::memory_order_acquire); }
  /// Seconds of the host's monotonic clock, which the processes of a host share.
  static double now();

  /// An empty trace, which begins now.
  Trace() : begin_(now()) {}
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// The track of the calling thread.
  int thread_track();
  /// The track of this name, added at its first use.
  int track(std::string_view name);
  /// Adds a span that has ended.
  void add(TraceEvent event);

  /// The one source of spans whose times are known later; null: none yet.
  TraceSource* source() const { return source_.get(); }
  void set_source(std::unique_ptr<TraceSource> source) { source_ = std::move(source); }
  /// Adds the spans of the source. To be called where its device is current and the memory of its spans exists.
  void resolve() {
    if (source_) source_->resolve(*this);
  }
  /// Notes by how many seconds the times of a device may be off against the host's clock; the maximum counts.
  void add_device_uncertainty(double seconds);

  /// now() at the construction.
  double begin() const { return begin_; }
  /// The members below are for when nothing is recorded.
  const std::vector<std::string>& tracks() const { return tracks_; }
  const std::vector<TraceEvent>& events() const { return events_; }
  /// Number of spans beyond max_events.
  std::size_t dropped() const { return dropped_; }
  /// The largest of add_device_uncertainty(), in seconds.
  double device_uncertainty() const { return device_uncertainty_; }

 private:
  friend class TraceRecording;
  static std::atomic<Trace*> active_;

  /// track(), for callers that hold the mutex.
  int track_locked(std::string_view name);

  double begin_;
  std::mutex mutex_;  // of the members below
  std::vector<std::string> tracks_;
  std::vector<std::pair<std::thread::id, int>> threads_;
  std::vector<TraceEvent> events_;
  std::size_t dropped_ = 0;
  double device_uncertainty_ = 0;
  std::unique_ptr<TraceSource> source_;
};

/// Makes `trace` the active one of the process while it exists. At most one exists at a time.
class TraceRecording {
 public:
  explicit TraceRecording(Trace& trace) { Trace::active_.store(&trace, std::memory_order_release); }
  TraceRecording(const TraceRecording&) = delete;
  TraceRecording& operator=(const TraceRecording&) = delete;
  ~TraceRecording() { Trace::active_.store(nullptr, std::memory_order_release); }
};

/// A span on the track of the calling thread, from its construction to its destruction. `name` must stay valid.
class TraceSpan {
 public:
  /// `bytes` are those of a transfer; negative: not stated.
  TraceSpan(std::string_view name, TraceCategory category, std::int64_t bytes = -1) : trace_(Trace::active()) {
    if (!trace_) return;
    name_ = name;
    category_ = category;
    bytes_ = bytes;
    begin_ = Trace::now();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  ~TraceSpan() {
    if (trace_) add();
  }

 private:
  void add() const noexcept;

  Trace* trace_;
  std::string_view name_;
  TraceCategory category_{};
  std::int64_t bytes_ = -1;
  double begin_ = 0;
};

}  // namespace speedwell::core
