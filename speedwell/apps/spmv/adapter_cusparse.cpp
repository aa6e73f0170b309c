// The peers: cuSPARSE's generic product of a matrix in compressed rows, with its optional preparation done in upload,
// in sliced ELL and in blocks. It has no diagonals.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "speedwell/apps/spmv/adapter.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"
#include "speedwell/harness/peers/cusparse.hpp"

namespace speedwell::spmv {
namespace {

using harness::check;
using harness::cusparse;
using harness::DeviceVectors;
using sparse::Bsr;
using sparse::Csr;
using sparse::SlicedEll;

template <class T>
constexpr cudaDataType value_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

enum class Stored { csr, ell, bsr };

template <class T>
class CusparseSolver : public DeviceVectors<T> {
 public:
  CusparseSolver(const Inputs<T>& inputs, const harness::Context&, Stored stored)
      : DeviceVectors<T>(inputs.x(), inputs.rows()), inputs_(inputs), stored_(stored) {}
  CusparseSolver(const CusparseSolver&) = delete;
  CusparseSolver& operator=(const CusparseSolver&) = delete;
  ~CusparseSolver() {
    if (matrix_) cusparse().destroy_matrix(matrix_);
    if (x_) cusparse().destroy_vector(x_);
    if (y_) cusparse().destroy_vector(y_);
  }

  void allocate(const core::Stream& stream) {
    DeviceVectors<T>::allocate();
    handle_.emplace(stream, CUSPARSE_POINTER_MODE_HOST);
  }
  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    const Csr<T>& m = inputs_.matrix();
    stored_ == Stored::ell   ? upload_ell(m, stream)
    : stored_ == Stored::bsr ? upload_bsr(m, stream)
                             : upload_csr(m, stream);
    check(cusparse().create_vector(&x_, m.columns, const_cast<T*>(this->x()), value_type<T>));
    check(cusparse().create_vector(&y_, m.rows, this->y(), value_type<T>));
    std::size_t bytes = 0;
    check(cusparse().spmv_buffer_size(handle_->get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                                      value_type<T>, algorithm(), &bytes));
    workspace_ = core::DeviceBuffer<char>(std::max<std::size_t>(bytes, 16));
    if (stored_ == Stored::csr)
      check(cusparse().spmv_preprocess(handle_->get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                                       value_type<T>, algorithm(), workspace_.data()));
    stream.synchronize();
  }
  harness::Choices choices() const {
    if (stored_ == Stored::bsr) return {{"algorithm", "BSR_ALG1"}, {"block_side", std::to_string(side_)}};
    return {{"algorithm", stored_ == Stored::ell ? "SELL_ALG1" : "default, preprocessed in upload"}};
  }

  void execute(const core::Stream&) {
    check(cusparse().spmv(handle_->get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                          value_type<T>, algorithm(), workspace_.data()));
  }

 private:
  cusparseSpMVAlg_t algorithm() const {
    return stored_ == Stored::ell   ? CUSPARSE_SPMV_SELL_ALG1
           : stored_ == Stored::bsr ? CUSPARSE_SPMV_BSR_ALG1
                                    : CUSPARSE_SPMV_ALG_DEFAULT;
  }
  // 32-bit offsets, as its fastest kernels have them.
  template <class Offsets>
  void upload_parts(const Offsets& offsets, std::span<const std::int32_t> column, std::span<const T> value,
                    const core::Stream& stream) {
    if (offsets.back() > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("spmv: " + std::to_string(offsets.back()) +
                                  " entries; this peer is set up for fewer than 2^31");
    const std::vector<std::int32_t> narrow(offsets.begin(), offsets.end());
    offsets_ = core::DeviceBuffer<std::int32_t>(narrow.size());
    column_ = core::DeviceBuffer<std::int32_t>(column.size());
    value_ = core::DeviceBuffer<T>(value.size());
    core::copy_async(offsets_.data(), narrow.data(), narrow.size(), stream);
    core::copy_async(column_.data(), column.data(), column.size(), stream);
    core::copy_async(value_.data(), value.data(), value.size(), stream);
    stream.synchronize();
  }
  void upload_csr(const Csr<T>& m, const core::Stream& stream) {
    upload_parts(m.offsets, m.column, m.value, stream);
    check(cusparse().create_csr(&matrix_, m.rows, m.columns, m.entries(), offsets_.data(), column_.data(),
                                value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                value_type<T>));
  }
  void upload_ell(const Csr<T>& m, const core::Stream& stream) {
    const SlicedEll<T> ell = sparse::sliced(m);
    upload_parts(ell.offsets, ell.column.span(), ell.value.span(), stream);
    const auto stored = static_cast<std::int64_t>(ell.value.size());
    check(cusparse().create_sliced_ell(&matrix_, m.rows, m.columns, m.entries(), stored, SlicedEll<T>::slice,
                                       offsets_.data(), column_.data(), value_.data(), CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  }
  void upload_bsr(const Csr<T>& m, const core::Stream& stream) {
    const Bsr<T> bsr = sparse::blocked(m);
    side_ = bsr.side;
    if (m.rows % side_ != 0 || m.columns % side_ != 0)
      throw std::invalid_argument("spmv: " + std::to_string(m.rows) + " x " + std::to_string(m.columns) +
                                  " in blocks of " + std::to_string(side_) + "; this peer takes whole blocks alone");
    upload_parts(bsr.offsets, bsr.column.span(), bsr.value.span(), stream);
    check(cusparse().create_bsr(&matrix_, m.rows / side_, m.columns / side_, bsr.offsets.back(), side_, side_,
                                offsets_.data(), column_.data(), value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, value_type<T>, CUSPARSE_ORDER_ROW));
  }

  const Inputs<T>& inputs_;
  Stored stored_;
  int side_ = 0;
  T one_ = 1, zero_ = 0;
  std::optional<harness::CusparseHandle> handle_;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  core::DeviceBuffer<std::int32_t> offsets_, column_;
  core::DeviceBuffer<T> value_;
  core::DeviceBuffer<char> workspace_;
};

}  // namespace

std::vector<harness::Binding> cusparse_runs() {
  return {{"cusparse", harness::device_solver<Inputs, CusparseSolver>(Stored::csr), harness::cusparse_missing},
          {"cusparse-sell", harness::device_solver<Inputs, CusparseSolver>(Stored::ell), harness::cusparse_missing},
          {"cusparse-bsr", harness::device_solver<Inputs, CusparseSolver>(Stored::bsr), harness::cusparse_missing}};
}

}  // namespace speedwell::spmv
