// What the variants of two_stream on ranks and on several GPUs share: the first rank distributes the columns of the
// atmosphere and collects the results.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/distributed.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::two_stream {

/// The columns of this rank, and memory for their results.
template <class T>
class ColumnsOfRank {
 public:
  ColumnsOfRank(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs), ranks_(*context.ranks), columns_(ranks_, inputs.problem()) {}

 protected:
  bool is_root() const { return ranks_.rank() == 0; }
  /// The problem with the columns of this rank alone.
  Problem own_problem() const {
    Problem own = inputs_.problem();
    own.columns = columns_.columns();
    return own;
  }
  void allocate_results() { own_ = make_results<T>(own_problem()); }
  /// Collective.
  void scatter() {
    const Atmosphere<T> whole = is_root() ? inputs_.atmosphere() : Atmosphere<T>{};
    columns_.scatter(is_root() ? &whole : nullptr);
  }
  /// Collective. `results` is written on the first rank.
  void gather(Results<T>& results) const {
    for (std::size_t i = 0; i < own_.arrays.size(); ++i)
      columns_.gather(own_.arrays[i].span(), static_cast<std::int64_t>(own_.arrays[i].size()) / columns_.columns(),
                      is_root() ? results.arrays[i].data() : nullptr);
  }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  DistributedColumns<T> columns_;
  Results<T> own_;
};

}  // namespace speedwell::two_stream
