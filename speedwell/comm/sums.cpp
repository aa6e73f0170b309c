#include "speedwell/comm/sums.hpp"

#include <vector>

namespace speedwell::comm {

void sum_in_order(const Communicator& ranks, std::span<double> values) {
  if (ranks.size() == 1) return;
  std::vector<double> all(values.size() * static_cast<std::size_t>(ranks.size()));
  ranks.gather(std::span<const double>(values), std::span<double>(all));
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = all[i];
    for (std::size_t at = i + values.size(); at < all.size(); at += values.size()) sum += all[at];
    values[i] = sum;
  }
}

double exact_sum(const Communicator& ranks, const core::ExactSum& mine) {
  core::ExactSum all = mine;
  ranks.reduce(std::span<std::int64_t>(all.carried()), Reduction::sum);
  double not_finite = mine.not_finite();
  sum_in_order(ranks, std::span<double>(&not_finite, 1));
  all.set_not_finite(not_finite);
  return all.value();
}

}  // namespace speedwell::comm
