// The operations along rows, for one instruction set.
#include "speedwell/apps/vector_calculus/cpu/cpu_rows.hpp"

#include "speedwell/apps/vector_calculus/cpu/host_rows.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"

namespace speedwell::vector_calculus::SPEEDWELL_ISA {
namespace {

template <Operation operation, Layout layout, bool sided, class T>
void evaluate(const void* what, std::int64_t a, std::int64_t b) {
  const RowJob<T>& job = *static_cast<const RowJob<T>*>(what);
  constexpr const OperationInfo& of = operations[static_cast<int>(operation)];
  const auto e = expression_of<operation, layout, MemorySpace::host>(job.operands);
  const host::Result<T, of.components, layout> out{job.out};
  if constexpr (of.flat) {
    host::evaluate_words(e, job.out, a, b, job.streaming);
  } else if constexpr (of.reach == 0) {
    host::evaluate_row<false>(e, as_one_row(job.frame), out, a, b, 0, 0, job.streaming);
    if (job.streaming) numerics::streaming::fence();
  } else {
    host::evaluate_row<sided>(e, job.frame, out, job.begin, job.end, a, b, job.streaming);
  }
}

template <class T>
host::Call* call_of(Operation operation, Layout layout, bool sided) {
  host::Call* call = nullptr;
  with_operation(operation, layout, [&]<Operation o, Layout l>() {
    if constexpr (operations[static_cast<int>(o)].reach > 0)
      call = sided ? evaluate<o, l, true, T> : evaluate<o, l, false, T>;
    else
      call = evaluate<o, l, false, T>;
  });
  return call;
}

}  // namespace

host::Call* row_call_f64(Operation operation, Layout layout, bool sided) {
  return call_of<double>(operation, layout, sided);
}
host::Call* row_call_f32(Operation operation, Layout layout, bool sided) {
  return call_of<float>(operation, layout, sided);
}

}  // namespace speedwell::vector_calculus::SPEEDWELL_ISA
