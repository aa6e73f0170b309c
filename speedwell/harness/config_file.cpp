#include "speedwell/harness/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/cases/case_table.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::harness {
namespace {

// A value as it would stand after `--set KEY=`; nothing for what is neither number nor text.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
  return node.value_exact<std::string>();
}

[[noreturn]] void refuse(const std::string& file, const toml::source_position& position, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}:{}:{}: {}", file, position.line, position.column, what));
}

// Entries in the order of the file: toml++ sorts by key.
std::vector<std::pair<std::string, const toml::node*>> entries(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> all;
  for (const auto& [key, node] : table) all.emplace_back(std::string(key.str()), &node);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    const auto &x = a.second->source().begin, &y = b.second->source().begin;
    return std::pair(x.line, x.column) < std::pair(y.line, y.column);
  });
  return all;
}

// One value, or those of an array.
Sweep values_of(const std::string& key, const toml::node& node, const Application& application,
                const std::string& file) {
  const toml::array* const array = node.as_array();
  if (array && array->empty()) refuse(file, node.source().begin, fmt::format("'{}' has no value", key));
  Sweep sweep{key, {}};
  const auto add = [&](const toml::node& one) {
    const auto position = one.source().begin;
    const auto text = text_of(one);
    if (!text) refuse(file, position, fmt::format("'{}' is neither a number nor a text, nor an array of them", key));
    try {
      add_values(application, sweep, {key, {parse_setting(application, key, *text).value}});
    } catch (const std::invalid_argument& e) {
      refuse(file, position, e.what());
    }
  };
  if (!array) add(node);
  if (array)
    for (const toml::node& one : *array) add(one);
  return sweep;
}

std::vector<Sweep> settings_in(const toml::table& table, const Application& application, const std::string& file) {
  std::vector<Sweep> settings;
  for (const auto& [key, node] : entries(table)) settings.push_back(values_of(key, *node, application, file));
  return settings;
}

}  // namespace

std::vector<Sweep> read_config(const std::string& file, const Application& application,
                               const std::vector<Application>& applications) {
  const toml::table config = io::parse_case(file, io::read_file(file, io::limits::case_bytes), "config");
  io::require_schema(file, config, "config");
  std::vector<std::string> names = {"schema"};
  for (const Application& a : applications) names.push_back(a.name);
  std::vector<Sweep> settings;
  for (const auto& [key, node] : entries(config)) {
    if (key == "schema") continue;
    const auto owner =
        std::find_if(applications.begin(), applications.end(), [&](const Application& a) { return a.name == key; });
    if (owner == applications.end()) refuse(file, node->source().begin, core::unknown_name("application", key, names));
    if (!node->is_table())
      refuse(file, node->source().begin, fmt::format("'{}' is not a table: write [{}] and its keys below", key, key));
    auto of_table = settings_in(*node->as_table(), *owner, file);
    if (owner->name == application.name) settings = std::move(of_table);
  }
  return settings;
}

}  // namespace speedwell::harness
