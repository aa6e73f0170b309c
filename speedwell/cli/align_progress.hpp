// Progress of a long search, on the error stream.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace speedwell::cli {

enum class ProgressStyle {
  none,
  bar,   // for a terminal: one line that is drawn over itself ten times a second
  lines  // elsewhere: a line a minute
};

/// "[#####               ]  25 %, 31.2 GCUPS, 1:07:30 left". Without the rate before there is one.
std::string progress_text(double done, double all, double seconds, bool bar);

/// The totals of a search, for its closing line. `cells` are those of the search for scores; `seconds` contain
/// alignments.
struct SearchTotals {
  std::size_t queries = 0, subjects = 0, hits = 0, queries_without_hits = 0;
  double cells = 0, seconds = 0;
};
/// "10 queries, 500 subjects, 37 hits (2 queries without); 6.4e+08 cells in 0.052 s, 12.3 GCUPS, on DEVICE".
std::string summary_text(const SearchTotals& totals, const std::string& device);

/// Shows done / all of some cells from a thread of its own, until it is destroyed, which takes the bar away.
class Progress {
 public:
  Progress(ProgressStyle style, std::ostream& err, double all, const std::atomic<std::int64_t>& done,
           std::chrono::milliseconds every);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show_until_end();

  ProgressStyle style_;
  std::ostream& err_;
  double all_;
  const std::atomic<std::int64_t>& done_;
  std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace speedwell::cli
