// The threads of a block on the host: the kernels' logic without a GPU. HostBlock steps them one after another;
// ThreadBlock is one thread of many real ones, which all run everything, as on a GPU.
#pragma once

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace speedwell::ssca1::test {

struct HostBlock {
  int count = 5;
  int threads() const { return count; }
  template <class F>
  void each(F&& f) const {
    for (int thread = 0; thread < count; ++thread) f(thread);
  }
  template <class F>
  bool any(F&& f) const {
    bool one = false;
    for (int thread = 0; thread < count; ++thread) one |= f(thread);
    return one;
  }
  template <class F>
  void few(F&& f) const {
    f(*this);
  }
};

class ThreadBlock {
 public:
  ThreadBlock(int thread, std::barrier<>& barrier, std::vector<char>& votes)
      : thread_(thread), barrier_(barrier), votes_(votes) {}
  int threads() const { return static_cast<int>(votes_.size()); }
  template <class F>
  void each(F&& f) const {
    f(thread_);
    barrier_.arrive_and_wait();
  }
  template <class F>
  bool any(F&& f) const {
    votes_[static_cast<std::size_t>(thread_)] = f(thread_);
    barrier_.arrive_and_wait();
    bool one = false;
    for (const char vote : votes_) one |= vote != 0;
    barrier_.arrive_and_wait();
    return one;
  }
  template <class F>
  void few(F&& f) const {
    f(*this);
  }

 private:
  int thread_;
  std::barrier<>& barrier_;
  std::vector<char>& votes_;
};

/// kernel(block) on `count` threads.
template <class Kernel>
void on_threads(int count, const Kernel& kernel) {
  std::barrier barrier(count);
  std::vector<char> votes(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] { kernel(ThreadBlock(thread, barrier, votes)); });
}
/// kernel(block), with real threads if that is wanted.
template <class Kernel>
void on_block(bool real_threads, const Kernel& kernel) {
  if (real_threads)
    on_threads(4, kernel);
  else
    kernel(HostBlock{});
}

}  // namespace speedwell::ssca1::test
