// Argument checks of the operator.
#include "speedwell/apps/stencil/operator.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::stencil {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("stencil: " + what); }

constexpr const char* axis[] = {"x", "y", "z"};

template <class T>
void require_array(const T* values, std::int64_t count, const std::string& name) {
  for (std::int64_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      refuse(name + "[" + std::to_string(i) + "] is " + std::to_string(values[i]) + "; it must be finite");
}

}  // namespace

std::string_view to_string(Form form) {
  switch (form) {
    case Form::cell_metric:
      return "e";
    case Form::constant:
      return "e0";
    case Form::face_metric:
      return "l";
    case Form::face_coefficient:
      return "v";
    case Form::general:
      return "g";
  }
  return "?";
}

std::string_view to_string(Boundary boundary) {
  switch (boundary) {
    case Boundary::periodic:
      return "periodic";
    case Boundary::zero:
      return "zero";
    case Boundary::none:
      return "none";
  }
  return "?";
}

void require_grid(const Grid& g, Form form, Boundary boundary) {
  const std::string shape = std::to_string(g.nx) + " x " + std::to_string(g.ny) + " x " + std::to_string(g.nz);
  for (int d = 0; d < 3; ++d)
    if (g.extent(d) < 1) refuse("a box of " + shape + " cells; every extent must be at least 1");
  constexpr std::int64_t max_cells =
      std::numeric_limits<std::int64_t>::max() / 16;  // leaves room for the bytes of a value and for workspace
  if (g.nx > max_cells / g.ny || g.nx * g.ny > max_cells / g.nz)
    refuse(shape + " cells take more bytes than 64 bits can count");
  for (int d = 0; d < 3; ++d)
    if (boundary == Boundary::periodic && g.extent(d) < 3)
      refuse("a periodic box of " + shape + " cells; along " + axis[d] + " it needs at least 3, or boundary=zero");
  if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient)
    refuse("form " + std::string(to_string(form)) + " does not support boundary=none; forms l and v do");
}

template <class T>
void require_operator(const Operator<T>& a) {
  require_grid(a.grid, a.form, a.boundary);
  for (int f = 0; f < cell_fields(a.form); ++f)
    if (!a.cell[f])
      refuse("form " + std::string(to_string(a.form)) + " lacks its coefficient field " + std::to_string(f));
  for (int d = 0; d < 3; ++d) {
    if ((a.form == Form::cell_metric || a.form == Form::face_metric) && !a.metric[d])
      refuse(std::string("no metric along ") + axis[d]);
    if (a.form == Form::face_metric && !a.inverse[d]) refuse(std::string("no reciprocal distances along ") + axis[d]);
  }
}

template <class T>
void require_finite(const Operator<T>& a) {
  require_array(a.weight, 4, "weight");
  require_array(&a.sigma, 1, "sigma");
  for (int d = 0; d < 3; ++d) {
    if (a.metric[d]) require_array(a.metric[d], a.grid.extent(d), std::string("metric along ") + axis[d]);
    if (a.inverse[d]) require_array(a.inverse[d], a.grid.extent(d) + 1, std::string("reciprocal along ") + axis[d]);
  }
  for (int f = 0; f < cell_fields(a.form); ++f)
    require_array(a.cell[f], a.grid.size(), "coefficient " + std::to_string(f));
}

template void require_operator(const Operator<float>&);
template void require_operator(const Operator<double>&);
template void require_finite(const Operator<float>&);
template void require_finite(const Operator<double>&);

}  // namespace speedwell::stencil
