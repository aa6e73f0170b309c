// The transforms of a rank's planes by plans of fft.hpp, before and after the exchange and the lines along the first
// axis.
#include "speedwell/numerics/fft/ranks/distributed.hpp"

#include "speedwell/numerics/fft/ranks/slabs.hpp"
#include "speedwell/numerics/fft/spans.hpp"

namespace speedwell::fft {
namespace {

template <class T, class In, class Out>
void require_spans(const SlabTransform<T>& slabs, std::span<In> in, const comm::Tile& in_tile, std::span<Out> out,
                   const comm::Tile& out_tile) {
  require_on_all(slabs.ranks(), [&] {
    require_size(in.size(), in_tile.size(), "in");
    require_size(out.size(), out_tile.size(), "out");
    require_disjoint(in, out);
  });
}

}  // namespace

template <class T>
struct DistributedPlan<T>::Impl {
  Impl(const comm::Communicator& ranks, const Shape& shape, const DistributedOptions& options)
      : extents(shape.extents),
        slabs(ranks, Kind::complex, shape, options),
        planes(planes_of(shape, slabs.array_tile()), {.threads = options.threads}) {}
  std::vector<std::int64_t> extents;
  SlabTransform<T> slabs;
  Plan<T> planes;
};

template <class T>
DistributedPlan<T>::DistributedPlan(const comm::Communicator& ranks, const Shape& shape,
                                    const DistributedOptions& options)
    : impl_(std::make_unique<Impl>(ranks, shape, options)) {}

template <class T>
void DistributedPlan<T>::forward(std::span<const Complex> array, std::span<Complex> spectrum) {
  SlabTransform<T>& slabs = impl_->slabs;
  require_spans(slabs, array, slabs.array_tile(), spectrum, slabs.spectrum_tile());
  impl_->planes.forward(array, slabs.planes());
  slabs.planes_to_spectrum(spectrum);
}
template <class T>
void DistributedPlan<T>::backward(std::span<const Complex> spectrum, std::span<Complex> array) {
  SlabTransform<T>& slabs = impl_->slabs;
  require_spans(slabs, spectrum, slabs.spectrum_tile(), array, slabs.array_tile());
  slabs.spectrum_to_planes(spectrum);
  impl_->planes.backward(slabs.planes(), array);
}
template <class T>
void DistributedPlan<T>::backward(std::span<const Complex> spectrum, const Weights<T>& weights,
                                  std::span<Complex> array) {
  SlabTransform<T>& slabs = impl_->slabs;
  require_on_all(slabs.ranks(), [&] {
    const auto& extents = impl_->extents;
    require_size(weights.size(), static_cast<std::int64_t>(extents.size()), "the list of weights");
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      require_size(weights[axis].size(), extents[axis], "weights");
  });
  require_spans(slabs, spectrum, slabs.spectrum_tile(), array, slabs.array_tile());
  slabs.spectrum_to_planes(spectrum, weights[0].data());
  impl_->planes.transform(Direction::backward, slabs.planes(), weights.subspan(1), array);
}

template <class T>
struct DistributedRealPlan<T>::Impl {
  Impl(const comm::Communicator& ranks, const Shape& shape, const DistributedOptions& options)
      : slabs(ranks, Kind::real, shape, options),
        planes(planes_of(shape, slabs.array_tile()), {.threads = options.threads}) {}
  SlabTransform<T> slabs;
  RealPlan<T> planes;
};

template <class T>
DistributedRealPlan<T>::DistributedRealPlan(const comm::Communicator& ranks, const Shape& shape,
                                            const DistributedOptions& options)
    : impl_(std::make_unique<Impl>(ranks, shape, options)) {}

template <class T>
void DistributedRealPlan<T>::forward(std::span<const T> array, std::span<Complex> spectrum) {
  SlabTransform<T>& slabs = impl_->slabs;
  require_spans(slabs, array, slabs.array_tile(), spectrum, slabs.spectrum_tile());
  impl_->planes.forward(array, slabs.planes());
  slabs.planes_to_spectrum(spectrum);
}
template <class T>
void DistributedRealPlan<T>::backward(std::span<const Complex> spectrum, std::span<T> array) {
  SlabTransform<T>& slabs = impl_->slabs;
  require_spans(slabs, spectrum, slabs.spectrum_tile(), array, slabs.array_tile());
  slabs.spectrum_to_planes(spectrum);
  impl_->planes.backward(slabs.planes(), array);
}

template <class T>
const std::vector<comm::Tile>& DistributedPlan<T>::array_tiles() const {
  return impl_->slabs.array_tiles();
}
template <class T>
const std::vector<comm::Tile>& DistributedPlan<T>::spectrum_tiles() const {
  return impl_->slabs.spectrum_tiles();
}
template <class T>
std::int64_t DistributedPlan<T>::array_points() const {
  return impl_->slabs.array_tile().size();
}
template <class T>
std::int64_t DistributedPlan<T>::spectrum_points() const {
  return impl_->slabs.spectrum_tile().size();
}
template <class T>
std::int64_t DistributedPlan<T>::sent_bytes() const {
  return impl_->slabs.sent_bytes();
}
template <class T>
double DistributedPlan<T>::bytes() const {
  return impl_->slabs.bytes() + impl_->planes.bytes();
}
template <class T>
double DistributedPlan<T>::exchange_seconds() const {
  return impl_->slabs.exchange_seconds();
}
template <class T>
bool DistributedPlan<T>::shares_memory() const {
  return impl_->slabs.shares_memory();
}

template <class T>
const std::vector<comm::Tile>& DistributedRealPlan<T>::array_tiles() const {
  return impl_->slabs.array_tiles();
}
template <class T>
const std::vector<comm::Tile>& DistributedRealPlan<T>::spectrum_tiles() const {
  return impl_->slabs.spectrum_tiles();
}
template <class T>
std::int64_t DistributedRealPlan<T>::array_points() const {
  return impl_->slabs.array_tile().size();
}
template <class T>
std::int64_t DistributedRealPlan<T>::spectrum_points() const {
  return impl_->slabs.spectrum_tile().size();
}
template <class T>
std::int64_t DistributedRealPlan<T>::sent_bytes() const {
  return impl_->slabs.sent_bytes();
}
template <class T>
double DistributedRealPlan<T>::bytes() const {
  return impl_->slabs.bytes() + impl_->planes.bytes();
}
template <class T>
double DistributedRealPlan<T>::exchange_seconds() const {
  return impl_->slabs.exchange_seconds();
}
template <class T>
bool DistributedRealPlan<T>::shares_memory() const {
  return impl_->slabs.shares_memory();
}

template class DistributedPlan<float>;
template class DistributedPlan<double>;
template class DistributedRealPlan<float>;
template class DistributedRealPlan<double>;

}  // namespace speedwell::fft
