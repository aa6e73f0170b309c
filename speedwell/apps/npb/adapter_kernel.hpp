// What each kernel of the suite gives the application: a row of the table in adapter.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::npb {

struct Kernel {
  std::string_view name;  // of the parameter `kernel`
  harness::Work (*work)(Class c);
  harness::NpbTitle (*title)(Class c);
  std::shared_ptr<const harness::Workload> (*prepare)(Class c);  // a KernelCase
  std::vector<harness::Variant> (*variants)();
};

/// A case, and of which kernel it is.
struct KernelCase : harness::Workload {
  explicit KernelCase(std::string_view its_kernel) : kernel(its_kernel) {}
  const std::string_view kernel;
};

/// The parameters `class` and `kernel`.
Class class_of(const harness::Problem& problem);
const std::string& kernel_of(const harness::Problem& problem);
/// "EP" of "ep".
std::string title_of(std::string_view kernel);

}  // namespace speedwell::npb
