// diff: two sets of records held against each other.
#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/nearest.hpp"
#include "speedwell/harness/diff.hpp"
#include "speedwell/harness/record_reader.hpp"

namespace speedwell::cli {

int diff(const Arguments& arguments) {
  CLI::App app("Compares two sets of records, with statistics: faster, slower, same or unclear.", "speedwell diff");
  RunOptions options;
  std::string base, next, fail_on, phase = "execute";
  app.add_option("BASE", base, "records (.json or .jsonl)")->required();
  app.add_option("NEW", next, "records to hold against them")->required();
  app.add_option("--phase", phase, "execute or end_to_end")->type_name("PHASE");
  app.add_option("--fail-on", fail_on, "slower[:PCT]: exit with 6 for a confirmed slowdown (of more than PCT percent)")->type_name("WHAT");
  app.add_option("--format", options.format, "text or json")->type_name("F");
  add_talk_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const Format format = format_of(options.format);
  if (format != Format::text && format != Format::json) throw UsageError("diff prints text or json", "");
  harness::diff::Options how;
  if (phase == "end_to_end") {
    how.phase = harness::diff::Phase::end_to_end;
  } else if (phase != "execute") {
    const std::vector<std::string> names = {"execute", "end_to_end"};
    throw UsageError(core::unknown_name("phase", phase, names), "");
  }
  std::optional<harness::diff::FailOn> condition;
  if (!fail_on.empty()) condition = harness::diff::FailOn::parse(fail_on);
  stop_at_once() = true;  // a file may be a pipe that nobody writes to; nothing is written but the result
  const auto before = harness::records::read_documents({base});  // in this order: the first mistake is named first
  const auto after = harness::records::read_documents({next});
  const auto result = harness::diff::compare(before, after, how);
  std::cout << (format == Format::json ? harness::diff::json(result, how) : harness::diff::text(result, how));
  return condition && harness::diff::fails(result, *condition) ? 6 : 0;
}

}  // namespace speedwell::cli
