// Products with matrices of eigenvectors, by cuBLAS, instead of the transforms of direct.cu: for all planes at once
// along x, per plane along y. Modes are in rows of `pitch` numbers; two adjacent ones are a complex number for
// lines.cu.
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/modes.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/axis_modes.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/core/cuda/cublas.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{32}
                                        << 20;  // the recommendation of cuBLAS for Hopper; other devices need less

/// Eigenvectors along an axis, with cells in the order of a cosine transform between walls.
template <class T>
struct Axis {
  std::int64_t n;
  std::vector<T> values;           // of each mode
  core::DeviceBuffer<T> to, from;  // by rows: to[mode][cell], from[cell][mode]

  Axis(const Problem& problem, int axis, const core::Stream& stream) {
    const AxisModes modes = axis_modes(problem, axis);
    n = modes.n;
    values.assign(modes.values.begin(), modes.values.end());
    std::vector<T> to_modes(modes.to_modes.size()), from_modes(modes.from_modes.size());
    for (int i = 0; i < modes.n; ++i) {
      const int at = problem.periodic(axis) ? i : cosine_index(i, modes.n);
      for (int m = 0; m < modes.n; ++m) {
        const auto offset = [&](int row, int column) {
          return static_cast<std::size_t>(row) * static_cast<std::size_t>(modes.n) + static_cast<std::size_t>(column);
        };
        to_modes[offset(m, at)] = static_cast<T>(modes.to_modes[offset(m, i)]);
        from_modes[offset(at, m)] = static_cast<T>(modes.from_modes[offset(i, m)]);
      }
    }
    to = copied(to_modes, stream);
    from = copied(from_modes, stream);
  }
};

cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t a_as, std::int64_t m, std::int64_t n, std::int64_t k,
                    const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double* c, std::int64_t ldc) {
  const double one = 1, zero = 0;
  return core::cublas().dgemm(handle, a_as, CUBLAS_OP_N, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
}
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t a_as, std::int64_t m, std::int64_t n, std::int64_t k,
                    const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float* c, std::int64_t ldc) {
  const float one = 1, zero = 0;
  return core::cublas().sgemm(handle, a_as, CUBLAS_OP_N, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
}
// Products of `count` matrices a, `stride` apart, with one b.
cublasStatus_t gemms(cublasHandle_t handle, std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                     std::int64_t lda, const double* b, std::int64_t ldb, double* c, std::int64_t ldc,
                     std::int64_t stride, std::int64_t count) {
  const double one = 1, zero = 0;
  return core::cublas().dgemm_strided_batched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, stride, b, ldb,
                                              0, &zero, c, ldc, stride, count);
}
cublasStatus_t gemms(cublasHandle_t handle, std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                     std::int64_t lda, const float* b, std::int64_t ldb, float* c, std::int64_t ldc,
                     std::int64_t stride, std::int64_t count) {
  const float one = 1, zero = 0;
  return core::cublas().sgemm_strided_batched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, stride, b, ldb,
                                              0, &zero, c, ldc, stride, count);
}

}  // namespace

std::optional<std::string> modes_missing() { return core::cublas_missing(); }

template <class T>
struct ModeProducts<T>::Parts {
  Extents e;
  std::int64_t pitch, plane;
  core::CublasHandle blas;
  Axis<T> x, y;
  core::DeviceBuffer<T> values, between;
  core::DeviceBuffer<std::byte> workspace{workspace_bytes};

  Parts(const Problem& problem, int planes, const core::Stream& stream)
      : e(problem.extents()),
        pitch(2 * (e.nx / 2 + 1)),
        plane(pitch * e.ny),
        blas(stream, CUBLAS_POINTER_MODE_HOST),
        x(problem, 0, stream),
        y(problem, 1, stream),
        values(static_cast<std::size_t>(plane * planes)),
        between(static_cast<std::size_t>(plane * planes)) {
    // Rows end with one or two padding modes, which are and stay zero.
    core::fill_bytes_async(values, 0, stream);
    stream.synchronize();
  }

  void begin(const core::Stream& stream) {
    core::check(core::cublas().set_stream(blas.get(), stream.get()));  // resets the workspace
    core::check(core::cublas().set_workspace(blas.get(), workspace.data(), workspace_bytes));
  }
  // Computes c[row][mode or cell] of all rows of all planes from a[row][cell or mode]. For cuBLAS, whose matrices are
  // column-major, they are transposed.
  void along_x(const core::DeviceBuffer<T>& matrix, int planes, const T* from, std::int64_t from_pitch, T* to,
               std::int64_t to_pitch) {
    core::check(gemm(blas.get(), CUBLAS_OP_T, e.nx, static_cast<std::int64_t>(e.ny) * planes, e.nx, matrix.data(), e.nx,
                     from, from_pitch, to, to_pitch));
  }
  void along_y(const core::DeviceBuffer<T>& matrix, int planes, const T* from, T* to) {
    core::check(gemms(blas.get(), e.nx, e.ny, e.ny, from, pitch, matrix.data(), e.ny, to, pitch, plane, planes));
  }
};

template <class T>
ModeProducts<T>::ModeProducts(const Problem& problem, int planes, const core::Stream& stream)
    : parts_(std::make_unique<Parts>(problem, planes, stream)) {}
template <class T>
ModeProducts<T>::ModeProducts(ModeProducts&&) noexcept = default;
template <class T>
ModeProducts<T>::~ModeProducts() = default;

template <class T>
T* ModeProducts<T>::modes() {
  return parts_->values.data();
}
template <class T>
std::vector<T> ModeProducts<T>::row_eigenvalues() const {
  std::vector<T> of_rows = parts_->x.values;
  of_rows.resize(static_cast<std::size_t>(parts_->pitch), T(-1));  // any value that avoids a division by 0
  return of_rows;
}
template <class T>
const std::vector<T>& ModeProducts<T>::column_eigenvalues() const {
  return parts_->y.values;
}

template <class T>
void ModeProducts<T>::to_modes(const T* in, int planes, const core::Stream& stream) {
  Parts& p = *parts_;
  p.begin(stream);
  p.along_x(p.x.to, planes, in, p.e.nx, p.between.data(), p.pitch);
  p.along_y(p.y.to, planes, p.between.data(), p.values.data());
}
template <class T>
void ModeProducts<T>::from_modes(T* out, int planes, const core::Stream& stream) {
  Parts& p = *parts_;
  p.begin(stream);
  p.along_y(p.y.from, planes, p.values.data(), p.between.data());
  p.along_x(p.x.from, planes, p.between.data(), p.pitch, out, p.e.nx);
}

template class ModeProducts<float>;
template class ModeProducts<double>;

}  // namespace speedwell::incompressible_flow::gpu
