// The steps of the study for float (study.hpp): a file for each precision, so that they compile in parallel.
#include "speedwell/apps/vector_calculus/gpu/study.hpp"

namespace speedwell::vector_calculus {
template void study_apply(std::string_view, Operation, const StudyOperands<float>&, float*, const core::Stream&);
template void restructure(const Grid&, Layout, const float*, float*, const core::Stream&);
}  // namespace speedwell::vector_calculus
