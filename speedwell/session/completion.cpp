#include "speedwell/session/completion.hpp"

#include <algorithm>
#include <cstddef>

namespace speedwell::session {
namespace {

using Words = std::vector<std::string>;

Words names_of(const auto& things) {
  Words names;
  for (const auto& thing : things) names.emplace_back(thing.name);
  return names;
}

/// One thing that has been begun to be typed, after `before`, which stays: "--variant=", "openmp,".
struct Begun {
  std::string before, text;
  Words among(const Words& all) const {
    Words some;
    for (const std::string& word : all)
      if (word.starts_with(text)) some.push_back(before + word);
    return some;
  }
};

/// The last of several in one word, with `end` between.
Begun last_of(const Begun& begun, char end) {
  const auto at = begun.text.rfind(end);
  if (at == std::string::npos) return begun;
  return {begun.before + begun.text.substr(0, at + 1), begun.text.substr(at + 1)};
}

class Line {
 public:
  Line(std::span<const std::string> words, const std::vector<CommandShape>& commands,
       const std::vector<harness::Application>& applications)
      : words_(words), applications_(applications), command_(words.front()) {
    const auto same =
        std::find_if(commands.begin(), commands.end(), [&](const CommandShape& c) { return c.name == command_; });
    if (same == commands.end()) return;
    known_ = true;
    shapes_ = same->options();
    for (const std::string& word : words.subspan(1, words.size() - 2))
      for (const harness::Application& a : applications)
        if (a.name == word) application_ = &a;
  }

  Words last() const {
    if (!known_) return {};
    const std::string& word = words_.back();
    if (const auto equals = word.find('='); word.starts_with("--") && equals != std::string::npos)
      return value(shape(word.substr(0, equals)), {word.substr(0, equals + 1), word.substr(equals + 1)});
    if (word.starts_with("-")) return options(word);
    if (is_value(words_.size() - 1)) return value(shape(words_[words_.size() - 2]), {"", word});
    return Begun{"", word}.among(operands());
  }

 private:
  const OptionShape* shape(const std::string& name) const {
    for (const OptionShape& s : shapes_)
      if (std::find(s.names.begin(), s.names.end(), name) != s.names.end()) return &s;
    return nullptr;
  }
  Words options(const std::string& begun) const {
    Words all;
    for (const OptionShape& s : shapes_) all.insert(all.end(), s.names.begin(), s.names.end());
    return Begun{"", begun}.among(all);
  }

  bool is_value(std::size_t word) const {
    const OptionShape* before = shape(words_[word - 1]);
    return before && !before->value.empty();
  }
  /// Completions of the operand that the last word belongs to.
  Words operands() const {
    std::ptrdiff_t index = 0;
    for (std::size_t word = 1; word + 1 < words_.size(); ++word)
      index += !words_[word].starts_with("-") && !is_value(word);
    for (const OptionShape& s : shapes_) {
      if (!s.names.empty()) continue;
      if (index < s.max_values) {
        Words words = s.value == "APP" ? names_of(applications_) : s.choices;
        if (command_ == "list" && s.value == "WHAT")
          for (const std::string& name : names_of(applications_)) words.push_back(name);
        return words;
      }
      index -= s.max_values;
    }
    return {};
  }

  Words value(const OptionShape* option, const Begun& begun) const {
    if (!option) return {};
    const std::string& name = option->names.front();
    if (name == "--variant" && application_) return last_of(begun, ',').among(names_of(application_->variants));
    if (name == "--size")
      return begun.among(application_ ? names_of(application_->sizes) : Words{"test", "small", "standard", "large"});
    if (name == "--set" && application_) return setting(begun);
    if (name == "--devices") return begun.among({"all", "none"});
    if (option->value.ends_with(",...")) return last_of(begun, ',').among(option->choices);
    return begun.among(option->choices);
  }
  Words setting(const Begun& begun) const {
    const Begun value = last_of(begun, '=');
    const std::string key = value.before.substr(begun.before.size());
    Words keys;
    for (const harness::Parameter& p : application_->parameters) {
      if (p.key + "=" == key) return value.among(p.choices);
      keys.push_back(p.key + "=");
    }
    return key.empty() ? begun.among(keys) : Words{};
  }

  std::span<const std::string> words_;
  const std::vector<harness::Application>& applications_;
  std::string command_;
  bool known_ = false;
  std::vector<OptionShape> shapes_;
  const harness::Application* application_ = nullptr;
};

}  // namespace

std::vector<std::string> choices_in(std::string_view description) {
  if (const auto colon = description.rfind(": "); colon != std::string_view::npos) description.remove_prefix(colon + 2);
  const auto last = description.rfind(" or ");
  if (last == std::string_view::npos)  // a list of one word has no "or"
    return description.find(' ') == std::string_view::npos ? Words{std::string(description)} : Words{};
  Words words;
  for (std::string_view rest = description.substr(0, last);;) {
    const auto comma = rest.find(", ");
    words.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 2);
  }
  words.emplace_back(description.substr(last + 4));
  const auto is_phrase = [](const std::string& word) { return word.find_first_of(" ()") != std::string::npos; };
  return std::any_of(words.begin(), words.end(), is_phrase) ? Words{} : words;
}

std::vector<std::string> completions(std::span<const std::string> words, const std::vector<CommandShape>& commands,
                                     const std::vector<harness::Application>& applications) {
  if (words.empty()) return {};
  Words names = names_of(commands);
  if (words.size() == 2 && words.front() == "help") return Begun{"", words.back()}.among(names);
  if (words.size() > 1) return Line(words, commands, applications).last();
  for (const char* name : {"help", "version"}) names.emplace_back(name);
  return Begun{"", words.front()}.among(names);
}

}  // namespace speedwell::session
