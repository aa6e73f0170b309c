// report: one HTML file from records; also the generated tables of the documents, and whether records are out of date.
#include "speedwell/harness/report/report.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/build_info.hpp"
#include "speedwell/harness/markdown.hpp"
#include "speedwell/harness/record_reader.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {
namespace {

using Documents = std::vector<harness::records::Document>;

// Tables without records stay as they are.
void update(const std::string& file, const Documents& documents) {
  const std::string text = io::read_file(file, std::size_t{16} << 20);
  std::map<std::string, std::string> tables;
  for (const std::string& name : harness::marker_names(text))
    if (const std::string table = harness::table_of(documents, name); !table.empty()) tables[name] = table;
  const std::string next = harness::update_markers(text, tables);
  if (next != text) io::write_file(file, next);
}

// "stream: measured from other sources (digest … , this build has …)", one line per application.
std::set<std::string> outdated(const Documents& documents) {
  std::set<std::string> lines;
  for (const auto& d : documents)
    for (const auto& r : d.runs) {
      const std::string now = harness::source_digest(r.application);
      if (now.empty() || r.source_digest.empty() || r.source_digest == now) continue;
      lines.insert(fmt::format("{} on {}: measured from sources {}, this build has {}", r.application, r.device.name,
                               r.source_digest, now));
    }
  return lines;
}

}  // namespace

int report(const Arguments& arguments) {
  CLI::App app("One self-contained HTML file from records.", "speedwell report");
  RunOptions options;
  std::vector<std::string> files, documents_to_update;
  std::string out = "report.html", plots;
  bool check = false;
  app.add_option("RECORDS", files, "records: .json documents or .jsonl lines")->required();
  app.add_option("--out", out, "the file to write (report.html); - is standard output")->type_name("FILE");
  app.add_option("--plots", plots, "also save the script, data and SVG of every plot here")->type_name("DIR");
  app.add_option("--update", documents_to_update, "instead, replace the generated tables in this Markdown file")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--check", check, "instead, list records that are older than this build's sources (status 1 if any)");
  add_talk_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  if (out != "-" && std::find(files.begin(), files.end(), out) != files.end())
    throw UsageError("--out " + out + " is one of the records that are read", "");
  stop_at_once() = true;  // a file may be a pipe that nobody writes to
  const Documents documents = harness::records::read_documents(files);
  stop_at_once() = false;
  if (const int status = stop_status()) return status;
  if (check) {
    const auto lines = outdated(documents);
    for (const std::string& line : lines) std::cout << harness::printable(line) << "\n";
    if (lines.empty()) std::cout << "every record was measured from the sources of this build\n";
    return lines.empty() ? 0 : 1;
  }
  if (!documents_to_update.empty()) {
    for (const std::string& file : documents_to_update) update(file, documents);
    return 0;
  }
  harness::report::ReportOptions how;
  how.plots_folder = plots;
  const std::string page = harness::report::render_html(documents, how);
  if (out == "-") {
    std::cout << page;
  } else {
    io::write_file(out, page);
    std::cout << "report: " << harness::printable(out) << "\n";
  }
  return 0;
}

}  // namespace speedwell::cli
