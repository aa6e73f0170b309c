// EP of the NAS Parallel Benchmarks on all cores: 2^24 pairs of Gaussian deviates, summed and counted by distance.
#include <cstdio>
#include <speedwell/apps/npb/ep/ep.hpp>

int main() {
  namespace ep = speedwell::npb::ep;
  const ep::Result result = ep::tally({.m = 24});
  std::printf("sums %.9e %.9e of %lld pairs\n", result.sum_x, result.sum_y, static_cast<long long>(result.accepted()));
  for (int l = 0; l < ep::annuli; ++l)
    std::printf("%d to %d: %lld\n", l, l + 1, static_cast<long long>(result.counts[static_cast<std::size_t>(l)]));
}
