// Case files of `speedwell solve`, of every solver. Each ends as a case, or as one line with an id and a place within
// the file; toml++'s own assertions are on. Cases of many cells are only read as tables: what their meshes take in
// memory and time is not the reader's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/properties.hpp"
#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/io/cases/case_table.hpp"

namespace {

using namespace speedwell;

constexpr double max_cells = 4096;

// Whether the mesh of a flow, which the reader of the case creates, has at most max_cells cells.
bool is_small(const toml::table& file) {
  double cells = 1;
  if (const toml::array* counts = file["mesh"]["cells"].as_array())
    for (const toml::node& n : *counts) cells *= n.value<double>().value_or(0);
  for (const char* faces : {"x_faces", "y_faces", "z_faces"})
    if (const toml::array* positions = file["mesh"][faces].as_array()) cells *= static_cast<double>(positions->size());
  return !(cells > max_cells);
}

template <class Read>
void require_line(const std::string& text, const Read& read) {
  try {
    read("fuzz", text);
  } catch (const io::InputError& error) {
    fuzz::checked_text(error);
    fuzz::require(error.id().starts_with("input.case."), "the id of a case");
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    fuzz::require(error.line() <= lines, "a line of the file");
    fuzz::require(!error.message().empty(), "a message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bool small = false;
  require_line(text, [&](const std::string& file, const std::string& contents) {
    const toml::table whole = io::parse_case(file, contents);
    small = is_small(whole);
    io::require_schema(file, whole);
  });
  require_line(text,
               [](const std::string& file, const std::string& contents) { blast_wave::read_case(file, contents); });
  require_line(text,
               [](const std::string& file, const std::string& contents) { binary_fluid::read_case(file, contents); });
  if (small)
    require_line(text, [](const std::string& file, const std::string& contents) {
      incompressible_flow::read_case(file, contents);
    });
  return 0;
}
