// stencil on several GPUs for the harness: the first rank distributes the fields and collects the result.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stencil/gpu_distributed.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::stencil {
namespace {

int depth_of(const Spec& spec, int ranks) {
  if (spec.kernel != Kernel::jacobi) return 1;
  const std::int64_t thinnest = spec.problem.grid.nz / ranks;
  return static_cast<int>(
      std::min<std::int64_t>({GpuSweeps<double>::max_depth, spec.steps, std::max<std::int64_t>(thinnest, 1)}));
}

template <class T>
class SlabSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  /// Without a transport: the fastest.
  SlabSolver(const Inputs<T>& inputs, const harness::Context& context, std::optional<comm::Transport> transport,
             bool overlapped)
      : inputs_(inputs),
        ranks_(*context.ranks),
        overlapped_(overlapped),
        transport_(transport ? *transport : comm::fastest_transport(ranks_)),
        depth_(depth_of(inputs.spec(), ranks_.size())),
        operator_(ranks_, {problem().form, problem().boundary, problem().grid}, transport_, depth_) {}

  void allocate(const core::Stream& stream) {
    x_ = operator_.make_field();
    if (kernel() == Kernel::sum) {
      sums_.emplace(operator_.host().local_operator().grid, stream);
      return;
    }
    y_ = operator_.make_field();
    if (kernel() != Kernel::jacobi) return;
    initial_ = operator_.make_field();
    scratch_ = operator_.make_field();
  }
  void upload(const core::Stream& stream) {
    operator_.set(is_root() ? &inputs_.op() : nullptr, stream);
    operator_.scatter(is_root() ? inputs_.x().data() : nullptr, x_.data(), stream);
    if (kernel() != Kernel::jacobi) return;
    core::copy_async(initial_.data(), static_cast<const T*>(x_.data()), x_.size(), stream);
    stream.synchronize();
  }
  void reset(const core::Stream& stream) {
    if (kernel() == Kernel::jacobi)
      core::copy_async(x_.data(), static_cast<const T*>(initial_.data()), x_.size(), stream);
  }
  /// Not the halo, which is 0 beyond the ends of the box.
  void poison(const core::Stream& stream) {
    sum_ = std::numeric_limits<double>::quiet_NaN();
    if (y_.size() == 0) return;
    core::check(cudaMemsetAsync(own(y_.data()), 0xff, static_cast<std::size_t>(own_cells()) * sizeof(T), stream.get()));
  }
  void execute(const core::Stream& stream) {
    if (kernel() == Kernel::sum) {
      gpu_sum(static_cast<const T*>(own(x_.data())), own_cells(), true, sums_->space(), stream);
      sum_ = sums_->value(stream);
      comm::sum_in_order(ranks_, std::span<double>(&sum_, 1));
    } else if (kernel() == Kernel::jacobi) {
      operator_.sweep(x_.data(), y_.data(), scratch_.data(), inputs_.spec().steps, stream);
    } else if (overlapped_) {
      operator_.multiply(x_.data(), y_.data(), stream);
    } else {
      operator_.exchange_and_multiply(x_.data(), y_.data(), stream);
    }
  }
  void download(Answer& answer, const core::Stream& stream) {
    operator_.check(stream);
    answer.sum = sum_;
    if (kernel() != Kernel::sum) operator_.gather(y_.data(), is_root() ? answer.y.data() : nullptr, stream);
  }
  core::Verdict verify(const Answer& answer) { return inputs_.verify(answer, SumOrder::lanes, sum_errors_); }
  double exchange_seconds() const { return operator_.exchange_seconds(); }
  harness::Choices choices() const {
    if (kernel() == Kernel::sum) return sum_choices(sum_errors_);
    harness::Choices all{{"transport", std::string(to_string(transport_))},
                         {"division", operator_.host().division_text()}};
    if (kernel() == Kernel::jacobi) all.emplace_back("sweeps_of_an_exchange", std::to_string(depth_));
    return all;
  }

 private:
  const Problem& problem() const { return inputs_.spec().problem; }
  Kernel kernel() const { return inputs_.spec().kernel; }
  bool is_root() const { return ranks_.rank() == 0; }
  std::int64_t plane() const { return problem().grid.nx * problem().grid.ny; }
  T* own(T* field) const { return field + operator_.own_planes().begin * plane(); }
  std::int64_t own_cells() const { return operator_.own_planes().size() * plane(); }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  bool overlapped_;
  comm::Transport transport_;
  int depth_;
  DistributedGpuOperator<T> operator_;
  core::DeviceBuffer<T> x_, y_, initial_, scratch_;
  std::optional<Sums> sums_;
  double sum_ = 0;
  SumErrors sum_errors_;
};

harness::Variant::Make slabs(std::optional<comm::Transport> transport, bool overlapped = true) {
  return harness::device_solver<Inputs, SlabSolver>(transport, overlapped);
}

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi-exchange", slabs(comm::Transport::staged, false)},
          {"multi-staged", slabs(comm::Transport::staged)},
          {"multi-nccl", slabs(comm::Transport::nccl)},
          {"multi", slabs(std::nullopt)}};
}

}  // namespace speedwell::stencil
