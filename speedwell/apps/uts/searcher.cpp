#include "speedwell/apps/uts/searcher.hpp"

#include <algorithm>

#include "speedwell/apps/uts/sha1.hpp"

namespace speedwell::uts {

Searcher::Searcher(const ChildRule& rule, const Hasher& hasher) : rule_(rule), hasher_(hasher), batch_{} {}

void Searcher::push(const std::uint32_t (&state)[5], std::int64_t depth) {
  ++counts_.nodes;
  const int children = rule_.children(depth, value_of(state[4]));
  if (children == 0) {
    ++counts_.leaves;
    return;
  }
  stack_.push_back(
      {{state[0], state[1], state[2], state[3], state[4]}, 0, static_cast<std::uint32_t>(children), depth});
}

void Searcher::begin(std::uint32_t seed) { push(root_digest(seed).h, 0); }

void Searcher::step() {
  int count = 0;
  while (count < Batch::max_size && !empty()) {
    Open& top = stack_.back();
    const int taken =
        static_cast<int>(std::min<std::uint32_t>(top.left, static_cast<std::uint32_t>(Batch::max_size - count)));
    for (int k = 0; k < 5; ++k) std::fill_n(&batch_.parent[k][count], taken, top.state[k]);
    for (int i = 0; i < taken; ++i) batch_.number[count + i] = top.next + static_cast<std::uint32_t>(i);
    std::fill_n(&depths_[count], taken, top.depth + 1);
    count += taken;
    top.next += static_cast<std::uint32_t>(taken);
    top.left -= static_cast<std::uint32_t>(taken);
    if (top.left == 0) stack_.pop_back();
  }
  hasher_.children(batch_, count);
  for (int i = 0; i < count; ++i) {
    counts_.depth = std::max(counts_.depth, static_cast<std::uint64_t>(depths_[i]));
    push({batch_.child[0][i], batch_.child[1][i], batch_.child[2][i], batch_.child[3][i], batch_.child[4][i]},
         depths_[i]);
  }
}

std::vector<Open> Searcher::give(std::size_t most) {
  std::vector<Open> given;
  if (size() > 1) {
    const std::size_t pairs = std::min(most, size() / 2);
    Open* const oldest = stack_.data() + bottom_;
    for (std::size_t i = 0; i < pairs; ++i) given.push_back(oldest[2 * i]);
    for (std::size_t i = pairs; i-- > 0;) oldest[pairs + i] = oldest[2 * i + 1];  // those that stay move up
    bottom_ += pairs;
    if (bottom_ > stack_.size() / 2) {  // rarely enough that every node is moved once at most
      stack_.erase(stack_.begin(), stack_.begin() + static_cast<std::ptrdiff_t>(bottom_));
      bottom_ = 0;
    }
  } else if (size() == 1 && stack_.back().left > 1) {
    Open& kept = stack_.back();
    given.push_back(kept);
    kept.left /= 2;
    given.front().next += kept.left;
    given.front().left -= kept.left;
  }
  return given;
}

void Searcher::accept(std::span<const Open> nodes) { stack_.insert(stack_.end(), nodes.begin(), nodes.end()); }

void merge(Counts& into, const Counts& counts) {
  into.nodes += counts.nodes;
  into.leaves += counts.leaves;
  into.depth = std::max(into.depth, counts.depth);
}

}  // namespace speedwell::uts
