// A temporary folder, and cases that are solved in it.
#pragma once

#include <sstream>
#include <string>

#include "speedwell/cli/solve.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::cli {

class SolveFixture : public test::FolderFixture {
 protected:
  std::ostringstream out_, err_;
};

}  // namespace speedwell::cli
