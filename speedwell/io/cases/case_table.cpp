#define TOML_IMPLEMENTATION  // toml++ is compiled only here: see cmake/SpeedwellParts.cmake
#include "speedwell/io/cases/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/io/cases/case_syntax.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {

toml::table parse_case(const std::string& file, const std::string& text, const std::string& kind) {
  const std::string id = "input." + kind + ".syntax";
  require_parsable(id, file, text);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    const auto position = e.source().begin;
    throw InputError(id, file, position.line, position.column, std::string(e.description()));
  }
}

void require_schema(const std::string& file, const toml::table& whole, const std::string& kind) {
  const toml::node* schema = whole.get("schema");
  if (!schema || schema->value_exact<std::int64_t>() != 1)
    throw InputError("input." + kind + ".schema", file, schema ? schema->source().begin.line : 1,
                     schema ? schema->source().begin.column : 1, "the file must say 'schema = 1'");
}

const toml::table* table_in(const std::string& file, const toml::table& whole, const std::string& name) {
  const toml::node* node = whole.get(name);
  if (node && !node->is_table())
    throw InputError("input.case.value", file, node->source().begin.line, node->source().begin.column,
                     fmt::format("'{}' is not a table: write [{}] and its keys below", name, name));
  return node ? node->as_table() : nullptr;
}

CaseTable::CaseTable(const std::string& file, const toml::table* table, std::string name, const CaseSchema& schema,
                     std::map<std::string, std::string>& settings)
    : file_(file), table_(table), name_(std::move(name)), schema_(schema), settings_(settings) {}

bool CaseTable::has(const std::string& key) {
  row(key);
  return table_ && table_->contains(key);
}

void CaseTable::refuse_missing(const CaseKey& key) const {
  const auto position = table_ ? table_->source().begin : toml::source_position{};
  throw InputError("input.case.value", file_, position.line, position.column,
                   fmt::format("{}{} is missing: {} ({})", prefix(), key.name, requirement(key, key.range), key.about));
}

void CaseTable::read_node(const CaseKey& key, const std::function<void(const toml::node&)>& read) {
  if (has(key.name)) return read(*table_->get(key.name));
  toml::table parsed;
  try {
    parsed = toml::parse("value = " + key.default_value);
  } catch (const toml::parse_error&) {
    throw std::bad_alloc();  // defaults are valid TOML, which tests check: memory for the number is missing
  }
  read(*parsed.get("value"));
}

template <class V, class Convert>
V CaseTable::scalar(const std::string& key, const std::optional<V>& default_value, const Convert& convert,
                    const Range* range) {
  const CaseKey& k = row(key);
  std::optional<V> value = default_value;
  if (has(key)) {
    value = convert(*table_->get(key));
    if (!value) refuse(key, requirement(k, range ? *range : k.range));
  } else if (k.required) {
    refuse_missing(k);
  } else if (!value) {
    read_node(k, [&](const toml::node& node) { value = convert(node); });
  }
  note(key, fmt::format("{}", value.value()));
  return *value;
}

double CaseTable::real(const std::string& key, std::optional<double> default_value, const std::optional<Range>& range) {
  const Range allowed = range.value_or(row(key).range);
  const auto convert = [&](const toml::node& n) {
    const auto found = n.value<double>();
    if (found && !allowed.contains(*found)) refuse(key, fmt::format("{}; {}", *found, requirement(row(key), allowed)));
    return found;
  };
  return scalar(key, default_value, convert, &allowed);
}

std::int64_t CaseTable::whole(const std::string& key, std::optional<std::int64_t> default_value) {
  return scalar(key, default_value, [](const toml::node& n) { return n.value_exact<std::int64_t>(); });
}

int CaseTable::count(const std::string& key) {
  const CaseKey& k = row(key);
  const auto convert = [&](const toml::node& n) {
    const auto found = n.value_exact<std::int64_t>();
    if (found && (static_cast<double>(*found) < k.range.min || *found > std::numeric_limits<int>::max()))
      refuse(key, fmt::format("{}; {}", *found, requirement(k, k.range)));
    return found;
  };
  return static_cast<int>(scalar(key, std::optional<std::int64_t>(), convert));
}

bool CaseTable::flag(const std::string& key) {
  return scalar(key, std::optional<bool>(), [](const toml::node& n) { return n.value_exact<bool>(); });
}

std::string CaseTable::text(const std::string& key) {
  return scalar(key, std::optional<std::string>(), [](const toml::node& n) { return n.value_exact<std::string>(); });
}

std::string CaseTable::word(const std::string& key, const std::optional<std::string>& default_value) {
  const CaseKey& k = row(key);
  const auto convert = [&](const toml::node& n) {
    auto found = n.value_exact<std::string>();
    if (found && std::find(k.words.begin(), k.words.end(), *found) == k.words.end())
      refuse(key, fmt::format("'{}'; {}", found->substr(0, limits::quoted_bytes), requirement(k, k.range)));
    return found;
  };
  return scalar(key, default_value, convert);
}

void CaseTable::expect(const std::string& key, const std::vector<std::string>& words) {
  if (!has(key)) return;
  const auto found = table_->get(key)->value_exact<std::string>();
  if (!found || std::find(words.begin(), words.end(), *found) == words.end())
    refuse(key, fmt::format("\"{}\" is required", words.front()));
}

std::array<double, 3> CaseTable::triple(const std::string& key) {
  const CaseKey& k = row(key);
  std::array<double, 3> all{};
  const auto read = [&](const toml::node& node) {
    const auto values = numbers(key, node, k.range, requirement(k, k.range));
    if (values.size() != 3) refuse(key, fmt::format("{} numbers; {}", values.size(), requirement(k, k.range)));
    std::copy_n(values.begin(), 3, all.begin());
  };
  read_node(k, read);
  note(key, fmt::format("{} {} {}", all[0], all[1], all[2]));
  return all;
}

std::array<std::int64_t, 3> CaseTable::counts(const std::string& key) {
  const CaseKey& k = row(key);
  const std::string allowed = requirement(k, k.range);
  std::array<std::int64_t, 3> all{};
  const auto read = [&](const toml::node& node) {
    const toml::array* array = node.as_array();
    if (!array || array->size() != 3) refuse(key, allowed);
    for (std::size_t n = 0; n < 3; ++n) {
      const auto found = array->get(n)->value_exact<std::int64_t>();
      if (!found) refuse(key, allowed);
      if (!k.range.contains(static_cast<double>(*found))) refuse(key, fmt::format("{}; {}", *found, allowed));
      all[n] = *found;
    }
  };
  read_node(k, read);
  note(key, fmt::format("{} {} {}", all[0], all[1], all[2]));
  return all;
}

std::vector<double> CaseTable::increasing(const std::string& key) {
  const CaseKey& k = row(key);
  if (!has(key)) return {};
  const std::string allowed = requirement(k, k.range);
  const auto values = numbers(key, *table_->get(key), k.range, allowed);
  std::string noted;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0 && values[n] <= values[n - 1])
      refuse(key, fmt::format("{} is not above {}; {}", values[n], values[n - 1], allowed));
    noted += fmt::format("{} ", values[n]);
  }
  note(key, noted);
  return values;
}

std::vector<std::vector<double>> CaseTable::rows(const std::string& key) {
  const CaseKey& k = row(key);
  if (!has(key)) {
    note(key, "");
    return {};
  }
  const std::string allowed = requirement(k, k.range);
  const toml::array* array = table_->get(key)->as_array();
  if (!array) refuse(key, allowed);
  std::vector<std::vector<double>> all;
  std::string noted;
  for (const toml::node& one : *array) {
    all.push_back(numbers(key, one, Range::finite(), allowed));
    if (all.back().size() != k.columns) refuse(key, fmt::format("{} numbers; {}", all.back().size(), allowed));
    for (const double x : all.back()) noted += fmt::format("{} ", x);
  }
  note(key, noted);
  return all;
}

std::vector<double> CaseTable::numbers(const std::string& key, const toml::node& node, const Range& range,
                                       const std::string& allowed) const {
  const toml::array* array = node.as_array();
  if (!array) refuse(key, allowed);
  std::vector<double> values;
  for (const toml::node& n : *array) {
    const auto value = n.value<double>();
    if (!value) refuse(key, allowed);
    if (!range.contains(*value)) refuse(key, fmt::format("{}; {}", *value, allowed));
    values.push_back(*value);
  }
  return values;
}

void CaseTable::finish() const {
  if (!table_) return;
  std::vector<std::string> names;
  for (const CaseKey& k : schema_.keys)
    if (k.table == name_) names.push_back(k.name);
  for (const std::string& name : names)
    if (!known_.contains(name)) throw std::logic_error(fmt::format("{}{} has not been read", prefix(), name));
  if (name_.empty())
    for (const CaseTableAbout& t : schema_.tables) names.push_back(t.name);
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError("input.case.key", file_, key.source().begin.line, key.source().begin.column,
                       core::unknown_name("key", name, names));
  }
}

void CaseTable::refuse(const std::string& key, const std::string& what) const {
  const toml::node* node = table_ ? table_->get(key) : nullptr;
  const auto position = node ? node->source().begin : table_ ? table_->source().begin : toml::source_position{};
  throw InputError("input.case.value", file_, position.line, position.column,
                   fmt::format("{}{}: {}", prefix(), key, what));
}

void CaseTable::require(const std::string& key, const std::function<void()>& check) const {
  try {
    check();
  } catch (const std::invalid_argument& e) {
    refuse(key, e.what());
  }
}

void CaseTable::note(const std::string& key, const std::string& value) {
  if (!schema_.key(name_, key).may_change) settings_[prefix() + key] = value;
}

}  // namespace speedwell::io
