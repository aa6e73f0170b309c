#include "speedwell/harness/measurement/sensor_watch.hpp"

#include <algorithm>
#include <chrono>

namespace speedwell::harness {

SensorWatch::SensorWatch(machine::Sensors* sensors) : sensors_(sensors) {
  if (sensors_) thread_ = std::thread([this] { run(); });
}

SensorWatch::~SensorWatch() {
  if (!sensors_) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  change_.notify_all();
  thread_.join();
}

void SensorWatch::begin() {
  if (!sensors_) return;
  {
    const std::lock_guard lock(mutex_);
    seen_ = {};
    active_ = true;
    ++passes_;
  }
  change_.notify_all();
}

SensorWatch::Seen SensorWatch::end() {
  const std::lock_guard lock(mutex_);
  active_ = false;
  if (!seen_.clock_MHz) widen(seen_.clock_MHz, last_.clock_MHz);
  if (!seen_.temperature_C) widen(seen_.temperature_C, last_.temperature_C);
  return seen_;
}

bool SensorWatch::throttled() const {
  const std::lock_guard lock(mutex_);
  return throttled_;
}

std::optional<int> SensorWatch::clock_MHz() const {
  const std::lock_guard lock(mutex_);
  return last_.clock_MHz;
}

machine::Reading SensorWatch::read() {
  if (!sensors_) return {};
  const std::lock_guard lock(reading_);
  return sensors_->read();
}

void SensorWatch::note(const machine::Reading& reading) {
  last_ = reading;
  throttled_ = reading.throttled.value_or(false);
  if (!active_) return;
  widen(seen_.clock_MHz, reading.clock_MHz);
  widen(seen_.temperature_C, reading.temperature_C);
}

void SensorWatch::run() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  unsigned passes_read = 0;
  while (!stop_) {
    if (active_) {
      passes_read = passes_;
      lock.unlock();
      const machine::Reading reading = read();
      lock.lock();
      note(reading);
      change_.wait_for(lock, 50ms, [&] { return stop_ || passes_ != passes_read; });
    } else {
      change_.wait(lock, [&] { return stop_ || active_; });
    }
  }
}

void SensorWatch::widen(Range& range, std::optional<int> value) {
  if (!value) return;
  if (!range) range = {*value, *value};
  range = {std::min(range->first, *value), std::max(range->second, *value)};
}

void SensorWatch::widen(Range& range, const Range& other) {
  if (!other) return;
  widen(range, other->first);
  widen(range, other->second);
}

}  // namespace speedwell::harness
