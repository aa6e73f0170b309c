#include "speedwell/harness/report/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "speedwell/harness/report/html.hpp"

namespace speedwell::harness::report {
namespace {

using Clock = std::chrono::steady_clock;

// More than any plot here needs; a program that prints without end is stopped.
constexpr std::size_t most_bytes = std::size_t{16} << 20;

struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
};

// Reads until the other side closes; false when the time is over or there is too much.
bool read_all(int from, Clock::time_point deadline, std::string& text) {
  std::array<char, 65536> buffer;
  while (text.size() <= most_bytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return false;
}

// The script lies in a file without a name: no pipe to fill while the other side waits to be read.
using File = std::unique_ptr<FILE, int (*)(FILE*)>;
File script_file(const std::string& script) {
  File file(std::tmpfile(), &std::fclose);
  if (!file || std::fwrite(script.data(), 1, script.size(), file.get()) != script.size() ||
      std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0)
    file.reset();
  return file;
}

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void put(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void discard(int to) { posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_WRONLY, 0); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Removes everything from each `begin` to the `end` after it, both included.
void remove_all(std::string& text, std::string_view begin, std::string_view end) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t from; (from = text.find(begin, at)) != std::string::npos;) {
    const std::size_t to = text.find(end, from + begin.size());
    out.append(text, at, from - at);
    if (to == std::string::npos) {
      at = text.size();
      break;
    }
    at = to + end.size();
  }
  text = out.append(text, at);
}

// gnuplot spells a colour "rgb(  0, 114, 178)" or "rgb(0,114,178)".
void use_page_colours(std::string& svg) {
  const auto replace = [&](const char* hex, const std::string& variable) {
    const auto part = [&](int i) { return std::strtol(std::string(hex + 1 + 2 * i, 2).c_str(), nullptr, 16); };
    replace_all(svg, fmt::format("rgb({:3},{:4},{:4})", part(0), part(1), part(2)), variable);
    replace_all(svg, fmt::format("rgb({},{},{})", part(0), part(1), part(2)), variable);
  };
  for (int i = 0; i < palette_size; ++i) replace(palette[i], fmt::format("var(--c{})", i));
  replace(grid_colour, "var(--grid)");
  replace("#000000", "currentColor");
  for (const char quote : {'\'', '"'}) {
    // `color` is what "currentColor" means to everything inside: the page decides that.
    replace_all(svg, fmt::format(" color={0}black{0}", quote), "");
    replace_all(svg, fmt::format("{0}black{0}", quote), fmt::format("{0}currentColor{0}", quote));
    replace_all(svg, fmt::format("{0}white{0}", quote), fmt::format("{0}var(--card){0}", quote));
  }
}

}  // namespace

std::optional<std::string> run_gnuplot(const std::string& program, const std::string& script,
                                       std::chrono::milliseconds most) {
  const File input = script_file(script);
  Pipe output;
  if (!input || output.ends[0] < 0) return std::nullopt;

  Actions actions;
  actions.put(fileno(input.get()), STDIN_FILENO);
  actions.put(output.ends[1], STDOUT_FILENO);
  actions.discard(STDERR_FILENO);
  const char* path = std::getenv("PATH");
  std::string paths = std::string("PATH=") + (path ? path : "/usr/local/bin:/usr/bin:/bin"), locale = "LC_ALL=C";
  char* environment[] = {paths.data(), locale.data(), nullptr};
  std::string name = program, defaults = "-d", from = "/dev/stdin";  // as a file: an error in it is an exit status
  char* arguments[] = {name.data(), defaults.data(), from.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), actions.get(), nullptr, arguments, environment) != 0) return std::nullopt;
  output.close_end(1);

  std::string text;
  const bool complete = read_all(output.ends[0], Clock::now() + most, text);
  if (!complete) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

std::optional<std::string> inline_svg(std::string_view svg, const std::string& prefix, std::string_view title,
                                      std::string_view description) {
  const std::size_t open = svg.find("<svg");
  const std::size_t inside = open == std::string_view::npos ? open : svg.find('>', open);
  const std::size_t close = svg.rfind("</svg>");
  const std::size_t box = svg.find("viewBox=\"", open);
  if (inside == std::string_view::npos || close == std::string_view::npos || box == std::string_view::npos ||
      box > inside || close < inside)
    return std::nullopt;
  const std::string_view view = svg.substr(box + 9, svg.find('"', box + 9) - box - 9);
  std::string body(svg.substr(inside + 1, close - inside - 1));
  remove_all(body, "<script", "</script>");
  remove_all(body, "<title>", "</title>");
  remove_all(body, "<desc>", "</desc>");
  remove_all(body, "<filter", "</filter>");
  remove_all(body, " font-family=\"", "\"");
  remove_all(body, " id=\"gnuplot_", "\"");
  replace_all(body, "xlink:href", "href");
  replace_all(body, "'gpDot'", "'" + prefix + "gpDot'");
  for (const char* kind : {"gpPt", "gpPat"}) {
    replace_all(body, std::string("id='") + kind, "id='" + prefix + kind);
    replace_all(body, std::string("#") + kind, "#" + prefix + kind);
  }
  use_page_colours(body);
  remove_all(body,
             "\n<g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
             "stroke-linejoin=\"miter\">\n</g>",
             "");
  for (const char* blank : {"\t", " \n", "\n\n"})
    for (std::size_t before = 0; before != body.size();) {
      before = body.size();
      replace_all(body, blank, blank[0] == '\t' ? " " : "\n");
    }
  return fmt::format(
      "<svg viewBox=\"{0}\" role=\"img\" aria-labelledby=\"{1}t {1}d\"><title id=\"{1}t\">{2}</title><desc "
      "id=\"{1}d\">{3}</desc>{4}</svg>",
      escape(view), prefix, escape(title), escape(description, 2000), body);
}

}  // namespace speedwell::harness::report
