#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "speedwell/apps/uts/searcher.hpp"
#include "speedwell/apps/uts/uts.hpp"
#include "speedwell/core/parts.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::uts {
namespace {

constexpr int steps_between_reports = 1024;
constexpr std::size_t max_nodes_given = 4096;  // nodes at once

/// Adds the nodes that a searcher has counted since the last report to the progress counter.
class Reporter {
 public:
  explicit Reporter(ProgressCounter* progress) : progress_(progress) {}
  void after_step(const Searcher& searcher) {
    if (++steps_ % steps_between_reports == 0) report(searcher);
  }
  void report(const Searcher& searcher) {
    if (!progress_) return;
    const std::uint64_t nodes = searcher.counts().nodes;
    progress_->fetch_add(nodes - reported_, std::memory_order_relaxed);
    reported_ = nodes;
  }

 private:
  ProgressCounter* progress_;
  std::uint64_t reported_ = 0;
  int steps_ = 0;
};

/// Queue of nodes that threads give to idle ones. The search ends when all threads wait and the queue is empty.
class Exchange {
 public:
  /// Sets the number of workers, before any of them starts.
  void begin(int workers) { workers_ = workers; }

  /// Whether more workers wait than nodes are offered for; read without the lock.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed) > 0; }

  /// Offers some of the nodes of a worker to an idle one. They are dropped if a worker has failed.
  void offer(Searcher& from) {
    std::vector<Open> given = from.give(max_nodes_given);
    if (given.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      offered_.push_back(std::move(given));
      count_wanted();
    }
    arrived_.notify_one();
  }
  /// Waits for nodes; returns false when the search has ended.
  bool take(Searcher& to) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    count_wanted();
    if (waiting_ == workers_ && offered_.empty()) over_ = true;
    if (over_) arrived_.notify_all();
    arrived_.wait(lock, [&] { return over_ || !offered_.empty(); });
    if (over_) return false;
    const std::vector<Open> nodes = std::move(offered_.front());
    offered_.pop_front();
    --waiting_;
    count_wanted();
    lock.unlock();
    to.accept(nodes);
    return true;
  }
  /// Ends the search with the current exception.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    over_ = true;
    failed_.store(true, std::memory_order_relaxed);
    arrived_.notify_all();
  }
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void count_wanted() { wanted_.store(waiting_ - static_cast<int>(offered_.size()), std::memory_order_relaxed); }

  int workers_ = 1;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::vector<Open>> offered_;
  int waiting_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
  std::atomic<int> wanted_{0};
  std::atomic<bool> failed_{false};
};

/// The loop of one worker.
void work(Searcher& searcher, Exchange& exchange, ProgressCounter* progress) {
  Reporter reporter(progress);
  try {
    do {
      while (!searcher.empty() && !exchange.failed()) {
        searcher.step();
        reporter.after_step(searcher);
        if (exchange.wanted()) exchange.offer(searcher);
      }
    } while (exchange.take(searcher));
  } catch (...) {
    exchange.fail();
  }
  reporter.report(searcher);
}

}  // namespace

Counts search_serially(const Tree& tree, ProgressCounter* progress) {
  const ChildRule rule(tree);
  Searcher searcher(rule);
  Reporter reporter(progress);
  searcher.begin(tree.seed);
  while (!searcher.empty()) {
    searcher.step();
    reporter.after_step(searcher);
  }
  reporter.report(searcher);
  return searcher.counts();
}

Counts search_in_threads(const Tree& tree, int threads, ProgressCounter* progress) {
  threads = core::resolve_threads(threads);
  if (threads == 1) return search_serially(tree, progress);
  const ChildRule rule(tree);
  // Made here: what cannot be allocated is then the caller's to know.
  std::vector<Searcher> searchers(static_cast<std::size_t>(threads), Searcher(rule));
  searchers.front().begin(tree.seed);
  Exchange exchange;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    exchange.begin(omp_get_num_threads());  // perhaps fewer; all wait here until it is done
    work(searchers[static_cast<std::size_t>(omp_get_thread_num())], exchange, progress);
  }
#endif
  exchange.rethrow();
  Counts all;
  for (const Searcher& s : searchers) merge(all, s.counts());
  return all;
}

}  // namespace speedwell::uts
