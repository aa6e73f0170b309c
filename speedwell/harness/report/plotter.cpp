#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "speedwell/harness/report/gnuplot.hpp"
#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {

void Plotter::restart(const Detail& detail) {
  detail_ = detail;
  number_ = 0;
  incomplete_ = false;
}

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
      "<figure><h4>{}</h4>{}<figcaption>{}</figcaption><details{}><summary>Data</summary>{}</details></figure>\n",
      escape(title), svg, escape(sentence, 2000), svg.empty() ? " open" : "", data.html(detail_.rows));
}

bool Plotter::available() {
  if (!available_)
    available_ = !options_.gnuplot.empty() &&
                 run_gnuplot(options_.gnuplot, "set terminal svg\nplot x\n", options_.plot_time).has_value();
  return *available_;
}

void Plotter::save(const std::string& name, const Script& script, const std::string& svg) const {
  std::filesystem::create_directories(options_.plots_folder);
  std::string labelled = svg;
  script.restore(labelled);
  for (const auto& [suffix, text] : {std::pair<const char*, std::string>{".gp", script.with_legend()}, {".svg", labelled}}) {
    const std::filesystem::path file = options_.plots_folder / (name + suffix);
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error(file.string() + ": cannot be written");
  }
}

}  // namespace speedwell::harness::report
