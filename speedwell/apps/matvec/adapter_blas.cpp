// The peer on the CPU: OpenBLAS's gemv on the same matrix. Its threads are its own, not OpenMP's.
#include "speedwell/apps/matvec/adapter_blas.hpp"

#include <cblas.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "speedwell/apps/matvec/adapter_case.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/shared_library.hpp"

namespace speedwell::matvec {
namespace {

/// The functions of OpenBLAS that the variant calls.
struct OpenBlas {
  decltype(&cblas_sgemv) sgemv;
  decltype(&cblas_dgemv) dgemv;
  // The cblas.h that is found may be that of the reference BLAS, which does not have these.
  void (*set_num_threads)(int threads);
  char* (*config)();
};

// Loaded at the first call: it starts a thread for every core as it is loaded, each of which wants memory for itself,
// and where that is short they ask for it again and again, at the end of the program too. Throws core::Unavailable.
const OpenBlas& openblas() {
  static const OpenBlas functions = [] {
    const core::SharedLibrary library("libopenblas.so.0", SPEEDWELL_OPENBLAS_FOLDER);
    return OpenBlas{.sgemv = library.function<decltype(&cblas_sgemv)>("cblas_sgemv"),
                    .dgemv = library.function<decltype(&cblas_dgemv)>("cblas_dgemv"),
                    .set_num_threads = library.function<void (*)(int)>("openblas_set_num_threads"),
                    .config = library.function<char* (*)()>("openblas_get_config")};
  }();
  return functions;
}

std::optional<std::string> openblas_missing() {
  try {
    openblas();
    return std::nullopt;
  } catch (const core::Unavailable& missing) {
    return missing.what();
  }
}

int narrow(std::int64_t n) {
  if (n > std::numeric_limits<int>::max())
    throw core::Unavailable("openblas counts in 32 bits here; " + std::to_string(n) + " is more");
  return static_cast<int>(n);
}

void gemv_f32(const Matrix<float>& a, std::span<const float> b, std::span<float> c, int) {
  openblas().sgemv(CblasRowMajor, CblasNoTrans, narrow(a.rows), narrow(a.columns), 1, a.data, narrow(a.leading),
                   b.data(), 1, 0, c.data(), 1);
}
void gemv_f64(const Matrix<double>& a, std::span<const double> b, std::span<double> c, int) {
  openblas().dgemv(CblasRowMajor, CblasNoTrans, narrow(a.rows), narrow(a.columns), 1, a.data, narrow(a.leading),
                   b.data(), 1, 0, c.data(), 1);
}

// The number of threads is a setting of the whole library, so it is made when the run is, outside execute().
template <class T>
class BlasRun : public HostRun<T> {
 public:
  BlasRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostVariant variant)
      : HostRun<T>(std::move(inputs), context, variant), threads_(context.threads) {
    if (context.deterministic)
      throw core::Unavailable("openblas: it does not promise the same bits for any number of threads");
    openblas();
  }
  void allocate() override {
    openblas().set_num_threads(threads_);
    HostRun<T>::allocate();
  }

 private:
  int threads_;
};

std::vector<std::pair<std::string, std::string>> choices(int threads) {
  return {{"library", openblas().config()}, {"threads", std::to_string(threads)}};
}

}  // namespace

std::vector<harness::Binding> blas_runs() {
  return {{"openblas", make_in_precision<BlasRun>(HostVariant{gemv_f32, gemv_f64, choices}), openblas_missing}};
}

}  // namespace speedwell::matvec
