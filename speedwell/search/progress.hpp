// Progress of a long search, reported from a thread of its own, and its closing line, as text.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "speedwell/apps/alignment/database_search/file_search.hpp"

namespace speedwell::search {

/// How far a search is.
struct Progress {
  double cells = 0, all_cells = 0, seconds = 0;
};

/// "25 % of 1e+12 cells, 31.2 GCUPS, 1:07:30 left", for `bar` after "[#####               ]". Without the rate before
/// there is one.
std::string progress_text(const Progress& progress, bool bar);

using database_search::SearchTotals;
/// "10 queries, 500 subjects, 37 hits (2 queries without); 6.4e+08 cells in 0.052 s, 12.3 GCUPS, on DEVICE".
std::string summary_text(const SearchTotals& totals, const std::string& device);

/// Calls `on_progress`, unless it is empty, every so often from a thread of its own, until it is destroyed.
class ProgressMonitor {
 public:
  ProgressMonitor(std::function<void(const Progress&)> on_progress, double all, const std::atomic<std::int64_t>& done,
                  std::chrono::milliseconds every);
  ~ProgressMonitor();
  ProgressMonitor(const ProgressMonitor&) = delete;
  ProgressMonitor& operator=(const ProgressMonitor&) = delete;

 private:
  void report_until_end();

  std::function<void(const Progress&)> on_progress_;
  double all_;
  const std::atomic<std::int64_t>& done_;
  std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace speedwell::search
