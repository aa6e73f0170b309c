// The steps of the study for double (study.hpp): a file for each precision, so that they compile in parallel.
#include "speedwell/apps/vector_calculus/gpu/study.hpp"

namespace speedwell::vector_calculus {
template void study_apply(std::string_view, Operation, const StudyOperands<double>&, double*, const core::Stream&);
template void restructure(const Grid&, Layout, const double*, double*, const core::Stream&);
}  // namespace speedwell::vector_calculus
