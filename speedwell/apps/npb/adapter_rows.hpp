// What each kernel of the suite gives the application, and the table of variants of all kernels: a variant has as many
// implementations as there are kernels that have a variant of its name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::npb {

struct Kernel {
  std::string_view name;  // of the parameter `kernel`
  harness::Work (*work)(Class c);
  harness::NpbTitle (*title)(Class c);
  std::shared_ptr<const harness::Workload> (*prepare)(Class c);  // a KernelWorkload
  std::vector<harness::Variant> (*variants)();
};

/// A workload that says which kernel it belongs to.
struct KernelWorkload : harness::Workload {
  explicit KernelWorkload(std::string_view its_kernel) : kernel(its_kernel) {}
  const std::string_view kernel;
};

/// The parameters `class` and `kernel`.
Class class_of(const harness::Problem& problem);
const std::string& kernel_of(const harness::Problem& problem);
/// "EP" for "ep".
std::string title_of(std::string_view kernel);

/// The variants of the kernels in their order, the best ones last. A variant does not support the problems of kernels
/// that have no variant of its name.
std::vector<harness::Variant> rows_of(const std::vector<Kernel>& kernels);

struct KernelBindings {
  std::string_view kernel;
  std::vector<harness::Binding> bindings;
};
/// The same for factories that are compiled in an optional part: a binding for each variant.
std::vector<harness::Binding> bindings_of(const std::vector<KernelBindings>& kernels);

}  // namespace speedwell::npb
