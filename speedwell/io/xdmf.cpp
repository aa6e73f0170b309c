#include "speedwell/io/xdmf.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {
namespace {

// The first and last lines of a grid, by which it is found again.
const std::string before_grid_name = "      <Grid Name=\"", after_grid_name = "\" GridType=\"Uniform\">\n",
                  after_grid = "      </Grid>\n";

// Data of these dimensions: in the text itself (format XML), or in the file that it names (HDF).
std::string data_item(const std::string& dimensions, int bytes, const char* format, const std::string& text) {
  return fmt::format(
      "          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"{}\" Endian=\"Little\" "
      "Format=\"{}\">{}</DataItem>\n",
      dimensions, bytes, format, text);
}

// XDMF names axes from the slowest to the fastest: z, y, x.
std::string uniform_mesh(const MeshFaces& faces) {
  const auto three = [](double x, double y, double z) { return fmt::format("{} {} {}", z, y, x); };
  return "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n" +
         data_item("3", 8, "XML", three(faces[0].front(), faces[1].front(), faces[2].front())) +
         data_item("3", 8, "XML", three(spacing_along(faces, 0), spacing_along(faces, 1), spacing_along(faces, 2))) +
         "        </Geometry>\n";
}

std::string rectilinear_mesh(const MeshFaces& faces, const std::string& file) {
  std::string text = "        <Geometry GeometryType=\"VXVYVZ\">\n";
  for (std::size_t d = 0; d < 3; ++d)
    text += data_item(std::to_string(faces[d].size()), 8, "HDF", fmt::format("{}:/{}_faces", file, "xyz"[d]));
  return text + "        </Geometry>\n";
}

}  // namespace

XdmfGrid xdmf_grid(const TimedFile& file, const MeshFaces& faces, const std::vector<CellField>& fields) {
  require_cell_fields(faces, {});
  const std::string name = escape_xml(file.file);
  const bool uniform = is_uniform(faces);
  std::string text = before_grid_name + name + after_grid_name;
  text += fmt::format("        <Time Value=\"{}\"/>\n", file.time);
  text += fmt::format("        <Topology TopologyType=\"{}\" Dimensions=\"{} {} {}\"/>\n",
                      uniform ? "3DCoRectMesh" : "3DRectMesh", faces[2].size(), faces[1].size(), faces[0].size());
  text += uniform ? uniform_mesh(faces) : rectilinear_mesh(faces, name);
  const std::string cells = fmt::format("{} {} {}", faces[2].size() - 1, faces[1].size() - 1, faces[0].size() - 1);
  for (const CellField& f : fields) {
    if (f.components != 1 && f.components != 3)
      throw std::invalid_argument(fmt::format("field '{}' has {} components, neither 1 nor 3", f.name, f.components));
    const bool vector = f.components == 3;
    text += fmt::format("        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n", escape_xml(f.name),
                        vector ? "Vector" : "Scalar");
    text += data_item(vector ? cells + " 3" : cells, 4, "HDF", name + ":/" + escape_xml(f.name));
    text += "        </Attribute>\n";
  }
  return {file.file, text + after_grid};
}

void write_xdmf(const std::string& path, const std::vector<XdmfGrid>& grids) {
  AtomicFile file(path);
  file.write(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
      "    <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (const XdmfGrid& grid : grids) file.write(grid.text);
  file.write("    </Grid>\n  </Domain>\n</Xdmf>\n");
  file.commit();
}

std::vector<XdmfGrid> read_xdmf(const std::string& path) {
  if (!is_there(path)) return {};
  const std::string text = read_file(path, std::numeric_limits<std::size_t>::max());
  std::vector<XdmfGrid> grids;
  for (std::size_t at = text.find(before_grid_name); at != std::string::npos; at = text.find(before_grid_name, at)) {
    const std::size_t name = at + before_grid_name.size();
    const std::size_t name_end = text.find(after_grid_name, name), end = text.find(after_grid, at);
    if (name_end == std::string::npos || end == std::string::npos || name_end > end) break;
    const std::size_t next = end + after_grid.size();
    grids.push_back({unescape_xml(text.substr(name, name_end - name)), text.substr(at, next - at)});
    at = next;
  }
  return grids;
}

}  // namespace speedwell::io
