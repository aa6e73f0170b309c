// fft on ranks for the harness: the first rank distributes the input in slabs and collects the transform.
#include <optional>
#include <vector>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_tiles.hpp"
#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"
#include "speedwell/numerics/fft/ranks/distributed.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), ranks_(*context.ranks) {}

  bool plan(core::HostBuffer<T>&) {
    const DistributedOptions options{.threads = 1};
    if (inputs_.is_real())
      real_.emplace(ranks_, inputs_.problem().shape, options);
    else
      complex_.emplace(ranks_, inputs_.problem().shape, options);
    array_ = core::HostBuffer<T>(static_cast<std::size_t>(real_ ? real_->array_points() : 2 * complex_->array_points()),
                                 core::Pages::large);
    spectrum_ = core::HostBuffer<T>(
        static_cast<std::size_t>(2 * (real_ ? real_->spectrum_points() : complex_->spectrum_points())),
        core::Pages::large);
    return true;
  }
  void upload() {
    if (inputs_.is_backward())
      scatter(inputs_.in(), spectrum_, false);
    else
      scatter(inputs_.in(), array_, inputs_.is_real());
  }
  void poison() { harness::poison_host((inputs_.is_backward() ? array_ : spectrum_).span()); }
  void execute(core::HostBuffer<T>&) {
    const std::span<const T> array = array_.span(), spectrum = spectrum_.span();
    if (real_)
      inputs_.is_backward() ? real_->backward(complexes(spectrum), array_.span())
                            : real_->forward(array, complexes(spectrum_.span()));
    else
      inputs_.is_backward() ? complex_->backward(complexes(spectrum), complexes(array_.span()))
                            : complex_->forward(complexes(array), complexes(spectrum_.span()));
  }
  void download(core::HostBuffer<T>& out) {
    if (inputs_.is_backward())
      gather(array_, out.span(), inputs_.is_real());
    else
      gather(spectrum_, out.span(), false);
  }
  double exchange_seconds() const { return real_ ? real_->exchange_seconds() : complex_->exchange_seconds(); }
  harness::Choices choices() const {
    const bool shared = real_ ? real_->shares_memory() : complex_->shares_memory();
    return {harness::instruction_set(), {"exchange", shared ? "shared memory" : "messages"}};
  }

 private:
  /// The tiles of all ranks of the array, or of the spectrum.
  const std::vector<comm::Tile>& tiles(bool of_array) const {
    if (of_array) return real_ ? real_->array_tiles() : complex_->array_tiles();
    return real_ ? real_->spectrum_tiles() : complex_->spectrum_tiles();
  }
  /// `reals`: the elements are reals, those of a real array; else complex numbers.
  void scatter(std::span<const T> whole, core::HostBuffer<T>& tile, bool reals) const {
    if (reals)
      scatter_tiles<T>(ranks_, tiles(true), whole, tile.span());
    else
      scatter_tiles<std::complex<T>>(ranks_, tiles(&tile == &array_), complexes(whole), complexes(tile.span()));
  }
  void gather(const core::HostBuffer<T>& tile, std::span<T> whole, bool reals) const {
    if (reals)
      gather_tiles<T>(ranks_, tiles(true), tile.span(), whole);
    else
      gather_tiles<std::complex<T>>(ranks_, tiles(&tile == &array_), complexes(tile.span()), complexes(whole));
  }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  std::optional<DistributedPlan<T>> complex_;
  std::optional<DistributedRealPlan<T>> real_;
  core::HostBuffer<T> array_, spectrum_;  // the tiles of this rank
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::fft
