#include "speedwell/cli/align_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "speedwell/apps/alignment/database_search/pairwise.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

using database_search::Hit;
using database_search::SearchedFiles;
using Format = AlignOptions::Format;

// --- tables and SAM

std::string tab_lines(const OutputFormat& format, const SearchedFiles& files, std::size_t query,
                      std::span<const Hit> hits) {
  std::string lines;
  for (const Hit& hit : hits)
    lines += io::blast_line(database_search::blast_hit(files, query, hit, format.columns), format.columns);
  return lines;
}

std::string comment_lines(const OutputFormat& format, const SearchedFiles& files, std::size_t query, std::size_t hits) {
  return io::blast_comment_lines({.program = "speedwell align " + format.version,
                                  .query = database_search::title(files.queries.set, query),
                                  .database = files.database.file},
                                 format.columns, hits);
}

std::string sam_lines(const OutputFormat& format, const SearchedFiles& files, std::size_t query,
                      std::span<const Hit> hits) {
  std::string lines;
  for (const io::SamRecord& record : database_search::sam_records(files, query, hits, format.sam_md))
    lines += io::sam_line(record);
  return lines;
}

}  // namespace

bool OutputFormat::is_tabular() const { return format == Format::tab || format == Format::comments; }

bool OutputFormat::needs_alignments() const { return !is_tabular() || io::needs_alignment(columns); }

std::string head_text(const OutputFormat& format, const database_search::SequenceFile& database) {
  if (format.format != Format::sam) return {};
  return io::sam_header(database_search::sam_references(database),
                        {"speedwell", format.version, io::escape(format.command_line)});
}

std::string query_text(const OutputFormat& format, const SearchedFiles& files, std::size_t query,
                       std::span<const Hit> hits) {
  switch (format.format) {
    case Format::sam:
      return sam_lines(format, files, query, hits);
    case Format::pairwise:
      return database_search::pairwise_text(files, query, hits);
    case Format::comments:
      return comment_lines(format, files, query, hits.size()) + tab_lines(format, files, query, hits);
    case Format::tab:
      break;
  }
  return tab_lines(format, files, query, hits);
}

std::string tail_text(const OutputFormat& format, std::size_t queries) {
  return format.format == Format::comments ? io::blast_last_comment_line("speedwell align", queries) : "";
}

void check_sam_names(const database_search::SequenceFile& queries, const database_search::SequenceFile& database) {
  const auto refuse = [](const database_search::SequenceFile& file, std::size_t i, const char* id,
                         const std::string& why) {
    throw io::InputError(id, file.file, file.lines[i], 2, fmt::format("'{}' {}", file.set.name(i), why),
                         "--out-format tab takes any name");
  };
  for (std::size_t i = 0; i < queries.set.size(); ++i)
    if (!io::is_sam_query_name(queries.set.name(i)))
      refuse(queries, i, "input.sequence.name", "cannot be a query name in SAM");
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < database.set.size(); ++i) {
    const std::string& name = database.set.name(i);
    if (!io::is_sam_reference_name(name))
      refuse(database, i, "input.sequence.name", "cannot be a reference name in SAM");
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new)
      refuse(database, i, "input.sequence.duplicate",
             fmt::format("names the sequence of line {} as well, and SAM needs different names",
                         database.lines[first->second]));
  }
}

}  // namespace speedwell::cli
