// What each kernel of the suite gives the application: a row of the table in adapter.cpp.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::npb {

struct Kernel {
  std::string_view name;  // of the parameter `kernel`
  harness::Work (*work)(Class c);
  harness::NpbTitle (*title)(Class c);
  std::shared_ptr<const harness::Case> (*prepare)(Class c);
  std::vector<harness::Variant> (*variants)();
};

/// The parameter `class`.
Class class_of(const harness::Problem& problem);

}  // namespace speedwell::npb
