// A folder of small files that stands for /, made for one test and removed after it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace speedwell::machine {

class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "speedwell-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  const std::filesystem::path& root() const { return root_; }
  Tree& file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
    return *this;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace speedwell::machine
