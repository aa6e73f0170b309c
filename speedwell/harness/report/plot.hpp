// The four kinds of plot that the report has, as gnuplot scripts with their data inside.
//
// No text from a record ever reaches gnuplot, which gives quotes, backquotes and "@" meanings of their own: a script
// holds a word of letters and digits of the same length for each text, and the finished SVG gets the texts back,
// escaped.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace speedwell::harness::report {

/// A script and the texts that its SVG is to show.
struct Script {
  std::string gnuplot;
  std::vector<std::pair<std::string, std::string>> texts;  // the word in the script, what it stands for

  /// The script with the texts themselves as comments, for saving.
  std::string with_legend() const;
  /// Puts the texts into `svg`, escaped.
  void restore(std::string& svg) const;
};

struct Bar {
  double value = 0;
  std::optional<std::pair<double, double>> interval;
  std::string note;  // shown beside the bar
};

/// Horizontal bars on a logarithmic axis, from 1: a row for each label, in it a bar for each series that has one.
struct BarChart {
  std::string x_label;
  std::vector<std::string> series;
  std::vector<std::string> labels;
  std::vector<std::vector<std::optional<Bar>>> bars;  // [row][series]
};
/// `bars` must hold a value above zero.
Script bar_script(const BarChart& chart);

/// Shares of a whole, one bar of 100 % for each label.
struct StackChart {
  std::string x_label;
  std::vector<std::string> parts;
  std::vector<std::string> labels, notes;
  std::vector<std::vector<double>> shares;  // [row][part], each row sums to 100
};
Script stack_script(const StackChart& chart);

struct Point {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> interval;
};
struct Curve {
  std::string label;
  std::vector<Point> points;
  enum class Look { joined, points, roof } look = Look::joined;  // a roof is a line without points
};
/// Lines and points on two logarithmic axes. Values at or below zero are left out.
struct CurveChart {
  std::string x_label, y_label;
  std::vector<Curve> curves;
};
Script curve_script(const CurveChart& chart);

}  // namespace speedwell::harness::report
