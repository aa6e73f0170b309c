// The contract of the operator, checked once and here.
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
    case Form::E:
      return "e";
    case Form::E0:
      return "e0";
    case Form::L:
      return "l";
    case Form::V:
      return "v";
    case Form::G:
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
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;  // bytes of a value, and room beside it
  if (g.nx > most / g.ny || g.nx * g.ny > most / g.nz) refuse(shape + " cells are more bytes than 64 bits can count");
  for (int d = 0; d < 3; ++d)
    if (boundary == Boundary::periodic && g.extent(d) < 3)
      refuse("a periodic box of " + shape + " cells; along " + axis[d] + " it needs at least 3, or boundary=zero");
  if (boundary == Boundary::none && form != Form::L && form != Form::V)
    refuse("form " + std::string(to_string(form)) + " has no boundary without links; forms l and v have");
}

template <class T>
void require_operator(const Operator<T>& a) {
  require_grid(a.grid, a.form, a.boundary);
  for (int f = 0; f < cell_fields(a.form); ++f)
    if (!a.cell[f]) refuse("form " + std::string(to_string(a.form)) + " without its field " + std::to_string(f));
  for (int d = 0; d < 3; ++d) {
    if ((a.form == Form::E || a.form == Form::L) && !a.metric[d]) refuse(std::string("no metric along ") + axis[d]);
    if (a.form == Form::L && !a.inverse[d]) refuse(std::string("no reciprocal distances along ") + axis[d]);
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
