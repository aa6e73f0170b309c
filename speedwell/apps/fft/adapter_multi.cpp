// fft on several GPUs for the harness: the first rank distributes the input in slabs and collects the transform.
#include <algorithm>
#include <complex>
#include <optional>
#include <span>
#include <string>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_tiles.hpp"
#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/numerics/fft/ranks/gpu_distributed.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class GpusSolver {
  using Complex = std::complex<T>;

 public:
  /// Without a transport: the fastest.
  GpusSolver(const Inputs<T>& inputs, const harness::Context& context, std::optional<comm::Transport> transport)
      : inputs_(inputs), ranks_(*context.ranks), transport_(transport) {}

  bool plan(const core::Stream&) {
    plan_.emplace(ranks_, inputs_.problem().shape, GpuDistributedOptions{.transport = transport_});
    const auto array = static_cast<std::size_t>(plan_->array_points());
    const auto spectrum = static_cast<std::size_t>(plan_->spectrum_points());
    in_ = core::DeviceBuffer<Complex>(inputs_.is_backward() ? spectrum : array);
    out_ = core::DeviceBuffer<Complex>(inputs_.is_backward() ? array : spectrum);
    host_ = core::HostBuffer<T>(2 * std::max(array, spectrum), core::Pages::large);
    return true;
  }
  void upload(const core::Stream& stream) {
    const auto& tiles = inputs_.is_backward() ? plan_->spectrum_tiles() : plan_->array_tiles();
    const std::span<Complex> host = complexes(host_.span()).first(in_.size());
    scatter_tiles<Complex>(ranks_, tiles, complexes(inputs_.in()), host);
    core::copy_async(in_.data(), static_cast<const Complex*>(host.data()), in_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(out_, 0xff, stream); }
  void execute(const core::Stream& stream) {
    const std::span<const Complex> in(in_.data(), in_.size());
    inputs_.is_backward() ? plan_->backward(in, out_.span(), stream) : plan_->forward(in, out_.span(), stream);
  }
  void download(core::HostBuffer<T>& out, const core::Stream& stream) {
    plan_->check(stream);
    const auto& tiles = inputs_.is_backward() ? plan_->array_tiles() : plan_->spectrum_tiles();
    const std::span<Complex> host = complexes(host_.span()).first(out_.size());
    core::copy_async(host.data(), static_cast<const Complex*>(out_.data()), out_.size(), stream);
    stream.synchronize();
    gather_tiles<Complex>(ranks_, tiles, host, complexes(out.span()));
  }
  double exchange_seconds() const { return plan_->exchange_seconds(); }
  harness::Choices choices() const {
    return {{"host_memory", "pageable"},
            {"transport", std::string(to_string(plan_->transport()))},
            {"stores", plan_->pieces() > 0 ? "in " + std::to_string(plan_->pieces()) + " pieces" : "in the pass"},
            {"work_space_bytes", std::to_string(static_cast<std::int64_t>(plan_->bytes()))}};
  }

 private:
  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  std::optional<comm::Transport> transport_;
  std::optional<GpuDistributedPlan<T>> plan_;
  core::DeviceBuffer<Complex> in_, out_;
  core::HostBuffer<T> host_;  // the tile of this rank on its way
};

harness::Variant::Make gpus(std::optional<comm::Transport> transport) {
  return harness::device_solver<Inputs, GpusSolver>(transport);
}

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi-staged", gpus(comm::Transport::staged)},
          {"multi-nccl", gpus(comm::Transport::nccl)},
          {"multi", gpus(std::nullopt)}};
}

}  // namespace speedwell::fft
