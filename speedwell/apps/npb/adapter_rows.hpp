// One table of variants for all kernels: a row is as many functions as there are kernels that have a variant of its
// name.
#pragma once

#include <string_view>
#include <vector>

#include "speedwell/apps/npb/adapter_kernel.hpp"

namespace speedwell::npb {

/// The kernels' variants in their order, `cuda` last. A row refuses the problems of other kernels.
std::vector<harness::Variant> rows_of(const std::vector<Kernel>& kernels);

struct KernelBindings {
  std::string_view kernel;
  std::vector<harness::Binding> bindings;
};
/// The same of functions that are built apart: a binding for each row.
std::vector<harness::Binding> bindings_of(const std::vector<KernelBindings>& kernels);

}  // namespace speedwell::npb
