// Fields in HDF5: files of ours, read with the HDF5 library itself.
#include "speedwell/io/hdf5.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/vtk.hpp"
#include "tests/support/folder_fixture.hpp"
#include "tests/support/full_disk.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

// A mesh and fields of it that have another value at each place.
struct Example {
  Example(std::size_t nx, std::size_t ny, std::size_t nz) {
    const std::array<std::size_t, 3> cells = {nx, ny, nz};
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i <= cells[d]; ++i)
        faces[d].push_back(static_cast<double>(i) + (d == 1 ? 0.1 * static_cast<double>(i * i) : 0));
    for (std::size_t n = 0; n < 3 * nx * ny * nz; ++n) velocity.push_back(0.5f * static_cast<float>(n) - 7);
    for (std::size_t n = 0; n < nx * ny * nz; ++n) pressure.push_back(1 / (static_cast<float>(n) + 3));
  }
  std::vector<CellField> fields() const {
    return {{"velocity", 3, velocity, "length/time"}, {"pressure", 1, pressure}};
  }

  MeshFaces faces;
  std::vector<float> velocity, pressure;
};

const FieldsOrigin origin = {0.30000000000000004, 1234567890123, "0123456789abcdef0123456789abcdef"};

// What is in a dataset of a file.
struct Stored {
  std::vector<hsize_t> extents, chunk;
  std::string units;
  int filters = 0;
  bool readable = false;

  std::size_t size() const {
    std::size_t all = 1;
    for (const hsize_t n : extents) all *= n;
    return all;
  }
};

class Hdf5 : public test::FolderFixture {
 protected:
  Hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string write_example(const std::string& name, const Example& e) const {
    write_hdf5(path(name), e.faces, e.fields(), origin);
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator{}));
  }

  static std::string text_attribute(hid_t of, const char* name) {
    if (H5Aexists(of, name) <= 0) return "";
    const hid_t attribute = H5Aopen(of, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    std::string text(H5Tget_size(type), '\0');
    H5Aread(attribute, type, text.data());
    H5Tclose(type);
    H5Aclose(attribute);
    return text.c_str();
  }
  template <class T>
  static T number_attribute(hid_t of, const char* name, hid_t type) {
    T value = 0;
    const hid_t attribute = H5Aopen(of, name, H5P_DEFAULT);
    EXPECT_GE(H5Aread(attribute, type, &value), 0) << name;
    H5Aclose(attribute);
    return value;
  }
  template <class T>
  static Stored read_dataset(hid_t file, const char* name, hid_t type, std::vector<T>& values) {
    Stored stored;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set), made = H5Dget_create_plist(set);
    const int axes = H5Sget_simple_extent_ndims(space);
    stored.extents.resize(static_cast<std::size_t>(axes));
    stored.chunk.resize(stored.extents.size());
    H5Sget_simple_extent_dims(space, stored.extents.data(), nullptr);
    H5Pget_chunk(made, axes, stored.chunk.data());
    stored.filters = H5Pget_nfilters(made);
    stored.units = text_attribute(set, "units");
    values.assign(stored.size(), T(-1));
    stored.readable = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
    H5Pclose(made);
    H5Sclose(space);
    H5Dclose(set);
    return stored;
  }
};

// The arrays of a file of write_vtk(), in their order.
std::vector<std::vector<float>> arrays_of(const std::string& vtk, std::size_t count) {
  const std::string begin = "<AppendedData encoding=\"raw\">\n_";
  std::size_t at = vtk.find(begin) + begin.size();
  std::vector<std::vector<float>> all;
  for (std::size_t n = 0; n < count; ++n) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, vtk.data() + at, sizeof bytes);
    all.emplace_back(bytes / sizeof(float));
    std::memcpy(all.back().data(), vtk.data() + at + sizeof bytes, bytes);
    at += sizeof bytes + bytes;
  }
  return all;
}

TEST_F(Hdf5, HasTheValuesOfTheVtkFile) {
  ASSERT_FALSE(lacks_hdf5());
  const Example e(5, 4, 3);
  write_vtk(path("a.vtr"), e.faces, e.fields());
  const auto of_vtk = arrays_of(read("a.vtr"), 2);
  const hid_t file = H5Fopen(write_example("a.h5", e).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  std::vector<float> values;
  const Stored velocity = read_dataset(file, "velocity", H5T_NATIVE_FLOAT, values);
  EXPECT_EQ(velocity.extents, (std::vector<hsize_t>{3, 4, 5, 3}));
  EXPECT_EQ(velocity.units, "length/time");
  EXPECT_EQ(values, of_vtk[0]);
  EXPECT_EQ(values, e.velocity);
  const Stored pressure = read_dataset(file, "pressure", H5T_NATIVE_FLOAT, values);
  EXPECT_EQ(pressure.extents, (std::vector<hsize_t>{3, 4, 5}));
  EXPECT_EQ(pressure.units, "");
  EXPECT_EQ(values, of_vtk[1]);
  std::vector<double> faces;
  for (const auto& [name, d] : std::map<const char*, std::size_t>{{"x_faces", 0}, {"y_faces", 1}, {"z_faces", 2}}) {
    read_dataset(file, name, H5T_NATIVE_DOUBLE, faces);
    EXPECT_EQ(faces, e.faces[d]) << name;
  }
  EXPECT_EQ(text_attribute(file, "schema"), "speedwell-fields/1");
  EXPECT_EQ(text_attribute(file, "case_xxh3_128"), origin.case_digest);
  EXPECT_EQ(number_attribute<double>(file, "time", H5T_NATIVE_DOUBLE), origin.time);
  EXPECT_EQ(number_attribute<long long>(file, "step", H5T_NATIVE_LLONG), origin.step);
  H5Fclose(file);
  EXPECT_EQ(files(), 2u);
}

// Planes of 1.08 MB, which are divided; rows of 1.2 MB, which are, too; and small planes, of which several make a
// chunk.
TEST_F(Hdf5, ChunksAreSmallAndHaveEveryValue) {
  for (const auto& [nx, ny, nz] : {std::array<std::size_t, 3>{300, 301, 4}, {100'003, 2, 1}, {17, 19, 900}}) {
    const Example e(nx, ny, nz);
    const hid_t file = H5Fopen(write_example("a.h5", e).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    std::vector<float> values;
    const Stored stored = read_dataset(file, "velocity", H5T_NATIVE_FLOAT, values);
    H5Fclose(file);
    EXPECT_EQ(values, e.velocity) << nx;
    std::size_t in_chunk = sizeof(float);
    for (const hsize_t n : stored.chunk) in_chunk *= n;
    EXPECT_LE(in_chunk, 1u << 20) << nx;
    EXPECT_GT(in_chunk, 1u << 18) << nx << ": many small chunks";
    EXPECT_EQ(stored.filters, 1) << "the checksums";
    // The last chunk of an axis takes as much room as the others: 5 % are allowed for that.
    const std::size_t values_of_file = 4 * sizeof(float) * nx * ny * nz + sizeof(double) * (nx + ny + nz + 3);
    EXPECT_LT(static_cast<double>(fs::file_size(path("a.h5"))), 1.05 * static_cast<double>(values_of_file)) << nx;
  }
}

TEST_F(Hdf5, ChangedBytesAreFound) {
  const Example e(8, 8, 8);
  std::string bytes = (write_example("a.h5", e), read("a.h5"));
  std::string value(sizeof(float), '\0');
  std::memcpy(value.data(), &e.pressure[100], sizeof(float));
  const std::size_t at = bytes.find(value);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  const hid_t file = H5Fopen(write("b.h5", bytes).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  std::vector<float> values;
  EXPECT_FALSE(read_dataset(file, "pressure", H5T_NATIVE_FLOAT, values).readable);
  EXPECT_TRUE(read_dataset(file, "velocity", H5T_NATIVE_FLOAT, values).readable);
  H5Fclose(file);
}

TEST_F(Hdf5, SameFieldsAreSameBytes) {
  const Example e(33, 20, 9);
  write_example("a.h5", e);
  write_example("b.h5", e);
  EXPECT_EQ(read("a.h5"), read("b.h5"));
  const std::string before = read("a.h5");
  write_example("a.h5", Example(2, 2, 2));
  EXPECT_NE(read("a.h5"), before) << "an existing file is replaced";
}

// The library cannot close a file that it cannot write; a later file must not suffer from it.
TEST_F(Hdf5, FullDisksLeaveNothing) {
  const Example e(40, 30, 20);
  const auto whole = fs::file_size(write_example("whole.h5", e));
  const std::string expected = read("whole.h5");
  for (const rlim_t room : {rlim_t{0}, rlim_t{100}, rlim_t{2048}, rlim_t{50'000}, rlim_t{whole / 2}, rlim_t{whole - 1}})
    EXPECT_EQ(test::with_full_disk(room, [&] { return write_example("a.h5", e), 0; }), 5) << room;
  EXPECT_EQ(test::with_full_disk(whole, [&] { return write_example("whole.h5", e), 0; }), 0);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(read("whole.h5"), expected);
  if (!fs::exists("/dev/full")) return;
  testing::internal::CaptureStderr();
  for (int n = 0; n < 3; ++n) try {
      write_hdf5("/dev/full", e.faces, e.fields(), origin);
      ADD_FAILURE() << "no error";
    } catch (const OutputError& error) {
      EXPECT_EQ(error.id(), "output.write");
      EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
    }
  EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << "the library keeps nothing open";
  write_example("again.h5", e);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(read("again.h5"), expected);
}

herr_t remember(hid_t, void* called) {
  *static_cast<bool*>(called) = true;
  return 0;
}

TEST_F(Hdf5, TheProgramsOwnErrorHandlerStays) {
  bool called = false;
  H5Eset_auto2(H5E_DEFAULT, remember, &called);
  EXPECT_THROW(write_hdf5(path("no folder/a.h5"), Example(2, 2, 2).faces, {}, {}), OutputError);
  write_example("a.h5", Example(2, 2, 2));
  EXPECT_FALSE(called);
  H5Fopen(path("none.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_TRUE(called);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

TEST_F(Hdf5, FieldsThatDoNotFitAreRefused) {
  Example e(3, 3, 3);
  e.pressure.pop_back();
  EXPECT_THROW(write_example("a.h5", e), std::invalid_argument);
  e.faces[1] = {0};
  EXPECT_THROW(write_hdf5(path("a.h5"), e.faces, {}, {}), std::invalid_argument);
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace speedwell::io
