#include "speedwell/apps/npb/adapter_cuda.hpp"

#include "speedwell/apps/npb/adapter_rows.hpp"

namespace speedwell::npb {

std::vector<harness::Binding> cuda_runs() { return bindings_of({{"ep", ep::cuda_runs()}, {"ft", ft::cuda_runs()}}); }

}  // namespace speedwell::npb
