// Case files: TOML tables whose values are asked for by key; what nobody asked for is refused. For sources of the tree
// alone, since it names the parser's types; it is not installed.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace speedwell::io {

/// The file's tables. Throws InputError input.case.syntax with its place. kind: "case", or another word for the ids of
/// a file that is read by the same rules ("config").
toml::table parse_case(const std::string& file, const std::string& text, const std::string& kind = "case");
/// Throws InputError input.case.schema unless the file says schema = 1.
void require_schema(const std::string& file, const toml::table& whole, const std::string& kind = "case");
/// The table of that name, or null. Throws InputError input.case.value for a key of that name with another value.
const toml::table* table_in(const std::string& file, const toml::table& whole, const std::string& name);

/// What a number of a case may be; finite in any case.
struct Range {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool with_least = true, with_most = true;
  bool or_zero = false;  // besides

  static Range finite() { return {}; }
  static Range above(double least) { return {.least = least, .with_least = false}; }
  static Range from(double least) { return {.least = least}; }
  static Range within(double least, double most) { return {.least = least, .most = most}; }
  bool contains(double value) const;
};
/// "above 0", "from 0.5 to 1", "finite": after "a number ".
std::string to_string(const Range& range);

/// One table of a case file. Every value that is asked for is noted in `settings` by "table.key", but for the
/// `free_keys`, which a run may change when it goes on. What is refused is an InputError input.case.value with the
/// value's place. The arguments must outlive it.
class CaseTable {
 public:
  /// name: empty for the file itself. table: null where the file has none, which leaves every key at its fallback.
  CaseTable(const std::string& file, const toml::table* table, std::string name, const std::set<std::string>& free_keys,
            std::map<std::string, std::string>& settings);

  bool present() const { return table_ != nullptr; }
  /// From then on the key is one that the table may have.
  bool has(const std::string& key);
  double real(const std::string& key, double fallback, const Range& range);
  std::int64_t count(const std::string& key, std::int64_t fallback);
  /// From `least` to 2^31 - 1.
  int count_from(const std::string& key, std::int64_t fallback, std::int64_t least);
  bool flag(const std::string& key, bool fallback);
  std::string text(const std::string& key, const std::string& fallback);
  std::string word(const std::string& key, const std::string& fallback, const std::vector<std::string>& choices);
  /// Refuses another text at the key, which may be missing; not noted.
  void expect(const std::string& key, const std::string& word);
  /// Three numbers, or none: then `fallback`.
  std::array<double, 3> triple(const std::string& key, std::array<double, 3> fallback, const Range& range);
  /// Three whole numbers, each from `least` to `most`.
  std::array<std::int64_t, 3> counts(const std::string& key, std::array<std::int64_t, 3> fallback, std::int64_t least,
                                     std::int64_t most);
  /// Finite numbers, each above the one before; the key must be there.
  std::vector<double> increasing(const std::string& key);
  /// Throws InputError input.case.key unless every key of the table has been asked for.
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  template <class V, class Convert>
  V scalar(const std::string& key, const V& fallback, const Convert& convert, const char* wanted);
  std::string prefix() const { return name_.empty() ? "" : name_ + "."; }
  std::vector<double> numbers(const std::string& key, const Range& range, const std::string& wanted);
  void note(const std::string& key, const std::string& value);

  const std::string& file_;
  const toml::table* table_;
  std::string name_;
  const std::set<std::string>& free_keys_;
  std::map<std::string, std::string>& settings_;
  std::vector<std::string> known_;
};

}  // namespace speedwell::io
