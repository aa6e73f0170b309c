// One value of a parsed records file, read with its type checked; errors have the position in the text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/harness/records/json_position.hpp"
#include "speedwell/harness/records/record_reader.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness::records {

using Json = nlohmann::json;

/// The text that was parsed, for the places in messages; `first_line` is its first line's number in the file.
struct Source {
  std::string_view text;
  const std::string& file;
  std::size_t first_line;
};

/// A value of the document and the path that leads to it. Every read throws io::InputError "input.records.shape" where
/// the type is another.
class Node {
 public:
  Node(const Json& value, const Source& source, std::vector<std::string> path)
      : value_(&value), source_(&source), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& member = {}) const {
    std::vector<std::string> path = path_;
    if (!member.empty()) path.push_back(member);
    const TextPosition position = position_of(source_->text, find_value(source_->text, path));
    std::string name;
    for (const std::string& step : path) name += (name.empty() ? "" : ".") + step;
    throw io::InputError("input.records.shape", source_->file, position.line + source_->first_line - 1, position.column,
                         (name.empty() ? "the document" : "'" + name + "'") + " " + what);
  }

  bool is_null() const { return value_->is_null(); }
  const Json& json() const { return *value_; }

  /// The member `key`, or nothing if it is absent or null.
  std::optional<Node> find(const std::string& key) const {
    require_object();
    const auto found = value_->find(key);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return child(*found, key);
  }
  Node at(const std::string& key) const {
    if (auto node = find(key)) return *node;
    refuse("is missing or null", key);
  }
  template <class Function>
  void each_element(Function function) const {
    if (!value_->is_array()) refuse("is not an array");
    for (std::size_t i = 0; i < value_->size(); ++i) function(child((*value_)[i], std::to_string(i)));
  }
  template <class Function>
  void each_member(Function function) const {
    require_object();
    if (value_->size() > max_parameters) refuse(fmt::format("has more than {} entries", max_parameters));
    for (const auto& [key, value] : value_->items()) function(key, child(value, key));
  }

  std::string text() const {
    if (!value_->is_string()) refuse("is not a text");
    return value_->get<std::string>();
  }
  bool boolean() const {
    if (!value_->is_boolean()) refuse("is neither true nor false");
    return value_->get<bool>();
  }
  double number() const {
    if (!value_->is_number()) refuse("is not a number");
    return value_->get<double>();
  }
  /// A time, an amount or a rate.
  double amount() const {
    const double value = number();
    if (value < 0) refuse("is negative");
    return value;
  }
  std::int64_t whole() const {
    if (!fits_int64()) refuse("is not a whole number below 2^63");
    return value_->get<std::int64_t>();
  }
  bool fits_int64() const {
    return value_->is_number_integer() &&
           (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
  }
  std::pair<double, double> range() const {
    if (!value_->is_array() || value_->size() != 2 || !(*value_)[0].is_number() || !(*value_)[1].is_number())
      refuse("is not a pair of numbers");
    const std::pair<double, double> ends{(*value_)[0].get<double>(), (*value_)[1].get<double>()};
    if (ends.first > ends.second) refuse("has its ends in the wrong order");
    return ends;
  }

  std::string text_or_empty(const std::string& key) const {
    const auto node = find(key);
    return node ? node->text() : std::string();
  }
  bool flag(const std::string& key) const {
    const auto node = find(key);
    return node && node->boolean();
  }
  std::optional<double> optional_number(const std::string& key) const {
    const auto node = find(key);
    return node ? std::optional(node->number()) : std::nullopt;
  }
  std::optional<double> optional_amount(const std::string& key) const {
    const auto node = find(key);
    return node ? std::optional(node->amount()) : std::nullopt;
  }
  std::optional<std::int64_t> optional_whole(const std::string& key) const {
    const auto node = find(key);
    return node ? std::optional(node->whole()) : std::nullopt;
  }
  std::optional<std::pair<double, double>> optional_range(const std::string& key) const {
    const auto node = find(key);
    return node ? std::optional(node->range()) : std::nullopt;
  }

 private:
  void require_object() const {
    if (!value_->is_object()) refuse("is not an object");
  }
  Node child(const Json& value, const std::string& name) const {
    std::vector<std::string> path = path_;
    path.push_back(name);
    return {value, *source_, std::move(path)};
  }

  const Json* value_;
  const Source* source_;
  std::vector<std::string> path_;
};

}  // namespace speedwell::harness::records
