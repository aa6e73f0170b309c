// The parameters that a user sets, from a file, --set and --precision.
#include <fmt/format.h>

#include <algorithm>

#include "speedwell/catalogue.hpp"
#include "speedwell/harness/config_file.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/session/options.hpp"

namespace speedwell::session {
namespace {

// Several --set of one key are several values of it; a file's value gives way to them.
void add(std::vector<SourcedSetting>& settings, const harness::Application& application, harness::Sweep sweep,
         const std::string& source) {
  const auto same = std::find_if(settings.begin(), settings.end(), [&](const SourcedSetting& s) {
    return s.setting.key == sweep.key && s.source == source;
  });
  if (same != settings.end())
    harness::add_values(application, same->setting, sweep);
  else
    settings.push_back({std::move(sweep), source});
}

// A setting of --set. What was a value of a parameter in earlier versions may be an application of its own by now, and
// a value that is refused and has the name of one is met with that.
harness::Sweep parsed(const harness::Application& application, const std::string& text) {
  try {
    return harness::parse_sweep(application, text);
  } catch (const std::invalid_argument& e) {
    const std::string value = text.substr(std::min(text.find('='), text.size() - 1) + 1);
    const auto all = catalogue();
    const bool named = std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.name == value; });
    if (!named) throw;
    throw process::UsageError(e.what(), fmt::format("{} is an application: speedwell run {}", value, value));
  }
}

}  // namespace

std::vector<SourcedSetting> sourced_settings_of(const RunOptions& o, const harness::Application& application,
                                                bool named) {
  std::vector<SourcedSetting> settings;
  std::string config = o.config, source = o.config;
  if (config.empty())
    if (const char* ours = environment("SPEEDWELL_CONFIG")) {
      config = ours;
      source = config + " (SPEEDWELL_CONFIG)";
    }
  if (!config.empty())
    for (auto& setting : harness::read_config(config, application, catalogue()))
      settings.push_back({std::move(setting), source});
  for (const std::string& text : o.settings) {
    const auto equals = text.find('='), dot = text.find('.');
    if (dot < equals) {
      if (text.substr(0, dot) == application.name)
        add(settings, application, parsed(application, text.substr(dot + 1)), "--set");
      else if (named)
        throw process::UsageError(fmt::format("--set {}: this run is of {}", text, application.name), "");
      continue;
    }
    if (!named)
      throw process::UsageError(fmt::format("--set {}: several applications run; name one", text),
                                "--set APPLICATION.KEY=VALUE");
    add(settings, application, parsed(application, text), "--set");
  }
  if (!o.precision.empty()) {
    const auto is_typed = [](const SourcedSetting& s) { return s.setting.key == "precision" && s.source == "--set"; };
    if (std::any_of(settings.begin(), settings.end(), is_typed))
      throw process::UsageError("--precision and --set precision=... both name the precision", "one of them is enough");
    const bool has = std::any_of(application.parameters.begin(), application.parameters.end(),
                                 [](const auto& p) { return p.key == "precision"; });
    if (has)
      settings.push_back({harness::parse_sweep(application, "precision=" + o.precision), "--precision"});
    else if (named)
      throw process::UsageError(fmt::format("{} has no choice of precision", application.name), "");
  }
  return settings;
}

std::vector<harness::Sweep> settings_of(const RunOptions& o, const harness::Application& application, bool named) {
  std::vector<harness::Sweep> settings;
  for (auto& one : sourced_settings_of(o, application, named)) settings.push_back(std::move(one.setting));
  return settings;
}

}  // namespace speedwell::session
