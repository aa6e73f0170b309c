#include "speedwell/io/vtk.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {
namespace {

bool equal_widths(const std::vector<double>& f) {
  const double mean = (f.back() - f.front()) / static_cast<double>(f.size() - 1);
  for (std::size_t i = 1; i < f.size(); ++i)
    if (std::abs(f[i] - f[i - 1] - mean) > 1e-9 * mean) return false;
  return true;
}

constexpr std::string_view before_time = "    <DataSet timestep=\"", before_name = "\" file=\"", after_name = "\"/>\n";

// Escapes text for an attribute.
std::string xml(const std::string& text) {
  std::string safe;
  for (const char c : text)
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      safe += "?";  // XML 1.0 cannot represent most of them
    else
      safe += c;
  return safe;
}

std::string from_xml(const std::string& safe) {
  std::string text;
  for (std::size_t at = 0; at < safe.size();) {
    bool found = false;
    for (const auto& [written, character] : {std::pair("&amp;", '&'), {"&lt;", '<'}, {"&quot;", '"'}})
      if (!found && safe.compare(at, std::string_view(written).size(), written) == 0) {
        text += character;
        at += std::string_view(written).size();
        found = true;
      }
    if (!found) text += safe[at++];
  }
  return text;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

std::string vtk_extension(const std::array<std::vector<double>, 3>& faces) {
  for (const auto& f : faces)
    if (!equal_widths(f)) return "vtr";
  return "vti";
}

void write_vtk(const std::string& path, const std::array<std::vector<double>, 3>& faces,
               const std::vector<CellField>& fields) {
  std::size_t cells = 1;
  for (const auto& f : faces) {
    if (f.size() < 2) throw std::invalid_argument("an axis without cells");
    cells *= f.size() - 1;
  }
  for (const CellField& f : fields)
    if (f.values.size() != cells * static_cast<std::size_t>(f.components))
      throw std::invalid_argument("field '" + f.name + "' does not have a value for each of " + std::to_string(cells) +
                                  " cells");
  const bool image = vtk_extension(faces) == "vti";
  const std::string kind = image ? "ImageData" : "RectilinearGrid";
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", faces[0].size() - 1, faces[1].size() - 1, faces[2].size() - 1);
  std::string header = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      kind);
  header += fmt::format("  <{} WholeExtent=\"{}\"", kind, extent);
  if (image) {
    const auto spacing = [&](std::size_t d) {
      return (faces[d].back() - faces[d].front()) / static_cast<double>(faces[d].size() - 1);
    };
    header += fmt::format(" Origin=\"{} {} {}\" Spacing=\"{} {} {}\"", faces[0].front(), faces[1].front(),
                          faces[2].front(), spacing(0), spacing(1), spacing(2));
  }
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
    text += fmt::format("{}{}{}{}{}", before_time, f.time, before_name, xml(f.file), after_name);
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
    const auto name = static_cast<std::size_t>(stopped - text.data()) + before_name.size();
    const std::size_t end = text.find(after_name, at);
    if (wrong != std::errc() || end == std::string::npos || name > end ||
        text.compare(name - before_name.size(), before_name.size(), before_name) != 0)
      continue;
    files.push_back({time, from_xml(text.substr(name, end - name))});
  }
  return files;
}

}  // namespace speedwell::io
