// A temporary folder for the files of a test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace speedwell::test {

class FolderFixture : public ::testing::Test {
 protected:
  FolderFixture() {
    std::string name = std::filesystem::temp_directory_path() / "speedwell-test-XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~FolderFixture() override { std::filesystem::remove_all(root_); }

  /// Returns the path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/" + name, std::ios::binary) << text;
    return root_ + "/" + name;
  }
  /// The content of a file in the folder or with an absolute path; empty if there is none.
  std::string read(const std::string& name) const {
    std::ifstream in(std::filesystem::path(root_) / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string root_;
};

}  // namespace speedwell::test
