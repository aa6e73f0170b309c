// The options of `speedwell align`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::cli {
namespace {

// "one, another or a third".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : &name == &names.back() ? " or " : ", ") + name;
  return text;
}

// Makes a value of the text of `option`, whose name goes in front of what is wrong with it.
template <class Parse>
auto parsed(const std::string& option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()), "speedwell align --help");
  }
}

int whole(const std::string& text, int least, int most) {
  const bool negative = text.starts_with('-');
  const std::int64_t magnitude = core::parse_count(negative ? text.substr(1) : text);
  if (magnitude > std::numeric_limits<int>::max() || (negative ? -magnitude : magnitude) < least ||
      (negative ? -magnitude : magnitude) > most)
    throw std::invalid_argument(fmt::format("{} is not between {} and {}", text, least, most));
  return static_cast<int>(negative ? -magnitude : magnitude);
}

void add_whole(CLI::App& app, const std::string& name, std::optional<int>& value, int least, int most,
               const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&value, name, least, most](const std::string& text) {
           value = parsed(name, text, [&](const std::string& t) { return whole(t, least, most); });
         },
         help)
      ->type_name("N");
}

// The choices stand at the end of the help, where completion finds them: "what it is (the default): one, another or a
// third".
template <class Value, class Target>
void add_choice(CLI::App& app, const std::string& name, const std::string& type,
                std::vector<std::pair<std::string, Value>> choices, Target& target, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  app.add_option_function<std::string>(
         name,
         [&target, name, names, choices](const std::string& text) {
           const auto found = std::find(names.begin(), names.end(), text);
           if (found == names.end())
             throw UsageError(core::unknown_name(name + " value", text, names), "speedwell align --help");
           target = choices[static_cast<std::size_t>(found - names.begin())].second;
         },
         help + ": " + listed(names))
      ->type_name(type);
}

const CLI::Validator not_empty(
    [](const std::string& text) { return std::string(text.empty() ? "its value is empty" : ""); }, "");

double percentage(const std::string& text) {
  const double value = core::parse_real(text);
  if (!(value >= 0 && value <= 100)) throw std::invalid_argument(text + " is not between 0 and 100");
  return value;
}

void add_outfmt(CLI::App& app, AlignOptions& o) {
  app.add_option_function<std::string>(
         "--outfmt",
         [&o](const std::string& text) {
           o.outfmt = parsed("--outfmt", text, search::parse_outfmt);
           o.output.format = o.outfmt->format;
           if (!o.outfmt->columns.empty()) o.output.columns = o.outfmt->columns;
         },
         "BLAST's word for --out-format and --columns, as in --outfmt \"6 qseqid sseqid score\": 0, 6, 7 or 17")
      ->type_name("N|\"N NAME ...\"");
}

void add_scoring(CLI::App& app, AlignOptions& o) {
  app.add_option("--matrix", o.request.scoring.matrix,
                 "substitution matrix (BLOSUM62 for protein): a file in NCBI's format, or a published one: " +
                     listed(search::matrix_names()))
      ->check(not_empty)
      ->type_name("NAME|FILE");
  add_whole(app, "--match", o.request.scoring.match, 1, 127, "DNA: match score (2)");
  add_whole(app, "--mismatch", o.request.scoring.mismatch, -128, 0, "DNA: mismatch score, also of N with N (-3)");
  add_whole(app, "--gap-open", o.request.scoring.gap_open, 0, 1 << 20,
            "gap open penalty (11 with BLOSUM62, 5 for DNA)");
  add_whole(app, "--gap-extend", o.request.scoring.gap_extend, 0, 1 << 20,
            "gap extension penalty, for every residue of a gap (1 with BLOSUM62, 2 for DNA)");
  add_choice<bool>(app, "--gap-convention", "WORD", {{"open", false}, {"first", true}}, o.request.scoring.gap_first,
                   "a gap of k residues costs open + k extend, or, with 'first', open + (k - 1) extend as in parasail "
                   "and EMBOSS (open)");
  using Alphabet = std::optional<search::Alphabet>;
  add_choice<Alphabet>(app, "--alphabet", "WORD",
                       {{"auto", std::nullopt}, {"protein", search::Alphabet::protein}, {"dna", search::Alphabet::dna}},
                       o.request.scoring.alphabet,
                       "of both files; auto looks at the scoring, then at the beginning of QUERY, and refuses "
                       "a file that looks like the other one (auto)");
  using search::Strands;
  add_choice<Strands>(app, "--strand", "WORD",
                      {{"both", Strands::both}, {"plus", Strands::plus}, {"minus", Strands::minus}}, o.request.strands,
                      "DNA, strands of the query to search with (both)");
}

void add_statistics(CLI::App& app, AlignOptions& o) {
  using search::EvalueMethod;
  add_choice<EvalueMethod>(
      app, "--evalue-method", "WORD",
      {{"fsc", EvalueMethod::finite_size}, {"ka", EvalueMethod::karlin_altschul}, {"none", EvalueMethod::none}},
      o.request.scoring.evalue_method,
      "finite-size correction (default for protein), Karlin-Altschul with length adjustment (default for DNA), no "
      "E-values");
  using search::Masking;
  add_choice<Masking>(
      app, "--mask", "WORD", {{"none", Masking::none}, {"seg", Masking::seg}, {"dust", Masking::dust}},
      o.request.masking,
      "regions of low complexity in queries do not make a hit, SEG for protein and DUST for DNA: a hit must pass "
      "--evalue and --min-score without them, and is then aligned and scored with them (none)");
  app.add_option_function<std::string>(
         "--comp-based-stats",
         [](const std::string& text) {
           if (text != "0")
             throw UsageError(fmt::format("--comp-based-stats {}: scores are not adjusted to the composition of "
                                          "sequences here",
                                          text),
                              "--comp-based-stats 0 is what is done; --mask seg drops hits of low complexity");
         },
         "0, which is what is done: scores and E-values are those of blastp -comp_based_stats 0, where blastp adjusts "
         "scores to compositions by default")
      ->type_name("0");
}

void add_selection(CLI::App& app, AlignOptions& o) {
  app.add_option_function<std::string>(
         "--top",
         [&o](const std::string& text) {
           o.request.require_max_hits = text != "all";
           o.request.max_hits = text == "all" ? std::numeric_limits<std::size_t>::max()
                                              : static_cast<std::size_t>(parsed("--top", text, core::parse_count));
         },
         "at most so many hits a query, not more than DATABASE has sequences; all; 0 reads and checks the files and "
         "reports nothing (500, or all)")
      ->type_name("K");
  app.add_option_function<std::string>(
         "--max-target-seqs",
         [&o](const std::string& text) {
           o.request.max_hits = static_cast<std::size_t>(parsed("--max-target-seqs", text, core::parse_count));
           if (o.request.max_hits == 0)
             throw UsageError("--max-target-seqs: 0 is not at least 1", "speedwell align --help");
         },
         "BLAST's word for --top, also above the number of sequences in DATABASE: the best N of all")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--evalue",
         [&o](const std::string& text) {
           o.request.scoring.max_evalue = parsed("--evalue", text, core::parse_real);
           if (*o.request.scoring.max_evalue < 0)
             throw UsageError("--evalue: an E-value is not negative", "speedwell align --help");
         },
         "hits of at most this E-value (10, where the scoring has published statistics)")
      ->type_name("E");
  app.add_option_function<std::string>(
         "--min-score",
         [&o](const std::string& text) { o.request.min_score = parsed("--min-score", text, core::parse_count); },
         "hits of at least this score (1)")
      ->type_name("S");
  app.add_option_function<std::string>(
         "--query-cover",
         [&o](const std::string& text) { o.request.min_query_coverage = parsed("--query-cover", text, percentage); },
         "hits whose alignment covers at least so many percent of the query, 100 (qend - qstart + 1) / qlen (0)")
      ->type_name("P");
}

void add_output(CLI::App& app, AlignOptions& o) {
  using search::Format;
  add_choice<Format>(
      app, "--out-format", "WORD",
      {{"tab", Format::tab}, {"tab-comments", Format::comments}, {"sam", Format::sam}, {"pairwise", Format::pairwise}},
      o.output.format,
      "BLAST tabular (outfmt 6), the same with comment lines (outfmt 7), SAM, or BLAST "
      "pairwise (tab)");
  add_outfmt(app, o);
  app.add_option_function<std::string>(
         "--columns",
         [&o](const std::string& text) {
           parsed("--columns", text, io::blast_columns);
           o.output.columns = text;
         },
         "of the tabular formats, with commas or blanks between; std are BLAST's twelve (std): " +
             listed(io::blast_column_names()))
      ->type_name("NAME,...");
  app.add_flag("--sam-md", o.output.sam_md, "SAM: with the MD tag");
  app.add_option("--out", o.output.path, "write the result to this file, once it is complete (-: standard output)")
      ->check(not_empty)
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--db-block",
         [&o](const std::string& text) {
           o.request.block_residues = static_cast<std::size_t>(parsed("--db-block", text, core::parse_count));
           if (o.request.block_residues == 0)
             throw UsageError("--db-block: 0 is not at least 1", "speedwell align --help");
         },
         "at most so many residues of DATABASE in memory; a larger file is read again in blocks, once for every 512 "
         "queries, with the same result (a quarter of the free memory)")
      ->type_name("N");
  app.add_flag("--strict", o.request.strict, "warnings about sequences are errors");
}

// Puts together what was typed as operands and as options, once all of the line is known.
void finish(const CLI::App& app, AlignOptions& o) {
  const auto typed = [&](const char* name) { return app.get_option(name)->count() > 0; };
  std::size_t next = 0;
  for (const auto& [file, name] :
       {std::pair{&o.request.queries, "QUERY"}, std::pair{&o.request.database, "DATABASE"}}) {
    if (!file->empty()) continue;
    if (next == o.operands.size()) throw UsageError(fmt::format("{} is required", name), "speedwell align --help");
    *file = o.operands[next++];
  }
  if (next < o.operands.size())
    throw UsageError(fmt::format("'{}' is one word too many for align", o.operands[next]), "speedwell align --help");
  if (o.outfmt && typed("--out-format"))
    throw UsageError("--outfmt and --out-format both name the format", "one of them is enough");
  if (o.outfmt && !o.outfmt->columns.empty() && typed("--columns"))
    throw UsageError("--outfmt and --columns both name the columns", "one of them is enough");
  if (typed("--top") && typed("--max-target-seqs"))
    throw UsageError("--top and --max-target-seqs both say how many hits", "one of them is enough");
}

}  // namespace

AlignOptions::AlignOptions() {
  request.names = {.matrix = "--matrix",
                   .match = "--match",
                   .mismatch = "--mismatch",
                   .gap_open = "--gap-open",
                   .gap_extend = "--gap-extend",
                   .gap_convention = "--gap-convention",
                   .alphabet = "--alphabet",
                   .strands = "--strand",
                   .masking = "--mask",
                   .evalue_method = "--evalue-method",
                   .max_evalue = "--evalue",
                   .finite_size = "fsc",
                   .karlin_altschul = "ka",
                   .min_score = "--min-score",
                   .max_hits = "--top",
                   .format = "--out-format",
                   .output = "--out"};
  request.threads = 1;
}

void add_align_options(CLI::App& app, AlignOptions& o) {
  const auto add_operand = [&](const char* name, const char* help) {
    app.add_option_function<std::string>(
           name, [&o](const std::string& text) { o.operands.push_back(text); }, help)
        ->check(not_empty);
  };
  add_operand("QUERY", "the sequences to search with: FASTA or FASTQ, plain or gzip; - is standard input");
  add_operand("DATABASE", "the sequences to search in, likewise");
  app.add_option("--query", o.request.queries, "QUERY, as an option")->check(not_empty)->type_name("FILE");
  app.add_option("--db,--subject", o.request.database, "DATABASE, as an option; no database of makeblastdb")
      ->check(not_empty)
      ->type_name("FILE");
  add_scoring(app, o);
  add_selection(app, o);
  add_statistics(app, o);
  add_output(app, o);
  app.parse_complete_callback([&app, &o] { finish(app, o); });
}

}  // namespace speedwell::cli
