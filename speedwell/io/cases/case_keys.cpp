#include "speedwell/io/cases/case_keys.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace speedwell::io {

bool Range::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (or_zero && value == 0) ||
         ((with_min ? value >= min : value > min) && (with_max ? value <= max : value < max));
}

std::string to_string(const Range& range) {
  if (range.min == range.max) return fmt::format("that is {:g}", range.min);
  const bool bounded = std::isfinite(range.max);
  std::string text = "finite";
  if (std::isfinite(range.min))
    text = fmt::format("{} {:g}", range.with_min ? bounded ? "from" : "at least" : "above", range.min);
  if (bounded)
    text += fmt::format("{} {:g}", !range.with_max ? " and below" : range.with_min ? " to" : " and at most", range.max);
  return range.or_zero ? text + ", or 0" : text;
}

const CaseKey& CaseSchema::key(const std::string& table, const std::string& name) const {
  for (const CaseKey& k : keys)
    if (k.table == table && k.name == name) return k;
  throw std::logic_error(fmt::format("the keys of {} have no row for '{}.{}'", solver, table, name));
}

namespace {

std::string allowed(const CaseKey& key, const Range& range) {
  switch (key.kind) {
    case CaseKey::Kind::real:
      return range.bounded() ? "a number " + to_string(range) : "a finite number";
    case CaseKey::Kind::whole:
      return "a whole number";
    case CaseKey::Kind::count:
      return fmt::format("a whole number from {:g} to 2^31 - 1", range.min);
    case CaseKey::Kind::flag:
      return "true or false";
    case CaseKey::Kind::text:
      return "a text";
    case CaseKey::Kind::word:
      break;
    case CaseKey::Kind::triple:
      return fmt::format("an array of three numbers, each {},", to_string(range));
    case CaseKey::Kind::counts:
      return fmt::format("three whole numbers from {:g} to {:g}", range.min, range.max);
    case CaseKey::Kind::increasing:
      return range.bounded() ? fmt::format("an array of numbers {} that increase", to_string(range))
                             : "an array of finite numbers that increase";
    case CaseKey::Kind::rows:
      return fmt::format("an array of arrays of {} finite numbers", key.columns);
  }
  std::string words;
  for (std::size_t n = 0; n < key.words.size(); ++n)
    words += fmt::format("{}\"{}\"", n == 0 ? "" : n + 1 < key.words.size() ? ", " : " or ", key.words[n]);
  return words;
}

std::string described(const CaseKey& key) {
  std::string text = "# " + key.about + (key.unit.empty() ? "" : " [" + key.unit + "]") + ": ";
  std::string values = allowed(key, key.range);
  if (values.back() == ',') values.pop_back();  // before "is required" only
  text += values + ".";
  if (key.required) text += " Required.";
  if (!key.default_value.empty()) text += " Default: " + key.default_value + ".";
  if (!key.otherwise.empty()) text += " Default: " + key.otherwise + ".";
  return text + (key.may_change ? " May change on --resume." : "") + "\n";
}

}  // namespace

std::vector<CaseKey> first_keys(const std::vector<std::string>& solver_names) {
  return {{.table = "", .name = "schema", .kind = CaseKey::Kind::whole, .about = "version of the keys", .example = "1"},
          {.table = "", .name = "solver", .kind = CaseKey::Kind::word, .about = "the solver", .words = solver_names}};
}

std::vector<CaseKey> keys_by_steps(std::int64_t steps, std::int64_t history_every, std::int64_t fields_every,
                                   std::int64_t checkpoint_every) {
  const auto key = [](const char* table, const char* name, const char* about, std::int64_t default_value, double min) {
    return CaseKey{.table = table,
                   .name = name,
                   .kind = CaseKey::Kind::count,
                   .about = about,
                   .unit = "steps",
                   .default_value = fmt::format("{}", default_value),
                   .range = Range::from(min),
                   .may_change = true};
  };
  return {key("time", "steps", "how many in all", steps, 1),
          key("output", "history_every", "between lines of history.csv", history_every, 1),
          key("output", "fields_every", "between files of fields; 0: none", fields_every, 0),
          key("output", "checkpoint_every", "between checkpoints; 0: at the end alone", checkpoint_every, 0)};
}

std::string requirement(const CaseKey& key, const Range& range) {
  return allowed(key, range) + (key.kind == CaseKey::Kind::counts ? " are required" : " is required");
}

std::string case_template(const CaseSchema& schema) {
  std::string text = fmt::format(
      "# A case of the solver {0} with all its keys, for `speedwell solve FILE`.\n"
      "# Keys that may be left out have their defaults, others an example. Lines of '#' and a key are "
      "examples of\n"
      "# keys whose default is none, or depends on others.\n"
      "schema = 1\nsolver = \"{0}\"\n",
      schema.solver);
  std::vector<CaseTableAbout> tables = {{}};
  tables.insert(tables.end(), schema.tables.begin(), schema.tables.end());
  for (const CaseTableAbout& table : tables) {
    if (!table.name.empty())
      text += fmt::format("\n# {}.{}\n{}[{}]\n", table.about, table.optional ? " Optional, as a whole." : "",
                          table.optional ? "#" : "", table.name);
    for (const CaseKey& key : schema.keys) {
      if (key.table != table.name || (key.table.empty() && (key.name == "schema" || key.name == "solver"))) continue;
      const bool active = !table.optional && (key.required || !key.default_value.empty());
      text += fmt::format("{}{}{} = {}\n", described(key), active ? "" : "#", key.name,
                          key.example.empty() ? key.default_value : key.example);
    }
  }
  return text;
}

}  // namespace speedwell::io
