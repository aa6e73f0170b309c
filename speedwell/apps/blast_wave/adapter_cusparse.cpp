// The peer: the article's BiCGSTAB with cuSPARSE's product of block rows and cuBLAS's vectors, scalars in device
// memory. The host waits once in an iteration, to see whether it was the last. What makes a step's system is ours.
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/gpu_block_rows.hpp"
#include "speedwell/apps/blast_wave/gpu_library_scalars.hpp"
#include "speedwell/core/cuda/cublas.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
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
      : sparse_(stream, CUSPARSE_POINTER_MODE_HOST), blas_(stream, CUBLAS_POINTER_MODE_DEVICE) {}

  void multiply(const GpuBlockRows& a, const double* x, double* y) const {
    const double one = 1, zero = 0;
    check(cusparse().dbsrmv(sparse_.get(), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, a.rows(), a.rows(),
                            GpuBlockRows::blocks_of_row * a.rows(), &one, matrix_.get(), a.values(), a.offsets(),
                            a.columns(), GpuBlockRows::block, x, &zero, y));
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
  harness::CusparseDescription matrix_;
};

class LibrarySolver {
 public:
  LibrarySolver(const BlastWorkload& workload, const harness::Context&) : workload_(workload) {}

  void allocate(const core::Stream& stream) {
    rows_ = std::make_unique<GpuBlockRows>(workload_.problem(), stream);
    libraries_ = std::make_unique<Libraries>(stream);
    for (auto* vector : {&x_, &r_, &shadow_, &p_, &v_, &t_})
      *vector = core::DeviceBuffer<double>(5 * static_cast<std::size_t>(rows_->rows()));
    scalars_ = core::DeviceBuffer<LibraryScalars>(1);
  }
  void reset(const core::Stream& stream) { rows_->set(workload_.initial_state(), stream); }
  void download(Answer& answer, const core::Stream& stream) {
    answer.history = history_;
    rows_->get(answer.state, stream);
  }
  harness::Choices choices(const Answer& answer) const {
    return harness::joined(figures(answer), {{"bicgstab_s", std::to_string(bicgstab_seconds_)}});
  }

  void execute(const core::Stream& stream) {
    history_ = {};
    bicgstab_seconds_ = 0;
    for (int step = 0; step < workload_.problem().steps && history_.stop_reason == StopReason::done; ++step) {
      StepRecord record;
      record.dt = rows_->begin(stream);
      stream.synchronize();
      const auto began = Clock::now();
      history_.stop_reason = bicgstab(record, stream);
      stream.synchronize();
      bicgstab_seconds_ += seconds_since(began);
      const int n = 5 * rows_->rows();
      record.change = std::sqrt(square(n, x_.data(), stream));
      libraries_->multiply(*rows_, x_.data(), t_.data());
      core::copy_async(r_.data(), rows_->right_hand_side(), r_.size(), stream);
      libraries_->add(n, &scalars_.data()->minus_one, t_.data(), r_.data());
      record.true_residual = square(n, r_.data(), stream);
      if (history_.stop_reason == StopReason::done) {
        history_.point = rows_->commit(x_.data(), record.dt, stream);
        if (history_.point >= 0) history_.stop_reason = StopReason::not_admissible;
      }
      history_.steps.push_back(record);
    }
  }

 private:
  LibraryScalars scalars_now(const core::Stream& stream) {
    LibraryScalars now;
    core::copy_async(&now, scalars_.data(), 1, stream);
    stream.synchronize();
    return now;
  }
  double square(int n, const double* x, const core::Stream& stream) {
    libraries_->dot(n, x, x, &scalars_.data()->rr);
    return scalars_now(stream).rr;
  }

  /// Figure 1 of the article, from x = 0.
  StopReason bicgstab(StepRecord& record, const core::Stream& stream) {
    const Libraries& on = *libraries_;
    const Problem& problem = workload_.problem();
    const int n = 5 * rows_->rows();
    double *const x = x_.data(), *const r = r_.data(), *const shadow = shadow_.data(), *const p = p_.data(),
                  *const v = v_.data(), *const t = t_.data();
    LibraryScalars* const k = scalars_.data();
    core::copy_async(r, rows_->right_hand_side(), r_.size(), stream);
    core::copy_async(shadow, rows_->right_hand_side(), r_.size(), stream);
    for (auto* vector : {&x_, &p_, &v_}) core::fill_bytes_async(*vector, 0, stream);
    begin_scalars(k, stream);
    record.residual = record.right_hand_side = square(n, r, stream);
    if (!std::isfinite(record.residual)) return StopReason::not_admissible;
    while (record.residual > problem.max_squared_residual) {
      if (record.iterations == problem.max_iterations) return StopReason::iteration_limit;
      on.dot(n, r, shadow, &k->rho);
      make_beta(k, stream);
      on.add(n, &k->minus_omega, v, p);
      on.scale(n, &k->beta, p);
      on.add(n, &k->one, r, p);
      on.multiply(*rows_, p, v);
      on.dot(n, shadow, v, &k->shadow_v);
      make_alpha(k, stream);
      on.add(n, &k->minus_alpha, v, r);
      on.multiply(*rows_, r, t);
      on.dot(n, t, r, &k->tr);
      on.dot(n, t, t, &k->tt);
      make_omega(k, stream);
      on.add(n, &k->alpha, p, x);
      on.add(n, &k->omega, r, x);
      on.add(n, &k->minus_omega, t, r);
      on.dot(n, r, r, &k->rr);
      const LibraryScalars now = scalars_now(stream);
      ++record.iterations;
      record.residual = now.rr;
      if (!std::isfinite(now.rr) || (now.rr > problem.max_squared_residual && (now.rho == 0 || now.omega == 0)))
        return StopReason::breakdown;
    }
    return StopReason::done;
  }

  const BlastWorkload& workload_;
  std::unique_ptr<GpuBlockRows> rows_;
  std::unique_ptr<Libraries> libraries_;
  core::DeviceBuffer<double> x_, r_, shadow_, p_, v_, t_;
  core::DeviceBuffer<LibraryScalars> scalars_;
  History history_;
  double bicgstab_seconds_ = 0;
};

}  // namespace

std::vector<harness::Binding> cusparse_runs() {
  const auto missing = [] {
    const std::optional<std::string> sparse = harness::cusparse_missing();
    return sparse ? sparse : core::cublas_missing();
  };
  return {{"cusparse", harness::device_solver<BlastWorkload, LibrarySolver>(), missing}};
}

}  // namespace speedwell::blast_wave
