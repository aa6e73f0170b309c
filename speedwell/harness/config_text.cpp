#include "speedwell/harness/config_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace speedwell::harness {
namespace {

// As TOML writes it.
std::string literal(const Value& value) {
  if (!std::holds_alternative<std::string>(value)) return to_string(value);
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

}  // namespace

std::vector<ResolvedParameter> resolve_parameters(const Application& application, const Size& size,
                                                  const std::vector<SourcedSetting>& user) {
  std::vector<ResolvedParameter> all;
  for (const Parameter& p : application.parameters) {
    ResolvedParameter one{&p, {p.default_value}, "default"};
    for (const Setting& s : size.settings)
      if (s.key == p.key) one = {&p, {s.value}, "size " + size.name};
    for (const Sweep& s : size.sweeps)
      if (s.key == p.key) one = {&p, s.values, "size " + size.name};
    for (const SourcedSetting& s : user)
      if (s.setting.key == p.key) one = {&p, s.setting.values, s.source};
    all.push_back(std::move(one));
  }
  return all;
}

std::string config_text(const std::vector<ResolvedParameter>& all, const std::string& application, std::uint64_t seed) {
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const ResolvedParameter& s : all) {
    std::vector<std::string> values;
    for (const Value& v : s.values) values.push_back(literal(v));
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

Json config_document(const std::vector<ResolvedParameter>& all, const std::string& application, const std::string& size,
                     std::uint64_t seed) {
  Json document = {{"schema", "speedwell-config/1"},
                   {"error", nullptr},
                   {"application", application},
                   {"size", size},
                   {"seed", seed},
                   {"parameters", Json::array()}};
  for (const ResolvedParameter& s : all) {
    Json values = Json::array();
    for (const Value& v : s.values) std::visit([&](const auto& x) { values.push_back(x); }, v);
    document["parameters"].push_back({{"key", s.parameter->key}, {"values", values}, {"source", s.source}});
  }
  return document;
}

}  // namespace speedwell::harness
