// Case files: TOML tables whose values are read by key; keys that are not read are errors. For sources of this
// repository, because it exposes the parser's types; not installed.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "speedwell/io/cases/case_keys.hpp"

namespace speedwell::io {

/// Parses the file. Throws InputError input.case.syntax with line and column. `kind` is "case", or another word
/// ("config") for the ids of a file with the same rules.
toml::table parse_case(const std::string& file, const std::string& text, const std::string& kind = "case");
/// Throws InputError input.case.schema unless the file says schema = 1.
void require_schema(const std::string& file, const toml::table& whole, const std::string& kind = "case");
/// The table of that name, or null. Throws InputError input.case.value if the key is not a table.
const toml::table* table_in(const std::string& file, const toml::table& whole, const std::string& name);

/// One table of a case file, whose keys are those of a schema: reading another key is a std::logic_error. Every value
/// that is read is recorded in `settings` as "table.key", except for keys that may change when a run is resumed. A
/// missing key has the default of its row, or the given default_value. Missing required keys and values that are not
/// allowed throw InputError input.case.value with line and column. The arguments must outlive it.
class CaseTable {
 public:
  /// `name` is empty for the top level of the file. `table` is null if the file has none; then every key has its
  /// default.
  CaseTable(const std::string& file, const toml::table* table, std::string name, const CaseSchema& schema,
            std::map<std::string, std::string>& settings);

  bool present() const { return table_ != nullptr; }
  bool has(const std::string& key);
  double real(const std::string& key, std::optional<double> default_value = {}, const std::optional<Range>& range = {});
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> default_value = {});
  int count(const std::string& key);
  bool flag(const std::string& key);
  std::string text(const std::string& key);
  std::string word(const std::string& key, const std::optional<std::string>& default_value = {});
  /// Throws unless the text is one of `words`, or the key is missing; not recorded.
  void expect(const std::string& key, const std::vector<std::string>& words);
  std::array<double, 3> triple(const std::string& key);
  std::array<std::int64_t, 3> counts(const std::string& key);
  /// Increasing finite numbers; none if the key is missing.
  std::vector<double> increasing(const std::string& key);
  /// Lists of finite numbers, one for each column of the key; none if it is missing.
  std::vector<std::vector<double>> rows(const std::string& key);
  /// Throws InputError input.case.key for keys of the file that the schema does not have, and std::logic_error for keys
  /// of the schema that have not been read, in a table that the file has.
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;
  /// Calls a check; reports its std::invalid_argument as an error at the key.
  void require(const std::string& key, const std::function<void()>& check) const;

 private:
  /// The value of a node, or nothing for one of another type.
  template <class V, class Convert>
  V scalar(const std::string& key, const std::optional<V>& default_value, const Convert& convert,
           const Range* range = nullptr);
  std::string prefix() const { return name_.empty() ? "" : name_ + "."; }
  /// Calls read(node) with the value of the file or the row's default.
  void read_node(const CaseKey& key, const std::function<void(const toml::node&)>& read);
  const CaseKey& row(const std::string& key) { return known_.insert(key), schema_.key(name_, key); }
  [[noreturn]] void refuse_missing(const CaseKey& key) const;
  std::vector<double> numbers(const std::string& key, const toml::node& node, const Range& range,
                              const std::string& wanted) const;
  void note(const std::string& key, const std::string& value);

  const std::string& file_;
  const toml::table* table_;
  std::string name_;
  const CaseSchema& schema_;
  std::map<std::string, std::string>& settings_;
  std::set<std::string> known_;  // keys that have been read
};

}  // namespace speedwell::io
