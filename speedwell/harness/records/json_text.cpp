// Records as text for people and version control: a line for each key, but one for all samples of a phase.
#include <algorithm>

#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {
namespace {

std::string on_one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

class IndentedText {
 public:
  explicit IndentedText(int indent) : indent_(static_cast<std::size_t>(indent)) {}

  std::string of(const Json& json) {
    write(json, 0);
    return std::move(text_);
  }

 private:
  void begin_line(std::size_t depth) { text_.append(1, '\n').append(depth * indent_, ' '); }

  void write(const Json& json, std::size_t depth) {
    if (json.empty() || !json.is_structured())
      text_ += on_one_line(json);
    else if (json.is_object())
      write_object(json, depth);
    else if (std::any_of(json.begin(), json.end(), [](const Json& element) { return element.is_structured(); }))
      write_lines(json, depth);
    else
      write_values(json);
  }
  void write_object(const Json& json, std::size_t depth) {
    text_ += '{';
    const char* separator = "";
    for (const auto& [key, value] : json.items()) {
      text_ += separator;
      begin_line(depth + 1);
      text_ += on_one_line(key) + ": ";
      write(value, depth + 1);
      separator = ",";
    }
    begin_line(depth);
    text_ += '}';
  }
  void write_lines(const Json& array, std::size_t depth) {
    text_ += '[';
    const char* separator = "";
    for (const Json& element : array) {
      text_ += separator;
      begin_line(depth + 1);
      write(element, depth + 1);
      separator = ",";
    }
    begin_line(depth);
    text_ += ']';
  }
  void write_values(const Json& array) {
    text_ += '[';
    const char* separator = "";
    for (const Json& value : array) {
      text_ += separator + on_one_line(value);
      separator = ", ";
    }
    text_ += ']';
  }

  std::size_t indent_;
  std::string text_;
};

}  // namespace

std::string dump(const Json& json, int indent) {
  return indent < 0 ? on_one_line(json) : IndentedText(indent).of(json);
}

}  // namespace speedwell::harness
