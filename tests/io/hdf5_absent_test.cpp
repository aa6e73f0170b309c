// Fields in HDF5, in a build without it.
#include <gtest/gtest.h>

#include <filesystem>

#include "speedwell/core/error.hpp"
#include "speedwell/io/hdf5.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

using Hdf5Absent = test::FolderFixture;

TEST_F(Hdf5Absent, SaysSoAndWritesNothing) {
  ASSERT_TRUE(lacks_hdf5());
  EXPECT_NE(lacks_hdf5()->find("SPEEDWELL_HDF5"), std::string::npos) << *lacks_hdf5();
  EXPECT_THROW(write_hdf5(root_ + "/a.h5", {{{0, 1}, {0, 1}, {0, 1}}}, {}, {}), core::Unavailable);
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

}  // namespace
}  // namespace speedwell::io
