#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "speedwell/harness/report/gnuplot.hpp"
#include "speedwell/harness/report/sections.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness::report {

void Plotter::restart(const Detail& detail) {
  detail_ = detail;
  number_ = 0;
  incomplete_ = false;
}

// Of the table under a figure that has another beside it.
constexpr std::size_t most_columns_beside = 7;

std::string Plotter::figure(const std::string& title, const std::string& sentence, const Script& script,
                            const Table& data) {
  const std::string name = fmt::format("plot-{:03}", ++number_);
  std::string svg;
  if (detail_.plots && available()) {
    const auto [at, fresh] = drawn_.try_emplace(script.gnuplot);
    if (fresh) at->second = run_gnuplot(options_.gnuplot, script.gnuplot, options_.plot_time).value_or("");
    svg = inline_svg(at->second, name, title, sentence).value_or("");
    script.restore(svg);
    if (!svg.empty() && !options_.plots_folder.empty()) save(name, script, at->second);
  }
  if (svg.empty()) incomplete_ = true;
  return fmt::format(
      "<figure{}><h4>{}</h4>{}<figcaption>{}</figcaption><details{}><summary>Data</summary>{}</details></figure>\n",
      data.columns.size() > most_columns_beside ? " class=\"whole\"" : "", escape(title), svg, escape(sentence, 2000), svg.empty() ? " open" : "", data.html(detail_.rows));
}

bool Plotter::available() {
  if (!available_)
    available_ = !options_.gnuplot.empty() &&
                 run_gnuplot(options_.gnuplot, "set terminal svg\nplot x\n", options_.plot_time).has_value();
  return *available_;
}

void Plotter::save(const std::string& name, const Script& script, const std::string& svg) const {
  std::error_code error;
  std::filesystem::create_directories(options_.plots_folder, error);
  if (error) throw io::OutputError("output.open", options_.plots_folder.string(), error.message());
  std::string labelled = svg;
  script.restore(labelled);
  const std::string stem = (options_.plots_folder / name).string();
  io::write_file(stem + ".gp", script.with_legend());
  io::write_file(stem + ".svg", labelled);
}

}  // namespace speedwell::harness::report
