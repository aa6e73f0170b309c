#include "speedwell/io/vtk.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {
namespace {

constexpr std::string_view before_time = "    <DataSet timestep=\"", before_file = "\" file=\"", after_file = "\"/>\n";

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

std::string vtk_extension(const MeshFaces& faces) { return is_uniform(faces) ? "vti" : "vtr"; }

void write_vtk(const std::string& path, const MeshFaces& faces, const std::vector<CellField>& fields) {
  require_cell_fields(faces, fields);
  const bool image = is_uniform(faces);
  const std::string kind = image ? "ImageData" : "RectilinearGrid";
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", faces[0].size() - 1, faces[1].size() - 1, faces[2].size() - 1);
  std::string header = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      kind);
  header += fmt::format("  <{} WholeExtent=\"{}\"", kind, extent);
  if (image)
    header += fmt::format(" Origin=\"{} {} {}\" Spacing=\"{} {} {}\"", faces[0].front(), faces[1].front(),
                          faces[2].front(), spacing_along(faces, 0), spacing_along(faces, 1), spacing_along(faces, 2));
  header += fmt::format(">\n    <Piece Extent=\"{}\">\n      <CellData>\n", extent);
  std::uint64_t offset = 0;
  const auto array = [&](const std::string& type, const std::string& name, int components, std::size_t size) {
    header += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type, name, components, offset);
    offset += sizeof(std::uint64_t) + size;
  };
  for (const CellField& f : fields) array("Float32", f.name, f.components, f.values.size_bytes());
  header += "      </CellData>\n";
  if (!image) {
    header += "      <Coordinates>\n";
    const char* names[] = {"x", "y", "z"};
    for (std::size_t d = 0; d < 3; ++d) array("Float64", names[d], 1, faces[d].size() * sizeof(double));
    header += "      </Coordinates>\n";
  }
  header += fmt::format("    </Piece>\n  </{}>\n  <AppendedData encoding=\"raw\">\n_", kind);

  AtomicFile file(path);
  file.write(header);
  const auto append = [&](std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    file.write({reinterpret_cast<const char*>(&size), sizeof size});
    file.write(bytes);
  };
  for (const CellField& f : fields) append(bytes_of(f.values));
  if (!image)
    for (const auto& f : faces) append(bytes_of(std::span<const double>(f)));
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

void write_pvd(const std::string& path, const std::vector<TimedFile>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const TimedFile& f : files)
    text += fmt::format("{}{}{}{}{}", before_time, f.time, before_file, escape_xml(f.file), after_file);
  write_file(path, text + "  </Collection>\n</VTKFile>\n");
}

std::vector<TimedFile> read_pvd(const std::string& path) {
  if (!is_there(path)) return {};
  const std::string text = read_file(path, std::numeric_limits<std::size_t>::max());
  std::vector<TimedFile> files;
  for (std::size_t at = text.find(before_time); at != std::string::npos; at = text.find(before_time, at)) {
    at += before_time.size();
    double time = 0;
    const auto [stopped, wrong] = std::from_chars(text.data() + at, text.data() + text.size(), time);
    const auto name = static_cast<std::size_t>(stopped - text.data()) + before_file.size();
    const std::size_t end = text.find(after_file, at);
    if (wrong != std::errc() || end == std::string::npos || name > end ||
        text.compare(name - before_file.size(), before_file.size(), before_file) != 0)
      continue;
    files.push_back({time, unescape_xml(text.substr(name, end - name))});
  }
  return files;
}

}  // namespace speedwell::io
