#include "speedwell/search/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "speedwell/core/units.hpp"

namespace speedwell::search {
namespace {

std::string clock(double seconds) {
  const auto s = static_cast<std::int64_t>(std::min(std::ceil(seconds), 1e9));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

using core::counted;

}  // namespace

std::string summary_text(const SearchTotals& t, const std::string& device) {
  std::string text =
      counted(t.queries, "query", "queries") + ", " + counted(t.subjects, "subject") + ", " + counted(t.hits, "hit");
  if (t.queries_without_hits > 0)
    text += fmt::format(" ({} without)", counted(t.queries_without_hits, "query", "queries"));
  text += fmt::format("; {:.3g} cells in {}", t.cells, core::format_seconds(t.seconds));
  if (t.seconds > 0) text += fmt::format(", {:.1f} GCUPS", t.cells / t.seconds * 1e-9);
  return device.empty() ? text : text + ", on " + device;
}

std::string progress_text(const Progress& progress, bool bar) {
  const auto [done, all, seconds] = progress;
  const double part = all > 0 ? std::clamp(done / all, 0.0, 1.0) : 1;
  std::string text;
  if (bar) {
    constexpr std::size_t width = 30;
    text = std::string(static_cast<std::size_t>(part * width), '#');
    text.resize(width, ' ');
    text = "[" + text + "] ";
  }
  text += fmt::format("{:3.0f} %", std::floor(100 * part));
  if (done <= 0 || seconds <= 0) return text;
  return text + fmt::format(" of {:.2g} cells, {:.1f} GCUPS, {} left", all, done / seconds * 1e-9,
                            clock((all - std::min(done, all)) * seconds / done));
}

ProgressMonitor::ProgressMonitor(std::function<void(const Progress&)> on_progress, double all,
                                 const std::atomic<std::int64_t>& done, std::chrono::milliseconds every)
    : on_progress_(std::move(on_progress)), all_(all), done_(done), every_(every) {
  if (on_progress_) thread_ = std::thread([this] { report_until_end(); });
}

ProgressMonitor::~ProgressMonitor() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ProgressMonitor::report_until_end() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, every_, [this] { return end_; })) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    on_progress_({static_cast<double>(done_.load()), all_, seconds});
  }
}

}  // namespace speedwell::search
