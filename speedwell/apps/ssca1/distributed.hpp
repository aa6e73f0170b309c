// The kernels of SSCA#1 on ranks: the part of each rank, which it computes on its cores or its GPU, and the messages
// that make one result of those of all.
//
//   RankShare share(ranks, {.kernel = 3, .main = main, .scoring = &scoring, .queries = queries});
//   const KernelResult result = share.gather(share.compute({.threads = 1}));  // on the first rank
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/kernel1/kernel1_section.hpp"
#include "speedwell/apps/ssca1/kernel_result.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::ssca1 {

/// The arguments of one kernel; those that it does not have may be missing.
struct KernelArguments {
  int kernel = 1;
  Codes main{}, match{};
  const Scoring* scoring = nullptr;
  EndpointRules endpoint_rules{};
  std::span<const Endpoint> endpoints{};
  TraceRules trace_rules{};
  std::span<const Codes> queries{};
  SimilarRules similar_rules{};
  std::span<const Members> sets{};
  std::span<const Differences> differences{};
  DifferenceCosts costs{};
};

/// The items of each part, ascending: the most expensive first, each to the part with the lowest sum of costs so far.
std::vector<std::vector<std::size_t>> divide_items(std::span<const double> costs, int parts);

/// A rank's part of a kernel. Kernel 1: a section of main that overlaps the one before. Kernel 2: every size()-th
/// endpoint, whose alignments are found independently, and accepted in order by the first rank. Kernel 3: queries.
/// Kernels 4 and 5: sets. Parts have about as many cells each. All ranks have all arguments, which are made on each.
class RankShare {
 public:
  /// `ranks` and what the arguments refer to must outlive the object. Throws std::invalid_argument for a kernel that
  /// does not exist.
  RankShare(const comm::Communicator& ranks, const KernelArguments& all);
  RankShare(const RankShare&) = delete;
  RankShare& operator=(const RankShare&) = delete;

  /// The arguments of this rank's part. Kernel 1: `main` is the section, whose owned() columns count. Kernel 2: no two
  /// starts are in conflict, and the number of alignments is not limited.
  const KernelArguments& own() const { return own_; }
  const OwnedColumns& owned() const { return section_.owned; }
  bool is_empty() const { return size_ == 0; }

  /// The result of this rank's part, on its cores. Of kernel 1 `accepted` are the candidates of the section.
  KernelResult compute(const Options& options) const;
  /// The same from the candidates of the section, with positions in it.
  static KernelResult candidates_result(const SectionCandidates& candidates);

  /// Collective. The result of the kernel from those of all parts, on the first rank: that of one process. On the
  /// others what they pass.
  KernelResult gather(KernelResult own);
  /// The time of this rank in gather() so far, which includes waiting for ranks that end later.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  void add_single_pairs(Traced& own) const;
  Endpoints merge_candidates(std::span<const KernelResult> parts) const;
  Traced merge_traces(std::span<const KernelResult> parts) const;

  const comm::Communicator& ranks_;
  KernelArguments all_, own_;
  std::vector<std::vector<std::size_t>> items_;  // of each rank
  std::vector<TableSection> sections_;           // of each rank
  TableSection section_;
  std::size_t size_ = 0;
  std::vector<Endpoint> endpoints_;
  std::vector<Codes> queries_;
  std::vector<Members> sets_;
  std::vector<Differences> differences_;
  double exchange_seconds_ = 0;
};

}  // namespace speedwell::ssca1
