// The GPU variants of spmv for the harness.
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "speedwell/apps/spmv/adapter.hpp"
#include "speedwell/apps/spmv/traffic.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"
#include "speedwell/numerics/sparse/gpu_sparse.hpp"

namespace speedwell::spmv {
namespace {

using sparse::CsrMethod;
using sparse::DeviceBsr;
using sparse::DeviceCsr;
using sparse::DeviceDia;
using sparse::DeviceEll;

template <class T>
class CsrSolver : public harness::DeviceVectors<T> {
 public:
  CsrSolver(const Inputs<T>& inputs, const harness::Context&, CsrMethod method)
      : harness::DeviceVectors<T>(inputs.x(), inputs.rows()), inputs_(inputs), method_(method) {}

  void upload(const core::Stream& stream) {
    harness::DeviceVectors<T>::upload(stream);
    matrix_.emplace(inputs_.matrix(), stream);
  }
  void execute(const core::Stream& stream) { gpu_multiply(*matrix_, method_, this->x(), this->y(), stream); }

 private:
  const Inputs<T>& inputs_;
  CsrMethod method_;
  std::optional<DeviceCsr<T>> matrix_;
};

/// A matrix that upload converts from compressed rows.
template <class T>
class FormatSolver : public harness::DeviceVectors<T> {
 public:
  FormatSolver(const Inputs<T>& inputs, const harness::Context&, Format format)
      : harness::DeviceVectors<T>(inputs.x(), inputs.rows()), inputs_(inputs), format_(format) {}

  void upload(const core::Stream& stream) {
    harness::DeviceVectors<T>::upload(stream);
    const sparse::Csr<T>& m = inputs_.matrix();
    if (format_ == Format::bsr)
      matrix_.template emplace<DeviceBsr<T>>(sparse::blocked(m), stream);
    else if (format_ == Format::dia || (format_ == Format::fastest && sparse::diagonals_win(m)))
      matrix_.template emplace<DeviceDia<T>>(sparse::diagonals(m), stream);
    else
      matrix_.template emplace<DeviceEll<T>>(sparse::sliced(m), stream);
  }
  void execute(const core::Stream& stream) {
    std::visit(
        [&]<class Stored>(const Stored& a) {
          if constexpr (!std::is_same_v<Stored, std::monostate>) gpu_multiply(a, this->x(), this->y(), stream);
        },
        matrix_);
  }
  harness::Choices choices() const {
    const auto* dia = std::get_if<DeviceDia<T>>(&matrix_);
    if (format_ == Format::fastest) return {{"format", dia ? "diagonals" : "sliced ELL"}};
    if (dia) return {{"diagonals", std::to_string(dia->view().diagonals)}};
    if (const auto* bsr = std::get_if<DeviceBsr<T>>(&matrix_)) return {{"block_side", std::to_string(bsr->side())}};
    return {};
  }

 private:
  const Inputs<T>& inputs_;
  Format format_;
  std::variant<std::monostate, DeviceEll<T>, DeviceDia<T>, DeviceBsr<T>> matrix_;
};

harness::Variant::Make csr(CsrMethod method) { return harness::device_solver<Inputs, CsrSolver>(method); }
harness::Variant::Make stored(Format format) { return harness::device_solver<Inputs, FormatSolver>(format); }

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return {{"cuda-csr-thread", csr(CsrMethod::thread_per_row)},
          {"cuda-csr-warp", csr(CsrMethod::warp_per_row)},
          {"cuda-csr", csr(CsrMethod::blocks)},
          {"cuda-bsr", stored(Format::bsr)},
          {"cuda-sell", stored(Format::sliced_ell)},
          {"cuda-dia", stored(Format::dia)},
          {"cuda", stored(Format::fastest)}};
}

}  // namespace speedwell::spmv
