// The keys of a kind of case file: one table, from which the reader (case_table.hpp) takes types, defaults and what is
// allowed, and from which the template is printed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace speedwell::io {

/// What a number of a case may be; finite in any case.
struct Range {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool with_min = true, with_max = true;
  bool or_zero = false;  // besides

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
    count,  // from range.min to 2^31 - 1
    flag,
    text,
    word,        // one of `words`
    triple,      // three numbers of `range`
    counts,      // three whole numbers of `range`
    increasing,  // finite numbers, each above the one before, the first in `range`
    rows,        // a list of lists of `columns` finite numbers each
  };
  std::string table;  // empty: of the file itself
  std::string name;
  Kind kind = Kind::real;
  std::string about;  // what it is, in a phrase
  std::string unit = {};
  std::string fallback = {};  // the default as TOML; empty: it is not always the same, or there is none
  Range range = {};           // of numbers
  std::vector<std::string> words = {};
  std::string otherwise = {};  // without `fallback`: what holds where the key is missing
  std::string example = {};    // without `fallback`: a value as TOML
  std::size_t columns = 0;     // of rows
  bool required = false;       // a case without it is refused
  bool may_change = false;     // when a run is resumed
};

struct CaseTableAbout {
  std::string name, about;
  bool optional = false;  // its presence alone means something
};

struct CaseSchema {
  std::string solver;  // its name in the template
  std::vector<CaseTableAbout> tables;
  std::vector<CaseKey> keys;  // tables in the order of `tables`

  void add(const std::vector<CaseKey>& more) { keys.insert(keys.end(), more.begin(), more.end()); }
  /// Throws std::logic_error for a key that is not there: a reader asks for keys of its table alone.
  const CaseKey& key(const std::string& table, const std::string& name) const;
};

/// The rows `schema` and `solver`, of the file itself.
std::vector<CaseKey> first_keys(const std::vector<std::string>& solver_names);
/// Rows of [time] and [output] of a solver that counts in steps.
std::vector<CaseKey> keys_by_steps(std::int64_t steps, std::int64_t history_every, std::int64_t fields_every,
                                   std::int64_t checkpoint_every);

/// "a number above 0 is wanted", "\"x\", \"y\" or \"z\" is wanted".
std::string wanted(const CaseKey& key, const Range& range);

/// A case file of all keys with description, unit, what is allowed and default. Keys at their defaults or, where they
/// are required or their row has one, an example; keys without a default and optional tables are commented out
/// ("#key = value").
std::string case_template(const CaseSchema& schema);

}  // namespace speedwell::io
