// Writes the sample records and a report of each into a folder, to be looked at: render_samples FOLDER [PLOTS-FOLDER].
#include <fstream>
#include <iostream>

#include "samples.hpp"
#include "speedwell/harness/report/report.hpp"

int main(int argc, char** argv) {
  using namespace speedwell::harness;
  if (argc < 2) {
    std::cerr << "usage: render_samples FOLDER [PLOTS-FOLDER]\n";
    return 2;
  }
  const std::string folder = argv[1];
  report::ReportOptions options;
  if (argc > 2) options.plots_folder = argv[2];
  for (const auto& [name, document] :
       {std::pair{"cpu", samples::cpu_only()}, std::pair{"h200", samples::h200()},
        std::pair{"failures", samples::failures()}, std::pair{"hostile", samples::hostile()}}) {
    std::ofstream(folder + "/" + name + ".json") << document.dump(1) << "\n";
    const std::string html = report::render_html({records::parse_document(document.dump(), name)}, options);
    std::ofstream(folder + "/" + name + ".html") << html;
    std::cout << name << ": " << html.size() << " bytes\n";
  }
  return 0;
}
