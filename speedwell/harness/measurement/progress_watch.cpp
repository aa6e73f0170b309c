#include "speedwell/harness/measurement/progress_watch.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace speedwell::harness {

ProgressWatch::ProgressWatch(const Say& say, std::chrono::milliseconds every) : say_(say), every_(every) {
  if (say_) thread_ = std::thread([this] { look(); });
}

ProgressWatch::~ProgressWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  change_.notify_one();
  thread_.join();
}

void ProgressWatch::announce(std::string title) {
  const std::lock_guard lock(mutex_);
  run_ = nullptr;
  title_ = std::move(title);
}

void ProgressWatch::watch(const Run& run, std::string title, double all, std::string unit) {
  const std::lock_guard lock(mutex_);
  run_ = &run;
  title_ = std::move(title);
  all_ = all;
  unit_ = std::move(unit);
}

void ProgressWatch::leave() {
  const std::lock_guard lock(mutex_);
  run_ = nullptr;
  title_.clear();
}

void ProgressWatch::look() {
  std::unique_lock lock(mutex_);
  while (!change_.wait_for(lock, every_, [this] { return stop_; })) {
    if (title_.empty()) continue;
    const auto done = run_ ? run_->updates_so_far() : std::nullopt;
    say_(done ? progress_text(title_, *done, all_, unit_) : title_);
  }
}

std::string progress_text(const std::string& title, double done, double all, const std::string& unit) {
  if (!(all > 0) || done > all) return fmt::format("{}, {:.3g} {}s", title, done, unit);
  return fmt::format("{}, {:.0f} % of {:.3g} {}s", title, 100 * done / all, all, unit);
}

}  // namespace speedwell::harness
