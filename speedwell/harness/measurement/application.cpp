#include "speedwell/harness/measurement/application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace speedwell::harness {

std::string to_string(Backend backend) {
  switch (backend) {
    case Backend::serial:
      return "serial";
    case Backend::openmp:
      return "openmp";
    case Backend::mpi:
      return "mpi";
    case Backend::cuda:
      return "cuda";
    case Backend::multi:
      return "multi";
  }
  throw std::logic_error("a backend without a name");
}

bool uses_gpu(Backend backend) { return backend == Backend::cuda || backend == Backend::multi; }
bool uses_ranks(Backend backend) { return backend == Backend::mpi || backend == Backend::multi; }

std::string to_string(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::none:
      return "none";
    case Arithmetic::f64:
      return "f64";
    case Arithmetic::f32:
      return "f32";
    case Arithmetic::int32:
      return "int32";
    case Arithmetic::dpx:
      return "dpx";
  }
  throw std::logic_error("an arithmetic without a name");
}

std::string to_string(Role role) {
  switch (role) {
    case Role::plain:
      return "plain";
    case Role::step:
      return "step";
    case Role::best:
      return "best";
    case Role::peer:
      return "peer";
  }
  throw std::logic_error("a role without a name");
}

std::string to_string(const Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

namespace {
Parameter number(std::string key, Value default_value, std::string description, const Range& range) {
  return {.key = std::move(key),
          .default_value = std::move(default_value),
          .description = std::move(description),
          .minimum = range.minimum,
          .maximum = range.maximum};
}
}  // namespace

Parameter integer(std::string key, std::int64_t default_value, std::string description, Range range) {
  return number(std::move(key), default_value, std::move(description), range);
}
Parameter real(std::string key, double default_value, std::string description, Range range) {
  return number(std::move(key), default_value, std::move(description), range);
}
Parameter choice(std::string key, std::string default_value, std::string description,
                 std::vector<std::string> choices) {
  Parameter parameter = text(std::move(key), std::move(default_value), std::move(description));
  parameter.choices = std::move(choices);
  return parameter;
}
Parameter text(std::string key, std::string default_value, std::string description) {
  return number(std::move(key), std::move(default_value), std::move(description), {});
}
Parameter hidden(Parameter parameter) {
  parameter.hidden_if_default = true;
  return parameter;
}

const Value& Problem::value(const std::string& key) const {
  const auto found = std::find_if(settings_.begin(), settings_.end(), [&](const Setting& s) { return s.key == key; });
  if (found == settings_.end()) throw std::logic_error(application_ + " has no parameter '" + key + "'");
  return found->value;
}
template <class T>
const T& Problem::get(const std::string& key) const {
  const T* const typed = std::get_if<T>(&value(key));
  if (!typed) throw std::logic_error("parameter '" + key + "' of " + application_ + " has another type");
  return *typed;
}
template const std::int64_t& Problem::get(const std::string&) const;
template const double& Problem::get(const std::string&) const;
template const std::string& Problem::get(const std::string&) const;

namespace {

Variant& row_of(std::vector<Variant>& rows, const std::string& name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Variant& v) { return v.name == name; });
  if (row == rows.end()) throw std::logic_error("the table has no row for '" + name + "'");
  return *row;
}

}  // namespace

void bind_variants(Application& application, const std::vector<Binding>& bindings) {
  for (const Binding& binding : bindings) {
    Variant& row = row_of(application.variants, binding.variant);
    row.make = binding.make;
    row.missing = binding.missing;
  }
}

void set_algorithm(std::vector<Variant>& rows, const std::string& algorithm, const std::vector<std::string>& names) {
  for (const std::string& name : names) row_of(rows, name).algorithm = algorithm;
}

void mark_unavailable(Application& application, Backend backend, const std::string& reason) {
  for (Variant& variant : application.variants)
    if (variant.backend == backend && !variant.make && variant.unavailable_reason.empty())
      variant.unavailable_reason = reason;
}

void mark_unavailable(Application& application, const std::string& library, const std::string& reason) {
  for (Variant& variant : application.variants)
    if ((variant.name == library || variant.name.rfind(library + "-", 0) == 0) && !variant.make &&
        variant.unavailable_reason.empty())
      variant.unavailable_reason = reason;
}

}  // namespace speedwell::harness
