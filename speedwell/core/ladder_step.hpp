// LadderStep: a row in the table of an application's GPU variants, without CUDA.
#pragma once

#include <string_view>

namespace speedwell::core {

/// A GPU variant in the order in which each adds an idea to the one before; the last one, `cuda`, is the recommended
/// implementation. A table whose steps differ in more than their functions has a struct that derives from this.
struct LadderStep {
  std::string_view name;
  std::string_view description;   // what it adds to the one before
  std::string_view lineage = {};  // what a published study calls it; empty: it is in none
};

}  // namespace speedwell::core
