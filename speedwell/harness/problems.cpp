#include "speedwell/harness/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::harness {
namespace {

constexpr std::size_t max_problems = 100000;  // of one size; more are a slip, and would fill the memory

template <class Items, class Name>
const auto& find_named(const Items& items, std::string_view name, std::string_view what, Name name_of) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    if (name_of(item) == name) return item;
    names.push_back(name_of(item));
  }
  throw std::invalid_argument(core::unknown_name(what, name, names));
}

[[noreturn]] void refuse(const Application& application, const Parameter& parameter, std::string_view text,
                         std::string_view why) {
  throw std::invalid_argument(fmt::format("{}: {}={}: {}", application.name, parameter.key, text, why));
}

// All choices, and the one that was probably meant.
std::string choice_advice(std::string_view text, const std::vector<std::string>& choices) {
  const std::string close = core::similar(text, choices);
  return fmt::format("allowed: {}{}", fmt::join(choices, ", "),
                     close.empty() ? "" : fmt::format("; the nearest is '{}'", close));
}

// A limit so that it can be typed: whole numbers with all digits.
std::string limit_text(double limit) {
  const bool whole = limit == std::trunc(limit) && std::abs(limit) < 0x1p53;
  return whole ? fmt::format("{:.0f}", limit) : core::format_number(limit);
}

void check_range(const Application& application, const Parameter& parameter, double value, std::string_view text) {
  if (parameter.minimum && value < *parameter.minimum)
    refuse(application, parameter, text, "the least is " + limit_text(*parameter.minimum));
  if (parameter.maximum && value > *parameter.maximum)
    refuse(application, parameter, text, "the most is " + limit_text(*parameter.maximum));
}

void set(std::vector<Setting>& settings, const Setting& setting) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == setting.key; });
  if (found == settings.end()) throw std::logic_error("a size sets the unknown key '" + setting.key + "'");
  if (found->value.index() != setting.value.index())
    throw std::logic_error("a size gives '" + setting.key + "' another type");
  found->value = setting.value;
}

}  // namespace

const Application& find_application(const std::vector<Application>& applications, std::string_view name) {
  return find_named(applications, name, "application", [](const Application& a) { return a.name; });
}
const Size& find_size(const Application& application, std::string_view name) {
  return find_named(application.sizes, name, "size of " + application.name, [](const Size& s) { return s.name; });
}
const Parameter& find_parameter(const Application& application, std::string_view key) {
  return find_named(application.parameters, key, "parameter of " + application.name,
                    [](const Parameter& p) { return p.key; });
}

Setting parse_setting(const Application& application, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw std::invalid_argument(fmt::format("'{}' is not a setting (allowed: KEY=VALUE)", text));
  return parse_setting(application, text.substr(0, equals), text.substr(equals + 1));
}

Setting parse_setting(const Application& application, std::string_view key, std::string_view text) {
  const Parameter& parameter = find_parameter(application, key);
  if (const auto* default_value = std::get_if<std::int64_t>(&parameter.default_value)) {
    // A default may lie outside the range, to say that the value is not set, and commands print it.
    if (text == std::to_string(*default_value)) return {parameter.key, *default_value};
    std::int64_t value = 0;
    try {
      value = core::parse_count(text);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(fmt::format("{}: {}: {}", application.name, key, e.what()));
    }
    check_range(application, parameter, static_cast<double>(value), text);
    return {parameter.key, value};
  }
  if (std::holds_alternative<double>(parameter.default_value)) {
    double value = 0;
    try {
      value = core::parse_real(text);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(fmt::format("{}: {}: {}", application.name, key, e.what()));
    }
    check_range(application, parameter, value, text);
    return {parameter.key, value};
  }
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
    refuse(application, parameter, text, choice_advice(text, choices));
  return {parameter.key, std::string(text)};
}

Sweep parse_sweep(const Application& application, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) parse_setting(application, text);  // throws
  const Parameter& parameter = find_parameter(application, text.substr(0, equals));
  const bool one = std::holds_alternative<std::string>(parameter.default_value) && parameter.choices.empty();
  Sweep sweep{parameter.key, {}};
  for (std::string_view rest = text.substr(equals + 1);;) {
    const auto comma = one ? std::string_view::npos : rest.find(',');
    add_values(application, sweep,
               {parameter.key, {parse_setting(application, parameter.key, rest.substr(0, comma)).value}});
    if (comma == std::string_view::npos) return sweep;
    rest.remove_prefix(comma + 1);
  }
}

void add_values(const Application& application, Sweep& sweep, const Sweep& more) {
  for (const Value& value : more.values) {
    if (std::find(sweep.values.begin(), sweep.values.end(), value) != sweep.values.end())
      throw std::invalid_argument(
          fmt::format("{}: {}={} is named twice", application.name, sweep.key, to_string(value)));
    sweep.values.push_back(value);
  }
}

std::vector<Problem> problems(const Application& application, const Size& size, const std::vector<Setting>& user,
                              std::uint64_t seed) {
  std::vector<Sweep> sweeps;
  for (const Setting& s : user) sweeps.push_back({s.key, {s.value}});
  return swept_problems(application, size, sweeps, seed);
}

std::vector<Problem> swept_problems(const Application& application, const Size& size, const std::vector<Sweep>& user,
                                    std::uint64_t seed) {
  std::vector<Setting> settings;
  for (const Parameter& p : application.parameters) settings.push_back({p.key, p.default_value});
  for (const Setting& s : size.settings) set(settings, s);
  std::vector<std::vector<Setting>> product = {settings};
  const auto multiply = [&](const Sweep& sweep) {
    if (product.size() * sweep.values.size() > max_problems)
      throw std::invalid_argument(fmt::format("{}: these are more than {} problems", application.name, max_problems));
    std::vector<std::vector<Setting>> next;
    for (const auto& base : product)
      for (const Value& value : sweep.values) {
        next.push_back(base);
        set(next.back(), {sweep.key, value});
      }
    product = std::move(next);
  };
  for (const Sweep& sweep : size.sweeps)
    if (std::none_of(user.begin(), user.end(), [&](const Sweep& s) { return s.key == sweep.key; })) multiply(sweep);
  for (auto sweep = user.begin(); sweep != user.end(); ++sweep)  // of a key the last counts
    if (std::none_of(sweep + 1, user.end(), [&](const Sweep& s) { return s.key == sweep->key; })) multiply(*sweep);
  std::vector<Problem> result;
  for (auto& one : product) {
    for (std::size_t i = 0; i < one.size(); ++i)  // in the order of the parameters
      one[i].hidden_if_default =
          application.parameters[i].hidden_if_default && one[i].value == application.parameters[i].default_value;
    result.emplace_back(application.name, size.name, std::move(one), seed);
  }
  return result;
}

Problem parse_machine(const Application& application, std::string_view text) {
  if (!application.projector)
    throw std::invalid_argument(application.name + " has no model that could be projected to another machine");
  Application machine;
  machine.name = application.name + " --project";
  machine.parameters = application.projector->parameters;
  std::vector<Setting> settings;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    settings.push_back(parse_setting(machine, rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return problems(machine, {}, settings, 1).front();
}

std::string key_of(const Problem& problem) {
  std::string key = problem.application();
  for (const Setting& s : problem.settings())
    if (!s.hidden_if_default) key += fmt::format(" {}={}", s.key, to_string(s.value));
  return key + fmt::format(" seed={}", problem.seed());
}

namespace {

std::vector<std::string> patterns_of(std::string_view globs) {
  std::vector<std::string> patterns;
  if (globs.empty()) return patterns;
  for (std::string_view rest = globs;;) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma).empty())
      throw std::invalid_argument("a name is missing in the list of variants '" + std::string(globs) + "'");
    patterns.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return patterns;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<const Variant*> select_variants(const Application& application, std::string_view globs) {
  const std::vector<std::string> patterns = patterns_of(globs);
  std::vector<std::string> names;
  for (const Variant& v : application.variants) names.push_back(v.name);
  for (const std::string& pattern : patterns)
    if (std::none_of(names.begin(), names.end(), [&](const auto& n) { return core::matches_glob(pattern, n); }))
      throw std::invalid_argument(core::unknown_name("variant of " + application.name, pattern, names));
  std::vector<const Variant*> selected;
  for (const Variant& v : application.variants)
    if (patterns.empty() ||
        std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return core::matches_glob(p, v.name); }))
      selected.push_back(&v);
  return selected;
}

std::vector<const Variant*> variants_of(const Problem& problem, std::vector<const Variant*> selected,
                                        std::string_view globs) {
  const std::vector<std::string> named = patterns_of(globs);
  const auto other = [&](const Variant* v) {
    return v->applies_to && !v->applies_to(problem) && std::find(named.begin(), named.end(), v->name) == named.end();
  };
  if (std::all_of(selected.begin(), selected.end(), other)) return selected;
  std::erase_if(selected, other);
  return selected;
}

}  // namespace speedwell::harness
