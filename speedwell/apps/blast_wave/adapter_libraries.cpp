// The peer: the article's BiCGSTAB with cuSPARSE's product of block rows and cuBLAS's vectors, scalars in device
// memory. The host waits once in an iteration, to see whether it was the last. What makes a step's system is ours.
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/adapter_case.hpp"
#include "speedwell/apps/blast_wave/adapter_cuda.hpp"
#include "speedwell/apps/blast_wave/gpu_block_rows.hpp"
#include "speedwell/apps/blast_wave/gpu_library_scalars.hpp"
#include "speedwell/core/cublas.hpp"
#include "speedwell/harness/gpu_run.hpp"
#include "speedwell/harness/peers/cusparse.hpp"

namespace speedwell::blast_wave {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

using core::check;
using core::cublas;
using harness::check;
using harness::cusparse;

/// The libraries' handles, on a stream.
class Libraries {
 public:
  explicit Libraries(const core::Stream& stream)
      : sparse_(stream, CUSPARSE_POINTER_MODE_HOST), blas_(stream, CUBLAS_POINTER_MODE_DEVICE) {
    check(cusparse().create_description(&matrix_));
  }
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;
  ~Libraries() { cusparse().destroy_description(matrix_); }

  void multiply(const GpuBlockRows& a, const double* x, double* y) const {
    const double one = 1, zero = 0;
    check(cusparse().dbsrmv(sparse_.get(), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, a.rows(), a.rows(),
                            GpuBlockRows::blocks_of_row * a.rows(), &one, matrix_, a.values(), a.offsets(), a.columns(),
                            GpuBlockRows::block, x, &zero, y));
  }
  /// The scalars of these are in device memory.
  void dot(int n, const double* x, const double* y, double* result) const {
    check(cublas().ddot(blas_.get(), n, x, 1, y, 1, result));
  }
  void add(int n, const double* factor, const double* x, double* y) const {
    check(cublas().daxpy(blas_.get(), n, factor, x, 1, y, 1));
  }
  void scale(int n, const double* factor, double* x) const { check(cublas().dscal(blas_.get(), n, factor, x, 1)); }

 private:
  harness::CusparseHandle sparse_;
  core::CublasHandle blas_;
  cusparseMatDescr_t matrix_ = nullptr;
};

class LibraryRun final : public harness::GpuRun {
 public:
  LibraryRun(std::shared_ptr<const Inputs> inputs, const harness::Context&) : inputs_(std::move(inputs)) {}

  void allocate() override {
    rows_ = std::make_unique<GpuBlockRows>(inputs_->problem(), stream());
    libraries_ = std::make_unique<Libraries>(stream());
    for (auto* vector : {&x_, &r_, &shadow_, &p_, &v_, &t_})
      *vector = core::DeviceBuffer<double>(5 * static_cast<std::size_t>(rows_->rows()));
    scalars_ = core::DeviceBuffer<LibraryScalars>(1);
  }
  void reset() override { rows_->set(inputs_->begun(), stream()); }
  void poison() override { blast_wave::poison(answer_, inputs_->begun().q.size()); }
  void download() override {
    answer_.history = history_;
    rows_->get(answer_.state, stream());
  }
  core::Verdict verify() override { return inputs_->judge(answer_, Iterations::as_the_oracle); }
  std::vector<harness::Output> outputs() override { return outputs_of(answer_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = figures(answer_);
    all.push_back({"bicgstab_s", std::to_string(bicgstab_seconds_)});
    return all;
  }

 protected:
  void enqueue() override {
    history_ = {};
    bicgstab_seconds_ = 0;
    for (int step = 0; step < inputs_->problem().steps && history_.stop_reason == StopReason::done; ++step) {
      StepRecord record;
      record.dt = rows_->begin(stream());
      stream().synchronize();
      const auto began = Clock::now();
      history_.stop_reason = bicgstab(record);
      stream().synchronize();
      bicgstab_seconds_ += seconds_since(began);
      const int n = 5 * rows_->rows();
      record.change = std::sqrt(square(n, x_.data()));
      libraries_->multiply(*rows_, x_.data(), t_.data());
      core::copy_async(r_.data(), rows_->right_hand_side(), r_.size(), stream());
      libraries_->add(n, &scalars_.data()->minus_one, t_.data(), r_.data());
      record.true_residual = square(n, r_.data());
      if (history_.stop_reason == StopReason::done) {
        history_.point = rows_->commit(x_.data(), record.dt, stream());
        if (history_.point >= 0) history_.stop_reason = StopReason::not_admissible;
      }
      history_.steps.push_back(record);
    }
  }

 private:
  LibraryScalars scalars_now() {
    LibraryScalars now;
    core::copy_async(&now, scalars_.data(), 1, stream());
    stream().synchronize();
    return now;
  }
  double square(int n, const double* x) {
    libraries_->dot(n, x, x, &scalars_.data()->rr);
    return scalars_now().rr;
  }

  /// Figure 1 of the article, from x = 0.
  StopReason bicgstab(StepRecord& record) {
    const Libraries& on = *libraries_;
    const Problem& problem = inputs_->problem();
    const int n = 5 * rows_->rows();
    double *const x = x_.data(), *const r = r_.data(), *const shadow = shadow_.data(), *const p = p_.data(),
                  *const v = v_.data(), *const t = t_.data();
    LibraryScalars* const k = scalars_.data();
    core::copy_async(r, rows_->right_hand_side(), r_.size(), stream());
    core::copy_async(shadow, rows_->right_hand_side(), r_.size(), stream());
    for (auto* vector : {&x_, &p_, &v_}) core::fill_bytes_async(*vector, 0, stream());
    begin_scalars(k, stream());
    record.residual = record.right_hand_side = square(n, r);
    if (!std::isfinite(record.residual)) return StopReason::not_admissible;
    while (record.residual > problem.tolerance) {
      if (record.iterations == problem.max_iterations) return StopReason::iteration_limit;
      on.dot(n, r, shadow, &k->rho);
      make_beta(k, stream());
      on.add(n, &k->minus_omega, v, p);
      on.scale(n, &k->beta, p);
      on.add(n, &k->one, r, p);
      on.multiply(*rows_, p, v);
      on.dot(n, shadow, v, &k->shadow_v);
      make_alpha(k, stream());
      on.add(n, &k->minus_alpha, v, r);
      on.multiply(*rows_, r, t);
      on.dot(n, t, r, &k->tr);
      on.dot(n, t, t, &k->tt);
      make_omega(k, stream());
      on.add(n, &k->alpha, p, x);
      on.add(n, &k->omega, r, x);
      on.add(n, &k->minus_omega, t, r);
      on.dot(n, r, r, &k->rr);
      const LibraryScalars now = scalars_now();
      ++record.iterations;
      record.residual = now.rr;
      if (!std::isfinite(now.rr) || (now.rr > problem.tolerance && (now.rho == 0 || now.omega == 0)))
        return StopReason::breakdown;
    }
    return StopReason::done;
  }

  std::shared_ptr<const Inputs> inputs_;
  std::unique_ptr<GpuBlockRows> rows_;
  std::unique_ptr<Libraries> libraries_;
  core::DeviceBuffer<double> x_, r_, shadow_, p_, v_, t_;
  core::DeviceBuffer<LibraryScalars> scalars_;
  History history_;
  Answer answer_;
  double bicgstab_seconds_ = 0;
};

}  // namespace

std::vector<harness::Binding> library_runs() {
  const auto missing = [] {
    const std::optional<std::string> sparse = harness::cusparse_missing();
    return sparse ? sparse : core::cublas_missing();
  };
  return {{"cusparse", harness::on_device(harness::make_run<Inputs, LibraryRun>()), missing}};
}

}  // namespace speedwell::blast_wave
