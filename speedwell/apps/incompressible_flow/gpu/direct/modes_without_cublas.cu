// Replaces modes.cu in builds without cuBLAS: meshes stretched along two or three axes use conjugate gradients on a
// GPU.
#include "speedwell/apps/incompressible_flow/gpu/direct/modes.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow::gpu {

std::optional<std::string> modes_missing() { return "built without cuBLAS"; }

template <class T>
struct ModeProducts<T>::Parts {
  std::vector<T> none;
};
template <class T>
ModeProducts<T>::ModeProducts(const Problem&, int, const core::Stream&) {
  throw core::Unavailable(*modes_missing());
}
template <class T>
ModeProducts<T>::ModeProducts(ModeProducts&&) noexcept = default;
template <class T>
ModeProducts<T>::~ModeProducts() = default;
template <class T>
T* ModeProducts<T>::modes() {
  return nullptr;
}
template <class T>
std::vector<T> ModeProducts<T>::row_eigenvalues() const {
  return {};
}
template <class T>
const std::vector<T>& ModeProducts<T>::column_eigenvalues() const {
  return parts_->none;
}
template <class T>
void ModeProducts<T>::to_modes(const T*, int, const core::Stream&) {
  throw core::Unavailable(*modes_missing());
}
template <class T>
void ModeProducts<T>::from_modes(T*, int, const core::Stream&) {
  throw core::Unavailable(*modes_missing());
}

template class ModeProducts<float>;
template class ModeProducts<double>;

}  // namespace speedwell::incompressible_flow::gpu
