// The report: one HTML file made from records alone, complete without JavaScript and without a request to anywhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "speedwell/harness/record_reader.hpp"

namespace speedwell::harness::report {

struct ReportOptions {
  std::string gnuplot = "gnuplot";     // the program; empty: tables only
  std::filesystem::path plots_folder;  // where the script (with its data) and the SVG of each plot go; empty: nowhere
  std::chrono::milliseconds plot_time{20000};  // the most that one plot may take
  std::size_t most_bytes = 5'000'000;          // of the file; tables get shorter, and say so, before plots go
};

/// The page. Equal documents and options give equal bytes. Throws io::OutputError if a plot cannot be saved.
std::string render_html(const std::vector<records::Document>& documents, const ReportOptions& options = {});

}  // namespace speedwell::harness::report
