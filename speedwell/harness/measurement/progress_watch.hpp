// Says how far a run is while it computes, from a thread of its own that wakes once a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::harness {

class ProgressWatch {
 public:
  using Say = std::function<void(const std::string&)>;
  /// Watches nothing if `say` is empty; it must outlive the watch. `say` is called by one thread at a time: by the
  /// watch's only between watch() and leave().
  explicit ProgressWatch(const Say& say, std::chrono::milliseconds every = std::chrono::seconds(1));
  ~ProgressWatch();
  ProgressWatch(const ProgressWatch&) = delete;
  ProgressWatch& operator=(const ProgressWatch&) = delete;

  /// From now on: `title`, of something that cannot tell how far it is.
  void announce(std::string title);
  /// From now on: `title`, and how many of about `all` updates, whose name is `unit`, the run has done. No more than
  /// the title of a run that does not know.
  void watch(const Run& run, std::string title, double all, std::string unit);
  /// No longer; a run is left before it ends.
  void leave();

 private:
  void look();

  const Say& say_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;  // of what follows, and of the call of say_
  std::condition_variable change_;
  const Run* run_ = nullptr;
  std::string title_, unit_;
  double all_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

/// "title, 29 % of 4.2e+09 nodes"; what is done may be more than was expected.
std::string progress_text(const std::string& title, double done, double all, const std::string& unit);

}  // namespace speedwell::harness
