// In a build without CUDA: the GPU rows stay listed, with the reason.
#include "speedwell/catalogue.hpp"

namespace speedwell {

void attach_cuda(std::vector<harness::Application>& applications) {
  for (harness::Application& a : applications)
    harness::mark_unavailable(a, harness::Backend::cuda, "built without CUDA");
}

}  // namespace speedwell
