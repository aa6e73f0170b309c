#include "speedwell/core/trace.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace speedwell::core {

std::atomic<Trace*> Trace::active_{nullptr};

std::string_view to_string(TraceCategory category) {
  switch (category) {
    case TraceCategory::phase:
      return "phase";
    case TraceCategory::compute:
      return "compute";
    case TraceCategory::halo:
      return "halo";
    case TraceCategory::communication:
      return "communication";
    case TraceCategory::wait:
      return "wait";
    case TraceCategory::copy:
      break;
  }
  return "copy";
}

double Trace::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int Trace::track_locked(std::string_view name) {
  const auto found = std::find(tracks_.begin(), tracks_.end(), name);
  if (found != tracks_.end()) return static_cast<int>(found - tracks_.begin());
  tracks_.emplace_back(name);
  return static_cast<int>(tracks_.size()) - 1;
}

int Trace::track(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return track_locked(name);
}

int Trace::thread_track() {
  const std::lock_guard lock(mutex_);
  const auto id = std::this_thread::get_id();
  for (const auto& [thread, index] : threads_)
    if (thread == id) return index;
  const int index = track_locked("host thread " + std::to_string(threads_.size()));
  threads_.emplace_back(id, index);
  return index;
}

void Trace::add(TraceEvent event) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= max_events)
    ++dropped_;
  else
    events_.push_back(std::move(event));
}

void Trace::add_device_uncertainty(double seconds) { device_uncertainty_ = std::max(device_uncertainty_, seconds); }

void TraceSpan::add() const noexcept {
  const double end = Trace::now();
  try {
    trace_->add({std::string(name_), category_, trace_->thread_track(), begin_, end, bytes_});
  } catch (const std::exception&) {
    // Without memory the span is missing; the work that it describes goes on.
  }
}

}  // namespace speedwell::core
