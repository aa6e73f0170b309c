#include "speedwell/io/cell_field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace speedwell::io {
namespace {

bool equal_widths(const std::vector<double>& f) {
  const double mean = (f.back() - f.front()) / static_cast<double>(f.size() - 1);
  for (std::size_t i = 1; i < f.size(); ++i)
    if (std::abs(f[i] - f[i - 1] - mean) > 1e-9 * mean) return false;
  return true;
}

}  // namespace

std::size_t require_cell_fields(const MeshFaces& faces, const std::vector<CellField>& fields) {
  std::size_t cells = 1;
  for (const auto& f : faces) {
    if (f.size() < 2) throw std::invalid_argument("an axis without cells");
    cells *= f.size() - 1;
  }
  for (const CellField& f : fields)
    if (f.values.size() != cells * static_cast<std::size_t>(f.components))
      throw std::invalid_argument("field '" + f.name + "' does not have a value for each of " + std::to_string(cells) +
                                  " cells");
  return cells;
}

bool is_uniform(const MeshFaces& faces) { return std::all_of(faces.begin(), faces.end(), equal_widths); }

double spacing_along(const MeshFaces& faces, std::size_t d) {
  return (faces[d].back() - faces[d].front()) / static_cast<double>(faces[d].size() - 1);
}

}  // namespace speedwell::io
