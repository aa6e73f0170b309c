// A temporary folder, and cases that are solved in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "speedwell/cli/solve.hpp"

namespace speedwell::cli {

class SolveFixture : public ::testing::Test {
 protected:
  SolveFixture() {
    std::string name = std::filesystem::temp_directory_path() / "speedwell-solve-XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~SolveFixture() override { std::filesystem::remove_all(root_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
    return root_ + "/" + name;
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string root_;
  std::ostringstream out_, err_;
};

}  // namespace speedwell::cli
