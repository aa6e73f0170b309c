// Replaces modes.cu in builds without cuBLAS: meshes stretched along two or three axes use conjugate gradients on a
// GPU.
#include "speedwell/apps/incompressible_flow/gpu/modes.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow::gpu {

std::optional<std::string> modes_missing() { return "built without cuBLAS"; }

template <class T>
struct Modes<T>::Parts {};
template <class T>
Modes<T>::Modes(const Problem&, const core::Stream&) {
  throw core::Unavailable(*modes_missing());
}
template <class T>
Modes<T>::Modes(Modes&&) noexcept = default;
template <class T>
Modes<T>::~Modes() = default;
template <class T>
void Modes<T>::solve(const T*, T*, const core::Stream&) {
  throw core::Unavailable(*modes_missing());
}

template class Modes<float>;
template class Modes<double>;

}  // namespace speedwell::incompressible_flow::gpu
