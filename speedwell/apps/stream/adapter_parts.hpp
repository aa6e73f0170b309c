// The parts of the arrays that each rank of the mpi and multi variants of stream makes and writes.
#pragma once

#include <vector>

#include "speedwell/apps/stream/adapter_workload.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/redistribution.hpp"

namespace speedwell::stream {

inline comm::Range part_of_rank(const Problem& problem, const comm::Communicator& ranks, int rank) {
  return comm::part_of(problem.n, ranks.size(), rank);
}

/// The problem of a rank: its part of the arrays.
inline Problem part_of_problem(const Problem& problem, const comm::Communicator& ranks) {
  Problem own = problem;
  own.n = part_of_rank(problem, ranks, ranks.rank()).size();
  return own;
}

/// Memory for the results of a rank.
template <class T>
Results<T> make_part_of_results(const Problem& problem, const comm::Communicator& ranks) {
  const auto n = static_cast<std::size_t>(part_of_rank(problem, ranks, ranks.rank()).size());
  Results<T> own;
  if (problem.kernel != Kernel::dot) own.out = core::HostBuffer<T>(n, core::Pages::large);
  if (problem.kernel == Kernel::sequence) {
    own.a = core::HostBuffer<T>(n, core::Pages::large);
    own.b = core::HostBuffer<T>(n, core::Pages::large);
  }
  return own;
}

/// Collective. Collects the arrays that the kernel writes on the first rank.
template <class T>
void gather(const Problem& problem, const comm::Communicator& ranks, const Results<T>& own, Results<T>& whole) {
  if (problem.kernel == Kernel::dot) return;
  std::vector<comm::Tile> parts, first(static_cast<std::size_t>(ranks.size()));
  for (int r = 0; r < ranks.size(); ++r)
    parts.push_back({{comm::Range{0, 1}, {0, 1}, part_of_rank(problem, ranks, r)}});
  first[0] = {{comm::Range{0, 1}, {0, 1}, {0, problem.n}}};
  comm::Redistribution<T> to_first(ranks, parts, first);
  to_first.move(own.out.span(), whole.out.span());
  if (problem.kernel != Kernel::sequence) return;
  to_first.move(own.a.span(), whole.a.span());
  to_first.move(own.b.span(), whole.b.span());
}

}  // namespace speedwell::stream
