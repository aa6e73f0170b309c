// Case files: TOML tables whose values are asked for by key; what nobody asked for is refused. For sources of the tree
// alone, since it names the parser's types; it is not installed.
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

#include "speedwell/io/case_keys.hpp"

namespace speedwell::io {

/// The file's tables. Throws InputError input.case.syntax with its place. kind: "case", or another word for the ids of
/// a file that is read by the same rules ("config").
toml::table parse_case(const std::string& file, const std::string& text, const std::string& kind = "case");
/// Throws InputError input.case.schema unless the file says schema = 1.
void require_schema(const std::string& file, const toml::table& whole, const std::string& kind = "case");
/// The table of that name, or null. Throws InputError input.case.value for a key of that name with another value.
const toml::table* table_in(const std::string& file, const toml::table& whole, const std::string& name);

/// One table of a case file, whose keys are those of a schema: asking for another is a std::logic_error. Every value
/// that is asked for is noted in `settings` by "table.key", but for keys that a run may change when it goes on. A
/// missing key has its row's default, or the fallback that is given; one that is required and what its row does not
/// allow are refused: an InputError input.case.value with the value's place. The arguments must outlive it.
class CaseTable {
 public:
  /// name: empty for the file itself. table: null where the file has none, which leaves every key at its fallback.
  CaseTable(const std::string& file, const toml::table* table, std::string name, const CaseSchema& schema,
            std::map<std::string, std::string>& settings);

  bool present() const { return table_ != nullptr; }
  bool has(const std::string& key);
  double real(const std::string& key, std::optional<double> fallback = {}, const std::optional<Range>& range = {});
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> fallback = {});
  int count(const std::string& key);
  bool flag(const std::string& key);
  std::string text(const std::string& key);
  std::string word(const std::string& key, const std::optional<std::string>& fallback = {});
  /// Refuses another text than these at the key, which may be missing; not noted.
  void expect(const std::string& key, const std::vector<std::string>& words);
  std::array<double, 3> triple(const std::string& key);
  std::array<std::int64_t, 3> counts(const std::string& key);
  /// Finite numbers, each above the one before; none if the key is missing.
  std::vector<double> increasing(const std::string& key);
  /// Lists of as many finite numbers as the key has columns; none if it is missing.
  std::vector<std::vector<double>> rows(const std::string& key);
  /// Throws InputError input.case.key for keys of the file that the schema does not have, and std::logic_error for keys
  /// of the schema that nobody has asked for, in a table that the file has.
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;
  /// Calls a check; its std::invalid_argument is refused at the key.
  void require(const std::string& key, const std::function<void()>& check) const;

 private:
  /// The value of a node, or nothing for one of another type.
  template <class V, class Convert>
  V scalar(const std::string& key, const std::optional<V>& fallback, const Convert& convert,
           const Range* range = nullptr);
  std::string prefix() const { return name_.empty() ? "" : name_ + "."; }
  /// Calls read(node) with what the file has or the row's default.
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
  std::set<std::string> known_;  // what was asked for
};

}  // namespace speedwell::io
