// config show: every parameter of an application's problem, its value, and its source. What is printed is a
// configuration file again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/record.hpp"

namespace speedwell::cli {
namespace {

struct Shown {
  const harness::Parameter* parameter;
  std::vector<harness::Value> values;  // several where the size takes each in turn
  std::string source;
};

std::vector<Shown> resolve(const harness::Application& application, const harness::Size& size,
                           const std::vector<SourcedSetting>& user) {
  std::vector<Shown> all;
  for (const harness::Parameter& p : application.parameters) {
    Shown one{&p, {p.default_value}, "default"};
    for (const harness::Setting& s : size.settings)
      if (s.key == p.key) one = {&p, {s.value}, "size " + size.name};
    for (const harness::Sweep& s : size.sweeps)
      if (s.key == p.key) one = {&p, s.values, "size " + size.name};
    for (const SourcedSetting& s : user)
      if (s.setting.key == p.key) one = {&p, s.setting.values, s.source};
    all.push_back(std::move(one));
  }
  return all;
}

// As TOML writes it.
std::string literal(const harness::Value& value) {
  if (!std::holds_alternative<std::string>(value)) return harness::to_string(value);
  std::string text = "\"";
  for (const char c : std::get<std::string>(value)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\u{:04x}", byte);
    else
      text += c;
  }
  return text + "\"";
}

std::string text_of(const std::vector<Shown>& all, const std::string& application, std::uint64_t seed) {
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const Shown& s : all) {
    std::vector<std::string> values;
    for (const harness::Value& v : s.values) values.push_back(literal(v));
    const std::string list = fmt::format("{}", fmt::join(values, ", "));
    lines.push_back(s.parameter->key + " = " + (values.size() > 1 ? "[" + list + "]" : list));
    width = std::max(width, lines.back().size());
  }
  std::string text = fmt::format("schema = 1\n\n[{}]  # seed {}\n", application, seed);
  for (std::size_t n = 0; n < all.size(); ++n)
    text += fmt::format("{:<{}}  # {}{}\n", lines[n], std::min<std::size_t>(width, 60), all[n].source,
                        all[n].values.size() > 1 ? ", each in turn" : "");
  return text;
}

harness::Json document_of(const std::vector<Shown>& all, const std::string& application, const std::string& size,
                          std::uint64_t seed) {
  harness::Json document = {{"schema", "speedwell-config/1"},
                            {"error", nullptr},
                            {"application", application},
                            {"size", size},
                            {"seed", seed},
                            {"parameters", harness::Json::array()}};
  for (const Shown& s : all) {
    harness::Json values = harness::Json::array();
    for (const harness::Value& v : s.values) std::visit([&](const auto& x) { values.push_back(x); }, v);
    document["parameters"].push_back({{"key", s.parameter->key}, {"values", values}, {"source", s.source}});
  }
  return document;
}

}  // namespace

int config(const Arguments& arguments) {
  CLI::App app("Every parameter of an application's problem, its value, and its source.", "speedwell config");
  RunOptions options;
  std::string what, name;
  app.add_option("WHAT", what, "show")->required();
  app.add_option("APP", name, "the application (speedwell list apps)")->required();
  add_problem_options(app, options);
  app.add_option("--format", options.format, "text (a configuration file again) or json")->type_name("F");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> known = {"show"};
  if (what != "show") throw UsageError(core::unknown_name("word", what, known), "speedwell config show APP");
  const Format format = format_of(options.format);
  if (format != Format::text && format != Format::json) throw UsageError("config prints text or json", "");
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, name);
  const harness::Size& size = harness::find_size(application, options.size.empty() ? "small" : options.size);
  const auto user = sourced_settings_of(options, application, true);
  const std::uint64_t seed = seed_of(options);
  const std::vector<Shown> all = resolve(application, size, user);
  std::cout << (format == Format::json ? harness::dump(document_of(all, application.name, size.name, seed)) + "\n"
                                       : text_of(all, application.name, seed));
  return 0;
}

}  // namespace speedwell::cli
