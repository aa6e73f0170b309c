// A temporary folder, and cases that are solved in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "speedwell/cli/solve.hpp"
#include "speedwell/io/error.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::cli {

/// A case that is refused: the id of the error, and words of its message.
struct BadCase {
  std::string text, id, words;
};

/// act() throws an io::InputError with this id, in whose message the words are.
template <class Act>
void expect_input_error(const Act& act, const std::string& id, const std::string& words) {
  try {
    act();
    ADD_FAILURE() << "no error " << id;
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), id);
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

class SolveFixture : public test::FolderFixture {
 protected:
  /// solve(file, folder) throws for each of the cases and writes nothing.
  template <class Solve>
  void expect_refused(const std::vector<BadCase>& cases, const Solve& solve) {
    for (const BadCase& bad : cases) {
      SCOPED_TRACE(bad.text);
      expect_input_error([&] { solve(write("bad.toml", bad.text), "bad"); }, bad.id, bad.words);
      EXPECT_FALSE(std::filesystem::exists(root_ + "/bad"));
    }
  }

  /// These files of two folders have the same bytes, and some: files that are missing are not the same.
  void expect_same_files(const std::string& one, const std::string& other, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const std::string bytes = read(one + "/" + name);
      EXPECT_FALSE(bytes.empty()) << one << "/" << name;
      EXPECT_TRUE(bytes == read(other + "/" + name)) << name << " of " << one << " and of " << other << " differ";
    }
  }

  std::ostringstream out_, err_;
};

}  // namespace speedwell::cli
