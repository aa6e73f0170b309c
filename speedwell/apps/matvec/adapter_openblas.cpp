// The peer of matvec on the host: gemv of OpenBLAS on the same matrix, with threads of OpenBLAS and not of OpenMP.
#include <cblas.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/shared_library.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

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

std::optional<std::string> openblas_missing() { return core::unavailable_reason(openblas); }

int narrow(std::int64_t n) {
  if (n > std::numeric_limits<int>::max())
    throw core::Unavailable("openblas counts in 32 bits here; " + std::to_string(n) + " is more");
  return static_cast<int>(n);
}

/// The number of threads is a setting of the whole library, so it is set in allocate() and not in execute().
template <class T>
class BlasSolver {
 public:
  BlasSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), threads_(context.threads) {
    if (context.deterministic)
      throw core::Unavailable("openblas: it does not promise the same bits for any number of threads");
    openblas();
  }
  void allocate() { openblas().set_num_threads(threads_); }
  void execute(core::HostBuffer<T>& c) {
    const Matrix<T> a = inputs_.a();
    const auto gemv = [] {
      if constexpr (std::is_same_v<T, float>)
        return openblas().sgemv;
      else
        return openblas().dgemv;
    }();
    gemv(CblasRowMajor, CblasNoTrans, narrow(a.rows), narrow(a.columns), 1, a.data, narrow(a.leading),
         inputs_.b().data(), 1, 0, c.data(), 1);
  }
  harness::Choices choices() const { return {{"library", openblas().config()}, {"threads", std::to_string(threads_)}}; }

 private:
  const Inputs<T>& inputs_;
  int threads_;
};

}  // namespace

std::vector<harness::Binding> openblas_runs() {
  return {{"openblas", harness::host_solver<Inputs, BlasSolver>(), openblas_missing}};
}

}  // namespace speedwell::matvec
