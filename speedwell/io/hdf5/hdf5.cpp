#include "speedwell/io/hdf5.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "speedwell/io/error.hpp"
#include "speedwell/io/hdf5/hdf5_driver.hpp"

namespace speedwell::io {
namespace {

constexpr hsize_t chunk_bytes = 1 << 20;
constexpr unsigned replace_file = 2;  // H5F_ACC_TRUNC, which is a macro that calls functions of the library
constexpr std::array<const char*, 3> face_names = {"x_faces", "y_faces", "z_faces"};

// The library prints no messages while this exists; a program's own setting is back afterwards.
class Silence {
 public:
  explicit Silence(const Hdf5Library& h5) : h5_(h5) {
    h5_.H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    h5_.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { h5_.H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  const Hdf5Library& h5_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// An object of the library, closed at the end of a scope.
class Object {
 public:
  Object(hid_t id, herr_t (*close_function)(hid_t)) : id_(id), close_function_(close_function) {}
  ~Object() {
    if (id_ >= 0) close_function_(id_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  hid_t id() const { return id_; }
  /// Whether it could be closed, before the end of the scope.
  bool close() { return close_function_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_function_)(hid_t);
};

// Extents of chunks of at most chunk_bytes, from the last axis, which is contiguous, to the first. The chunks of an
// axis are as equal as they can be, since the last one takes as much room in the file as the others.
std::vector<hsize_t> chunk_of(const std::vector<hsize_t>& extents, hsize_t element_bytes) {
  std::vector<hsize_t> chunk(extents.size());
  hsize_t bytes = element_bytes;
  for (std::size_t d = extents.size(); d-- > 0;) {
    const hsize_t most = std::clamp<hsize_t>(chunk_bytes / bytes, 1, extents[d]);
    const hsize_t pieces = (extents[d] + most - 1) / most;
    chunk[d] = (extents[d] + pieces - 1) / pieces;
    bytes *= chunk[d];
  }
  return chunk;
}

class Writer {
 public:
  /// Throws OutputError, with the reason of the operating system where it has one.
  Writer(const Hdf5Library& h5, const std::string& path, Hdf5Target& target)
      : h5_(h5),
        path_(path),
        target_(target),
        access_(access_properties(h5, target), h5.H5Pclose),
        file_(h5.H5Fcreate(path.c_str(), replace_file, H5P_DEFAULT, access_.id()), h5.H5Fclose) {
    require(file_.id() >= 0);
  }

  hid_t root() const { return file_.id(); }
  /// Writes what the library has kept until then.
  void close() { require(file_.close()); }

  void attribute(hid_t of, const char* name, hid_t type, const void* value) {
    const Object scalar(h5_.H5Screate(H5S_SCALAR), h5_.H5Sclose);
    const Object made(h5_.H5Acreate2(of, name, type, scalar.id(), H5P_DEFAULT, H5P_DEFAULT), h5_.H5Aclose);
    require(made.id() >= 0 && h5_.H5Awrite(made.id(), type, value) >= 0);
  }
  void attribute(hid_t of, const char* name, const std::string& text) {
    if (text.empty()) return;
    const Object type(h5_.H5Tcopy(h5_.text), h5_.H5Tclose);
    require(type.id() >= 0 && h5_.H5Tset_size(type.id(), text.size() + 1) >= 0);
    attribute(of, name, type.id(), text.c_str());
  }

  void dataset(const std::string& name, hid_t type, hsize_t element_bytes, const std::vector<hsize_t>& extents,
               const void* values, const std::string& unit) {
    const auto axes = static_cast<int>(extents.size());
    const std::vector<hsize_t> chunk = chunk_of(extents, element_bytes);
    const Object space(h5_.H5Screate_simple(axes, extents.data(), nullptr), h5_.H5Sclose);
    const Object creation(h5_.H5Pcreate(h5_.dataset_creation), h5_.H5Pclose);
    require(creation.id() >= 0 && h5_.H5Pset_chunk(creation.id(), axes, chunk.data()) >= 0 &&
            h5_.H5Pset_fletcher32(creation.id()) >= 0 && h5_.H5Pset_obj_track_times(creation.id(), false) >= 0);
    const Object set(h5_.H5Dcreate2(root(), name.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                     h5_.H5Dclose);
    require(set.id() >= 0 && h5_.H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    attribute(set.id(), "units", unit);
  }

 private:
  // A failure of the operating system comes first: what the library does after it is of no consequence.
  void require(bool done) const {
    target_.rethrow();
    if (!done) throw OutputError("output.write", path_, "cannot be written: a function of the HDF5 library failed");
  }

  const Hdf5Library& h5_;
  const std::string& path_;
  const Hdf5Target& target_;
  const Object access_;
  Object file_;
};

}  // namespace

std::optional<std::string> lacks_hdf5() {
  return core::unavailable_reason([]() -> const Hdf5Library& { return hdf5_library(); });
}

void write_hdf5(const std::string& path, const MeshFaces& faces, const std::vector<CellField>& fields,
                const FieldsOrigin& origin) {
  require_cell_fields(faces, fields);
  static std::mutex one_at_a_time;  // few builds of the library allow more
  const std::scoped_lock lock(one_at_a_time);
  const Hdf5Library& h5 = hdf5_library();
  const Silence silence(h5);
  AtomicFile file(path);
  Hdf5Target target(file);
  {
    Writer writer(h5, path, target);
    writer.attribute(writer.root(), "schema", "speedwell-fields/1");
    writer.attribute(writer.root(), "time", h5.float64, &origin.time);
    writer.attribute(writer.root(), "step", h5.int64, &origin.step);
    writer.attribute(writer.root(), "case_xxh3_128", origin.case_digest);
    for (const CellField& f : fields) {
      std::vector<hsize_t> extents = {faces[2].size() - 1, faces[1].size() - 1, faces[0].size() - 1};
      if (f.components > 1) extents.push_back(static_cast<hsize_t>(f.components));
      writer.dataset(f.name, h5.float32, sizeof(float), extents, f.values.data(), f.unit);
    }
    for (std::size_t d = 0; d < 3; ++d)
      writer.dataset(face_names[d], h5.float64, sizeof(double), {faces[d].size()}, faces[d].data(), "");
    writer.close();
  }
  file.commit();
}

}  // namespace speedwell::io
