#define TOML_IMPLEMENTATION  // the one place where toml++ is compiled: see cmake/SpeedwellParts.cmake
#include "speedwell/io/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "speedwell/core/nearest.hpp"
#include "speedwell/io/case_syntax.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {

toml::table parse_case(const std::string& file, const std::string& text, const std::string& kind) {
  const std::string id = "input." + kind + ".syntax";
  require_parsable(id, file, text);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    const auto place = e.source().begin;
    throw InputError(id, file, place.line, place.column, std::string(e.description()));
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

bool Range::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (or_zero && value == 0) ||
         ((with_least ? value >= least : value > least) && (with_most ? value <= most : value < most));
}

std::string to_string(const Range& range) {
  if (range.least == range.most) return fmt::format("that is {:g}", range.least);
  const bool bounded = std::isfinite(range.most);
  std::string text = "finite";
  if (std::isfinite(range.least))
    text = fmt::format("{} {:g}", range.with_least ? bounded ? "from" : "at least" : "above", range.least);
  if (bounded)
    text += fmt::format("{} {:g}",
                        !range.with_most   ? " and below"
                        : range.with_least ? " to"
                                           : " and at most",
                        range.most);
  return range.or_zero ? text + ", or 0" : text;
}

CaseTable::CaseTable(const std::string& file, const toml::table* table, std::string name,
                     const std::set<std::string>& free_keys, std::map<std::string, std::string>& settings)
    : file_(file), table_(table), name_(std::move(name)), free_keys_(free_keys), settings_(settings) {}

bool CaseTable::has(const std::string& key) {
  known_.push_back(key);
  return table_ && table_->contains(key);
}

template <class V, class Convert>
V CaseTable::scalar(const std::string& key, const V& fallback, const Convert& convert, const char* wanted) {
  V value = fallback;
  if (has(key)) {
    const auto found = convert(*table_->get(key));
    if (!found) refuse(key, fmt::format("{} is wanted", wanted));
    value = *found;
  }
  note(key, fmt::format("{}", value));
  return value;
}

double CaseTable::real(const std::string& key, double fallback, const Range& range) {
  const std::string wanted = "a number " + to_string(range);
  const auto convert = [&](const toml::node& n) {
    const auto found = n.value<double>();
    if (found && !range.contains(*found)) refuse(key, fmt::format("{}; {} is wanted", *found, wanted));
    return found;
  };
  return scalar(key, fallback, convert, wanted.c_str());
}

std::int64_t CaseTable::count(const std::string& key, std::int64_t fallback) {
  return scalar(
      key, fallback, [](const toml::node& n) { return n.value_exact<std::int64_t>(); }, "a whole number");
}

int CaseTable::count_from(const std::string& key, std::int64_t fallback, std::int64_t least) {
  const std::string wanted = fmt::format("a whole number from {} to 2^31 - 1", least);
  const auto convert = [&](const toml::node& n) {
    const auto found = n.value_exact<std::int64_t>();
    if (found && (*found < least || *found > std::numeric_limits<int>::max()))
      refuse(key, fmt::format("{}; {} is wanted", *found, wanted));
    return found;
  };
  return static_cast<int>(scalar(key, fallback, convert, wanted.c_str()));
}

bool CaseTable::flag(const std::string& key, bool fallback) {
  return scalar(
      key, fallback, [](const toml::node& n) { return n.value_exact<bool>(); }, "true or false");
}

std::string CaseTable::text(const std::string& key, const std::string& fallback) {
  return scalar(
      key, fallback, [](const toml::node& n) { return n.value_exact<std::string>(); }, "a text");
}

std::string CaseTable::word(const std::string& key, const std::string& fallback,
                            const std::vector<std::string>& choices) {
  std::string wanted;
  for (std::size_t n = 0; n < choices.size(); ++n)
    wanted += fmt::format("{}\"{}\"", n == 0 ? "" : n + 1 < choices.size() ? ", " : " or ", choices[n]);
  const auto convert = [&](const toml::node& n) {
    auto found = n.value_exact<std::string>();
    if (found && std::find(choices.begin(), choices.end(), *found) == choices.end())
      refuse(key, fmt::format("'{}'; {} is wanted", found->substr(0, limits::quoted_bytes), wanted));
    return found;
  };
  return scalar(key, fallback, convert, wanted.c_str());
}

void CaseTable::expect(const std::string& key, const std::string& word) {
  if (!has(key) || table_->get(key)->value_exact<std::string>() == word) return;
  refuse(key, fmt::format("\"{}\" is wanted", word));
}

std::array<double, 3> CaseTable::triple(const std::string& key, std::array<double, 3> fallback, const Range& range) {
  if (has(key)) {
    const std::string wanted = fmt::format("an array of three numbers, each {}, is wanted", to_string(range));
    const auto values = numbers(key, range, wanted);
    if (values.size() != 3) refuse(key, fmt::format("{} numbers; {}", values.size(), wanted));
    std::copy_n(values.begin(), 3, fallback.begin());
  }
  note(key, fmt::format("{} {} {}", fallback[0], fallback[1], fallback[2]));
  return fallback;
}

std::array<std::int64_t, 3> CaseTable::counts(const std::string& key, std::array<std::int64_t, 3> fallback,
                                              std::int64_t least, std::int64_t most) {
  if (has(key)) {
    const std::string wanted = fmt::format("three whole numbers from {} to {} are wanted", least, most);
    const toml::array* array = table_->get(key)->as_array();
    if (!array || array->size() != 3) refuse(key, wanted);
    for (std::size_t n = 0; n < 3; ++n) {
      const auto found = array->get(n)->value_exact<std::int64_t>();
      if (!found) refuse(key, wanted);
      if (*found < least || *found > most) refuse(key, fmt::format("{}; {}", *found, wanted));
      fallback[n] = *found;
    }
  }
  note(key, fmt::format("{} {} {}", fallback[0], fallback[1], fallback[2]));
  return fallback;
}

std::vector<double> CaseTable::increasing(const std::string& key) {
  const std::string wanted = "an array of finite numbers that increase is wanted";
  const auto values = numbers(key, Range::finite(), wanted);
  std::string noted;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0 && values[n] <= values[n - 1])
      refuse(key, fmt::format("{} is not beyond {}; {}", values[n], values[n - 1], wanted));
    noted += fmt::format("{} ", values[n]);
  }
  note(key, noted);
  return values;
}

std::vector<double> CaseTable::numbers(const std::string& key, const Range& range, const std::string& wanted) {
  const toml::array* array = table_->get(key)->as_array();
  if (!array) refuse(key, wanted);
  std::vector<double> values;
  for (const toml::node& n : *array) {
    const auto value = n.value<double>();
    if (!value) refuse(key, wanted);
    if (!range.contains(*value)) refuse(key, fmt::format("{}; {}", *value, wanted));
    values.push_back(*value);
  }
  return values;
}

void CaseTable::finish() const {
  if (!table_) return;
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      throw InputError("input.case.key", file_, key.source().begin.line, key.source().begin.column,
                       core::unknown_name("key", name, known_));
  }
}

void CaseTable::refuse(const std::string& key, const std::string& what) const {
  const toml::node* node = table_ ? table_->get(key) : nullptr;
  const auto place = node ? node->source().begin : table_ ? table_->source().begin : toml::source_position{};
  throw InputError("input.case.value", file_, place.line, place.column, fmt::format("{}{}: {}", prefix(), key, what));
}

void CaseTable::note(const std::string& key, const std::string& value) {
  if (!free_keys_.contains(prefix() + key)) settings_[prefix() + key] = value;
}

}  // namespace speedwell::io
