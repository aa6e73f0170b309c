// Collections of HDF5 files for ParaView.
#include "speedwell/io/xdmf.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

class Xdmf : public test::FolderFixture {
 protected:
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  const MeshFaces uniform_ = {{{1, 1.5, 2}, {2, 3, 4, 5}, {-3, -1}}};
  const MeshFaces stretched_ = {{{0, 1, 3}, {0, 1}, {0, 1}}};
  const std::vector<CellField> fields_ = {{"velocity", 3, {}}, {"p", 1, {}}};
};

TEST_F(Xdmf, AxesAreInTheOrderZyx) {
  const std::string text = xdmf_grid({0.25, "fields/a.h5"}, uniform_, fields_).text;
  EXPECT_TRUE(has(text, "<Time Value=\"0.25\"/>")) << text;
  EXPECT_TRUE(has(text, "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"2 4 3\"/>")) << text;
  EXPECT_TRUE(has(text, ">-3 2 1</DataItem>")) << "the origin: " << text;
  EXPECT_TRUE(has(text, ">2 1 0.5</DataItem>")) << "the spacing: " << text;
  EXPECT_TRUE(has(text, "Dimensions=\"1 3 2 3\"")) << text;
  EXPECT_TRUE(has(text, ">fields/a.h5:/velocity</DataItem>")) << text;
  EXPECT_TRUE(has(text, "Name=\"p\" AttributeType=\"Scalar\" Center=\"Cell\"")) << text;
}

TEST_F(Xdmf, StretchedMeshesNameTheirCoordinates) {
  const std::string text = xdmf_grid({1, "a.h5"}, stretched_, {}).text;
  EXPECT_TRUE(has(text, "<Topology TopologyType=\"3DRectMesh\" Dimensions=\"2 2 3\"/>")) << text;
  const std::size_t x = text.find("Dimensions=\"3\""), y = text.find(">a.h5:/y_faces<"),
                    z = text.find(">a.h5:/z_faces<");
  EXPECT_LT(x, text.find(">a.h5:/x_faces<"));
  EXPECT_LT(x, y);
  EXPECT_LT(y, z);
  EXPECT_NE(z, std::string::npos);
}

TEST_F(Xdmf, CollectionsAreReadBack) {
  const std::vector<XdmfGrid> grids = {xdmf_grid({0, "a&b<c>\"d\".h5"}, uniform_, fields_),
                                       xdmf_grid({0.30000000000000004, "&amp;.h5"}, stretched_, {})};
  write_xdmf(root_ + "/a.xdmf", grids);
  EXPECT_TRUE(has(read("a.xdmf"), "<Time Value=\"0.30000000000000004\"/>"));
  const auto back = read_xdmf(root_ + "/a.xdmf");
  ASSERT_EQ(back.size(), grids.size());
  for (std::size_t n = 0; n < grids.size(); ++n) {
    EXPECT_EQ(back[n].file, grids[n].file);
    EXPECT_EQ(back[n].text, grids[n].text);
  }
  EXPECT_TRUE(read_xdmf(root_ + "/none.xdmf").empty());
  // Other text, and a grid that is cut short, are no grids.
  const std::string whole = read("a.xdmf");
  EXPECT_EQ(read_xdmf(write("cut.xdmf", whole.substr(0, whole.rfind("<Topology")))).size(), 1u);
  EXPECT_TRUE(read_xdmf(write("other.xdmf", "<Grid Name=\"")).empty());
}

TEST_F(Xdmf, OtherComponentsAreRefused) {
  EXPECT_THROW(xdmf_grid({0, "a.h5"}, uniform_, {{"two", 2, {}}}), std::invalid_argument);
  EXPECT_THROW(xdmf_grid({0, "a.h5"}, {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::io
