// The options of `speedwell align`.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/align_formats.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/core/nearest.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::cli {
namespace {

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

template <class Value, class Target>
void add_choice(CLI::App& app, const std::string& name, std::vector<std::pair<std::string, Value>> choices,
                Target& target, const std::string& help) {
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : "|") + choice.first;
  app.add_option_function<std::string>(
         name,
         [&target, name, choices](const std::string& text) {
           std::vector<std::string> names;
           for (const auto& [word, value] : choices) {
             if (word == text) {
               target = value;
               return;
             }
             names.push_back(word);
           }
           throw UsageError(core::unknown_name(name + " value", text, names), "speedwell align --help");
         },
         help)
      ->type_name(words);
}

const CLI::Validator not_empty([](const std::string& text) { return std::string(text.empty() ? "empty" : ""); }, "");

}  // namespace

void add_align_options(CLI::App& app, AlignOptions& o) {
  using Options = AlignOptions;
  app.add_option("QUERY", o.query, "the sequences to search with: FASTA or FASTQ, plain or gzip; - is standard input")
      ->check(not_empty)
      ->required();
  app.add_option("DATABASE", o.database, "the sequences to search in, likewise")->check(not_empty)->required();
  app.add_option(
         "--matrix", o.matrix,
         "BLOSUM45 50 62 80 90, PAM30 70 250, BLOSUM62-classic, BLOSUM80-3, NUC.4.4, or a file in NCBI's format "
         "(BLOSUM62 for protein)")
      ->check(not_empty)
      ->type_name("NAME|FILE");
  add_whole(app, "--match", o.match, 1, 127, "DNA: score of equal letters (2)");
  add_whole(app, "--mismatch", o.mismatch, -128, 0, "DNA: score of unequal letters, also of N with N (-3)");
  add_whole(app, "--gap-open", o.gap_open, 0, 1 << 20, "opening a gap costs this (11 with BLOSUM62, 5 for DNA)");
  add_whole(app, "--gap-extend", o.gap_extend, 0, 1 << 20, "and every letter of it this (1 with BLOSUM62, 2 for DNA)");
  add_choice<bool>(
      app, "--gap-convention", {{"open", false}, {"first", true}}, o.gap_first,
      "a gap of k letters costs open + k extend, or open + (k - 1) extend as in parasail and EMBOSS (open)");
  add_choice<Options::Alphabet>(app, "--alphabet",
                                {{"auto", Options::Alphabet::automatic},
                                 {"protein", Options::Alphabet::protein},
                                 {"dna", Options::Alphabet::dna}},
                                o.alphabet, "auto looks at the scoring, then at the beginning of QUERY");
  add_choice<Options::Strand>(
      app, "--strand",
      {{"both", Options::Strand::both}, {"plus", Options::Strand::plus}, {"minus", Options::Strand::minus}}, o.strand,
      "DNA: strands of the query to search with (both)");
  app.add_option_function<std::string>(
         "--top",
         [&o](const std::string& text) {
           o.top_named = text != "all";
           o.top = text == "all" ? std::numeric_limits<std::size_t>::max()
                                 : static_cast<std::size_t>(parsed("--top", text, core::parse_count));
         },
         "at most so many hits a query, not more than DATABASE has sequences; all; 0 reads and checks the files and "
         "reports "
         "nothing (500, or all)")
      ->type_name("K");
  app.add_option_function<std::string>(
         "--evalue",
         [&o](const std::string& text) {
           o.evalue = parsed("--evalue", text, core::parse_real);
           if (*o.evalue < 0) throw UsageError("--evalue: an E-value is not negative", "speedwell align --help");
         },
         "hits of at most this E-value (10, where the scoring has published statistics)")
      ->type_name("E");
  app.add_option_function<std::string>(
         "--min-score", [&o](const std::string& text) { o.min_score = parsed("--min-score", text, core::parse_count); },
         "hits of at least this score (1)")
      ->type_name("S");
  add_choice<Options::EvalueMethod>(
      app, "--evalue-method",
      {{"fsc", Options::EvalueMethod::fsc}, {"ka", Options::EvalueMethod::ka}, {"none", Options::EvalueMethod::none}},
      o.evalue_method, "finite-size correction (protein) or Karlin-Altschul with length adjustment (DNA)");
  add_choice<Options::Format>(
      app, "--out-format",
      {{"tab", Options::Format::tab}, {"sam", Options::Format::sam}, {"pairwise", Options::Format::pairwise}}, o.format,
      "BLAST tabular with 12 columns, SAM, or text to read (tab)");
  app.add_option_function<std::string>(
         "--columns",
         [&o](const std::string& text) {
           parsed("--columns", text, tab_columns);
           o.columns = text;
         },
         "of the tabular format: std (the 12), or BLAST's names of these and score qlen slen nident positive gaps "
         "cigar")
      ->type_name("NAME,...");
  app.add_option("--out", o.out, "write the result to this file, once it is complete")
      ->check(not_empty)
      ->type_name("FILE");
  app.add_flag("--strict", o.strict, "warnings about sequences are errors");
}

}  // namespace speedwell::cli
