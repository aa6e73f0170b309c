#include "speedwell/harness/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/harness/report/gnuplot.hpp"
#include "speedwell/harness/report/html.hpp"

namespace speedwell::harness::report {
namespace {

// Pixels of the drawing; the page scales it. A letter is about 7 pixels wide in the 13-pixel font.
constexpr int width = 470;
constexpr double letter = 7.2;
constexpr std::size_t label_letters = 22;

class Words {
 public:
  explicit Words(Script& script) : script_(script) {}
  /// The word that stands for `text`, as long as what will be shown, so that gnuplot makes room for it.
  std::string operator()(const std::string& text, std::size_t limit = label_letters) {
    const std::string shown = clip(text, limit);
    std::string word = fmt::format("Qz{:03}", script_.texts.size());
    word.resize(std::max(word.size(), length(shown)), 'z');
    word += 'Q';
    script_.texts.emplace_back(word, shown);
    return word;
  }

 private:
  Script& script_;
};

std::string head(double height) {
  return fmt::format(
      "set terminal svg size {},{:.0f} noenhanced font 'sans-serif,13' linewidth 1.2\nset encoding utf8\nset border 3\n"
      "set tics nomirror out scale 0.6\nset grid x lc rgb '{}' lw 0.6 dt 1\nset pointintervalbox 0\n",
      width, height, grid_colour);
}

std::string superscript(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

std::string tick(int mantissa, int exponent) {
  if (exponent >= -3 && exponent < 4)
    return fmt::format("{:.{}f}", mantissa * std::pow(10, exponent), std::max(0, -exponent));
  return (mantissa == 1 ? "10" : fmt::format("{}×10", mantissa)) + superscript(exponent);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void include(double x) {
    if (!(x > 0) || !std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool empty() const { return !(high > 0); }
  double decades() const { return std::log10(high) - std::log10(low); }
};

// Round steps over less than a decade: a logarithm hardly bends there.
std::string even_ticks(const Range& range) {
  const double raw = (range.high - range.low) / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
  std::string ticks;
  for (double k = std::ceil(range.low / step); k * step <= range.high; ++k)
    ticks += fmt::format("{0}'{1:.4g}' {1:.6g}", ticks.empty() ? "" : ", ", k * step);
  return ticks;
}

// A logarithmic axis over `range`, with ticks at 1, 2, 5 of every decade if they fit, at powers of ten if not.
std::string log_axis(char axis, const Range& range) {
  const double decades = range.decades();
  const int first = static_cast<int>(std::floor(std::log10(range.low))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(range.high))) + 1;
  const int every = decades > 8 ? static_cast<int>(std::ceil(decades / 6)) : 1;
  std::string ticks = decades < 0.8 ? even_ticks(range) : std::string();
  for (int exponent = first; decades >= 0.8 && exponent <= last; ++exponent)
    for (const int mantissa : {1, 2, 5}) {
      if (mantissa != 1 && decades > 2.2) continue;
      if (exponent % every != 0) continue;
      const double at = mantissa * std::pow(10.0, exponent);
      if (at < range.low * 0.999 || at > range.high * 1.001) continue;
      ticks += fmt::format("{}'{}' {:.6g}", ticks.empty() ? "" : ", ", tick(mantissa, exponent), at);
    }
  return fmt::format("set logscale {0}\nset {0}range [{1:.6g}:{2:.6g}]\nset {0}tics ({3})\n", axis, range.low,
                     range.high, ticks);
}

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t letters = 0;
  for (const std::string& text : texts) letters = std::max(letters, std::min(length(text), label_letters));
  return letters;
}

// A key below the plot, as many columns as fit; `rows` is how many rows it takes.
struct Key {
  int columns, rows;
  Key(const std::vector<std::string>& labels) {
    const double each = 60 + 8.8 * static_cast<double>(longest(labels));  // gnuplot reckons with wide letters
    const int count = static_cast<int>(labels.size());
    columns = std::clamp(static_cast<int>((width - 20) / each), 1, std::max(1, count));
    rows = (count + columns - 1) / columns;
  }
  double height() const { return 20.0 * rows + 6; }
  /// gnuplot takes no more rows than the graph is high, of columns no more than it thinks are wide enough: the first is
  /// the better known where the graph is high enough.
  std::string script(double plot_height, double graph_height) const {
    const bool high = graph_height > height();
    return fmt::format("set key at screen 0.02, screen {:.4f} left bottom Left reverse {} {} samplen 2.5 spacing 1\n",
                       4 / plot_height, high ? "vertical maxrows" : "horizontal maxcols", high ? rows : columns);
  }
};

// Rows of horizontal bars: the frame that bars and stacks share. Rows count downwards from the top.
struct Rows {
  double height, left, right, bottom;
  Rows(const std::vector<std::string>& labels, const std::vector<std::string>& notes, double row_height, double key) {
    bottom = 62 + key;
    height = 12 + row_height * static_cast<double>(labels.size()) + bottom;
    left = 26 + letter * static_cast<double>(longest(labels));
    right = 22 + letter * static_cast<double>(longest(notes));
  }
  double graph() const { return height - bottom - 8; }
  std::string script(const std::vector<std::string>& labels, const std::string& x_label, Words& words) const {
    std::string text = fmt::format(
        "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset bmargin at screen {:.4f}\nset tmargin at "
        "screen "
        "{:.4f}\nset yrange [{}:0.5]\nset border 1\nset xlabel '{}' offset 0,0.2\n",
        left / width, 1 - right / width, bottom / height, 1 - 8 / height, static_cast<double>(labels.size()) + 0.5,
        words(x_label, 60));
    text += "set ytics scale 0 (";
    for (std::size_t r = 0; r < labels.size(); ++r)
      text += fmt::format("{}'{}' {}", r ? ", " : "", words(labels[r]), r + 1);
    return text + ")\n";
  }
};

std::string note_label(const std::string& word, double y) {
  return fmt::format("set label '{}' at screen 0.985, first {:.4f} right\n", word, y);
}

// Solid for the first series, then hatched ones, so that colour is never the only difference.
std::string fill(std::size_t series) {
  constexpr const char* fills[] = {"solid 0.9", "pattern 4", "pattern 2", "pattern 5", "pattern 1", "pattern 6"};
  return fills[series % std::size(fills)];
}

const char* colour(std::size_t series) { return palette[series % palette_size]; }

}  // namespace

std::string Script::with_legend() const {
  std::string text = "# Words that stand for texts in this script:\n";
  for (const auto& [word, shown] : texts) text += "#   " + word + "  " + clip(shown, 200) + "\n";
  return text + gnuplot;
}

void Script::restore(std::string& svg) const {
  for (const auto& [word, shown] : texts) {
    const std::string safe = escape(shown);
    for (std::size_t at = 0; (at = svg.find(word, at)) != std::string::npos; at += safe.size())
      svg.replace(at, word.size(), safe);
  }
}

Script bar_script(const BarChart& chart) {
  Script script;
  Words words(script);
  std::vector<std::string> notes;
  Range range;
  range.include(1);
  for (const auto& row : chart.bars)
    for (const auto& bar : row) {
      if (!bar) continue;
      notes.push_back(bar->note);
      range.include(bar->value);
      if (bar->interval) range.include(bar->interval->first), range.include(bar->interval->second);
    }
  const double margin = std::pow(10, std::clamp(0.03 * range.decades(), 0.02, 1.0));
  range.low /= margin;
  range.high *= margin;
  const std::size_t series = chart.series.size();
  const Key key(chart.series);
  const Rows rows(chart.labels, notes, 12 + 16 * static_cast<double>(series), series > 1 ? key.height() : 0);
  std::string& text = script.gnuplot;
  text = head(rows.height) + rows.script(chart.labels, chart.x_label, words) + log_axis('x', range);
  text += series > 1 ? key.script(rows.height, rows.graph()) : "unset key\n";
  text += "set arrow from 1, graph 0 to 1, graph 1 nohead lw 1.2 front\n";

  const double thick = 0.8 / static_cast<double>(series);
  std::string plots;
  for (std::size_t s = 0; s < series; ++s) {
    std::string bars, whiskers;
    for (std::size_t r = 0; r < chart.bars.size(); ++r) {
      const auto& bar = chart.bars[r][s];
      if (!bar) continue;
      const double y = static_cast<double>(r) + 0.6 + thick * (static_cast<double>(s) + 0.5);
      bars += fmt::format("{0:.6g} {1:.4f} {2:.6g} {3:.6g} {4:.4f} {5:.4f}\n", bar->value, y, std::min(1.0, bar->value),
                          std::max(1.0, bar->value), y - 0.42 * thick, y + 0.42 * thick);
      if (bar->interval)
        whiskers +=
            fmt::format("{:.6g} {:.4f} {:.6g} {:.6g}\n", bar->value, y, bar->interval->first, bar->interval->second);
      text += note_label(words(bar->note), y);
    }
    if (bars.empty()) continue;
    text += fmt::format("$bars{} << END\n{}END\n", s, bars);
    plots +=
        fmt::format("{0}$bars{1} using 1:2:3:4:5:6 with boxxyerror lc rgb '{3}' fs {2} border lc rgb '{3}' title '{4}'",
                    plots.empty() ? "" : ", ", s, fill(s), colour(s), words(chart.series[s]));
    if (whiskers.empty()) continue;
    text += fmt::format("$whiskers{} << END\n{}END\n", s, whiskers);
    plots += fmt::format(", $whiskers{} using 1:2:3:4 with xerrorbars ps 0 lw 1.4 lc rgb 'black' notitle", s);
  }
  text += "plot " + plots + "\n";
  return script;
}

Script stack_script(const StackChart& chart) {
  Script script;
  Words words(script);
  const Key key(chart.parts);
  const Rows rows(chart.labels, chart.notes, 26, key.height());
  std::string& text = script.gnuplot;
  text = head(rows.height) + rows.script(chart.labels, chart.x_label, words) + key.script(rows.height, rows.graph());
  text += "set xrange [0:100]\nset xtics 0,20,100\n";
  for (std::size_t r = 0; r < chart.notes.size(); ++r)
    text += note_label(words(chart.notes[r]), static_cast<double>(r) + 1);
  std::string plots;
  for (std::size_t p = 0; p < chart.parts.size(); ++p) {
    text += fmt::format("$part{} << END\n", p);
    for (std::size_t r = 0; r < chart.shares.size(); ++r) {
      double begin = 0;
      for (std::size_t q = 0; q < p; ++q) begin += chart.shares[r][q];
      const double y = static_cast<double>(r) + 1;
      text += fmt::format("{0:.4f} {1} {0:.4f} {2:.4f} {3:.2f} {4:.2f}\n", begin, y,
                          std::min(100.0, begin + chart.shares[r][p]), y - 0.36, y + 0.36);
    }
    text += "END\n";
    plots +=
        fmt::format("{0}$part{1} using 1:2:3:4:5:6 with boxxyerror lc rgb '{3}' fs {2} border lc rgb '{3}' title '{4}'",
                    p ? ", " : "", p, fill(p), colour(p), words(chart.parts[p]));
  }
  text += "plot " + plots + "\n";
  return script;
}

Script curve_script(const CurveChart& chart) {
  Script script;
  Words words(script);
  Range x, y;
  std::vector<std::string> labels;
  for (const Curve& curve : chart.curves) {
    labels.push_back(curve.label);
    for (const Point& point : curve.points) x.include(point.x), y.include(point.y);
  }
  if (x.empty() || y.empty()) {
    x.include(1);
    y.include(1);
  }
  x.low /= 1.25, x.high *= 1.25, y.low /= 1.6, y.high *= 1.6;
  const Key key(labels);
  const double bottom = 62 + key.height(), height = 250 + bottom;
  std::string& text = script.gnuplot;
  text = head(height) + key.script(height, height - bottom) + log_axis('x', x) + log_axis('y', y);
  text += fmt::format(
      "set grid x y lc rgb '{}' lw 0.6 dt 1\nset lmargin at screen {:.4f}\nset rmargin at screen 0.955\nset bmargin at "
      "screen "
      "{:.4f}\nset tmargin at screen {:.4f}\nset xlabel '{}' offset 0,0.2\nset ylabel '{}' offset 0.5,0\nset bars "
      "0.5\n",
      grid_colour, 70.0 / width, bottom / height, 1 - 12 / height, words(chart.x_label, 60), words(chart.y_label, 40));

  // Filled shapes first, then open ones; roofs are dashed without shapes.
  constexpr int shapes[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
  std::string plots;
  std::size_t lines = 0, roofs = 0;
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    const Curve& curve = chart.curves[c];
    const bool roof = curve.look == Curve::Look::roof;
    text += fmt::format("$curve{} << END\n", c);
    bool any = false;
    for (const Point& p : curve.points) {
      if (!(p.x > 0) || !(p.y > 0)) continue;
      const auto [low, high] = p.interval.value_or(std::pair(p.y, p.y));
      text += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g}\n", p.x, p.y, low, high);
      any = true;
    }
    text += "END\n";
    if (!any) continue;
    const std::size_t n = roof ? roofs++ : lines++;
    if (roof)
      plots += fmt::format("{}$curve{} using 1:2 with lines lw 1.6 dt {} lc rgb 'black' title '{}'",
                           plots.empty() ? "" : ", ", c, n + 1, words(curve.label));
    else
      plots += fmt::format("{}$curve{} using {} with {} pt {} ps 0.8 lw 1.4 dt {} lc rgb '{}' title '{}'",
                           plots.empty() ? "" : ", ", c, curve.look == Curve::Look::points ? "1:2" : "1:2:3:4",
                           curve.look == Curve::Look::points ? "points" : "yerrorlines", shapes[n % std::size(shapes)],
                           n / palette_size % 4 + 1, colour(n), words(curve.label));
  }
  text += plots.empty() ? "plot NaN notitle\n" : "plot " + plots + "\n";
  return script;
}

}  // namespace speedwell::harness::report
