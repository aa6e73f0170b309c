// The threads of a block, stepped by host code: the kernels' logic without a GPU.
#pragma once

namespace speedwell::alignment::ssca1::test {

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
};

}  // namespace speedwell::alignment::ssca1::test
