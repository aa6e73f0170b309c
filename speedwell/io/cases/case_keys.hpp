// The keys of a kind of case file: one table with types, defaults and ranges for the reader (case_table.hpp) and for
// the printed template.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace speedwell::io {

/// The allowed range of a number; numbers must always be finite.
struct Range {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool with_min = true, with_max = true;
  bool or_zero = false;  // 0 is allowed, too

  static Range finite() { return {}; }
  static Range above(double min) { return {.min = min, .with_min = false}; }
  static Range from(double min) { return {.min = min}; }
  static Range within(double min, double max) { return {.min = min, .max = max}; }
  bool bounded() const {
    return min > -std::numeric_limits<double>::infinity() || max < std::numeric_limits<double>::infinity();
  }
  bool contains(double value) const;
};
/// "above 0", "from 0.5 to 1", "finite": after "a number ".
std::string to_string(const Range& range);

/// A key of a case file.
struct CaseKey {
  enum class Kind {
    real,
    whole,  // any 64-bit integer
    count,  // an integer from range.min to 2^31 - 1
    flag,
    text,
    word,        // one of `words`
    triple,      // three numbers in `range`
    counts,      // three integers in `range`
    increasing,  // increasing finite numbers, the first in `range`
    rows,        // a list of lists of `columns` finite numbers
  };
  std::string table;  // empty: the top level of the file
  std::string name;
  Kind kind = Kind::real;
  std::string about;  // description, a phrase
  std::string unit = {};
  std::string default_value = {};  // the default as TOML; empty: there is none, or it varies
  Range range = {};                // range of numbers
  std::vector<std::string> words = {};
  std::string otherwise = {};  // without `default_value`: the effect of a missing key
  std::string example = {};    // without `default_value`: a value as TOML
  std::size_t columns = 0;     // number of columns of rows
  bool required = false;       // a case without it is an error
  bool may_change = false;     // may change when a run is resumed
};

struct CaseTableAbout {
  std::string name, about;
  bool optional = false;  // its presence is significant
};

struct CaseSchema {
  std::string solver;  // name in the template
  std::vector<CaseTableAbout> tables;
  std::vector<CaseKey> keys;  // tables in the order of `tables`

  void add(const std::vector<CaseKey>& more) { keys.insert(keys.end(), more.begin(), more.end()); }
  /// Throws std::logic_error for a key that is not in the schema, which is an error of the reader.
  const CaseKey& key(const std::string& table, const std::string& name) const;
};

/// The top-level keys `schema` and `solver`.
std::vector<CaseKey> first_keys(const std::vector<std::string>& solver_names);
/// Keys of [time] and [output] of a solver that counts in steps.
std::vector<CaseKey> keys_by_steps(std::int64_t steps, std::int64_t history_every, std::int64_t fields_every,
                                   std::int64_t checkpoint_every);

/// "a number above 0 is required", "\"x\", \"y\" or \"z\" is required".
std::string requirement(const CaseKey& key, const Range& range);

/// A case file with all keys, with description, unit, allowed values and default. Keys have their defaults, or an
/// example if they are required or their row has one; keys without a default and optional tables are commented out
/// ("#key = value").
std::string case_template(const CaseSchema& schema);

}  // namespace speedwell::io
