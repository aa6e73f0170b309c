#include "speedwell/search/other_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::search {
namespace {

constexpr std::array programs = {"BLAST+", "DIAMOND", "ssearch36", "swipe", "parasail_aligner", "CUDASW++4"};

struct Row {
  std::string_view here;
  std::array<std::string_view, programs.size()> there;  // of each program; empty where it has none
};
constexpr Row rows[] = {
    {"--query QUERY --db DATABASE",
     {"-query QUERY -subject DATABASE", "--query QUERY --db DATABASE", "", "-i QUERY -d DATABASE",
      "-q QUERY -f DATABASE", "--query QUERY --db DATABASE"}},
    {"--matrix BLOSUM62",
     {"-matrix BLOSUM62", "--matrix BLOSUM62", "-s BL62", "-M BLOSUM62", "-m blosum62", "--mat blosum62"}},
    {"--gap-open 11 --gap-extend 1",
     {"-gapopen 11 -gapextend 1", "--gapopen 11 --gapextend 1", "-f -11 -g -1", "-G 11 -E 1", "-o 12 -e 1",
      "--gop -12 --gex -1"}},
    {"--match 2 --mismatch -3", {"-reward 2 -penalty -3", "", "-r +2/-3", "-r 2 -q -3", "-M 2 -X 3", ""}},
    {"--max-target-seqs 10", {"-max_target_seqs 10", "--max-target-seqs 10", "-b 10", "-v 10 -b 10", "", "--top 10"}},
    {"--evalue 1e-3", {"-evalue 1e-3", "--evalue 1e-3", "-E 1e-3", "-e 1e-3", "", ""}},
    {"--query-cover 80", {"-qcov_hsp_perc 80", "--query-cover 80", "", "", "", ""}},
    {"--strand plus", {"-strand plus", "--strand plus", "-3", "-S 1", "", ""}},
    {"--mask seg", {"-seg yes", "--masking seg", "", "", "", ""}},
    {"--mask dust", {"-dust yes", "", "", "", "", ""}},
    {"--comp-based-stats 0", {"-comp_based_stats 0", "--comp-based-stats 0", "", "", "", ""}},
    {"--outfmt 0", {"-outfmt 0", "--outfmt 0", "-m 0", "-m 0", "-O EMBOSS", ""}},
    {"--outfmt 6", {"-outfmt 6", "--outfmt 6", "-m 8", "-m 8", "", ""}},
    {"--outfmt 7", {"-outfmt 7", "", "-m 8C", "-m 9", "", ""}},
    {"--outfmt 17", {"-outfmt 17", "--outfmt 101", "", "", "-O SAM", ""}},
    {"--outfmt \"6 qseqid score\"", {"-outfmt \"6 qseqid score\"", "--outfmt 6 qseqid score", "", "", "", ""}},
    {"--out FILE", {"-out FILE", "--out FILE", "-O FILE", "-o FILE", "-g FILE", ""}},
    {"--db-block 2e9", {"", "--block-size 2", "", "", "", ""}},
    {"--threads 8", {"-num_threads 8", "--threads 8", "-T 8", "-a 8", "-t 8", ""}},
};

// Options of other programs without a counterpart, with blanks between, and why.
struct Missing {
  std::string_view words, why;
};
constexpr Missing missing[] = {
    {"-task -word_size -threshold -window_size -xdrop_ungap -xdrop_gap -xdrop_gap_final -ungapped -use_sw_tback "
     "-culling_limit -best_hit_overhang -best_hit_score_edge -soft_masking --fast --mid-sensitive --sensitive "
     "--more-sensitive --very-sensitive --ultra-sensitive --faster --algo --index-chunks --xdrop --band",
     "there are no seeds and no heuristics to choose here: every pair is computed in full"},
    {"-perc_identity --id --subject-cover --min-orf --approx-id",
     "the tabular columns pident, length and slen say it: filter the lines, with awk for example"},
    {"-max_hsps --max-hsps --range-culling --top-percent -num_alignments -num_descriptions",
     "one alignment is reported for each pair; --max-target-seqs N says of how many subjects"},
    {"-lcase_masking --masking --motif-masking --soft-masking",
     "--mask seg (proteins) or --mask dust (DNA) masks queries; lower case counts as upper case"},
    {"-taxids -negative_taxids -taxidlist -gilist -seqidlist --taxonlist --taxon-exclude --taxonmap --taxonnodes",
     "files of sequences have no taxonomy and no list of identifiers"},
    {"-remote -entrez_query -in_pssm -num_iterations -db_soft_mask -db_hard_mask -dbsize -searchsp --dbsize",
     "DATABASE is a file of sequences, and E-values are of that file"},
    {"-query_gencode -db_gencode --query-gencode --frameshift -frame_shift_penalty",
     "nothing is translated here: proteins with proteins, DNA with DNA"},
    {"-html -parse_deflines -show_gis -line_length -sorthits -sorthsps --header --salltitles --sallseqid --unal",
     "--outfmt and --columns say what is written"},
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (text.find_first_not_of(' ') != std::string_view::npos) {
    text.remove_prefix(text.find_first_not_of(' '));
    words.emplace_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
  return words;
}

// "-s" and "--mat", but not "-11" or "-" alone.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1])) && word[1] != '.';
}

// Whether a program's options in `text` have `word`, followed by `value` unless that is empty.
bool has_option(std::string_view text, const std::string& word, const std::string& value = {}) {
  const auto words = split(text);
  const auto found = std::find(words.begin(), words.end(), word);
  return found != words.end() && (value.empty() || (found + 1 != words.end() && found[1] == value));
}

// "here it is --evalue 1e-3 (BLAST+, DIAMOND)": the rows in which a program has this option. Several rows of one option
// are named by that option alone.
std::string translation(const std::string& word, const std::string& value) {
  struct Found {
    std::string option, text, who;
  };
  std::vector<Found> all;
  for (const Row& row : rows) {
    Found found{split(row.here).front(), std::string(row.here), ""};
    for (std::size_t p = 0; p < programs.size(); ++p)
      if (has_option(row.there[p], word, value))
        found.who += (found.who.empty() ? "" : ", ") + std::string(programs[p]);
    if (found.who.empty()) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Found& f) { return f.option == found.option; });
    if (same == all.end())
      all.push_back(found);
    else
      same->text = same->option;
  }
  std::string hint;
  for (const Found& found : all)
    hint += fmt::format("{}{} ({})", hint.empty() ? "here it is " : "; ", found.text, found.who);
  return hint;
}

// A hint if `word` is one of `options` with one dash or with underscores; otherwise empty.
std::string other_spelling(const std::string& word, std::span<const std::string> options) {
  std::string spelled = "--" + word.substr(word.find_first_not_of('-'));
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  return std::find(options.begin(), options.end(), spelled) == options.end() ? "" : "here it is " + spelled;
}

std::string hint_for(const std::string& word, const std::string& value, std::span<const std::string> options) {
  for (const std::string& followed_by : {value, std::string()})  // "-m 8", and if there is no such row "-m"
    if (const std::string hint = translation(word, followed_by); !hint.empty()) return hint;
  for (const auto& [words, why] : missing)
    if (has_option(words, word)) return std::string(why);
  return word.size() > 2 ? other_spelling(word, options) : "";
}

// DIAMOND's "--outfmt 6 qseqid sseqid", where the shell makes words of their own of the columns; `outfmt` is the index
// of the option.
std::optional<ForeignOption> find_loose_columns(std::span<const std::string> words, std::size_t outfmt) {
  const auto names = io::blast_column_names();
  const auto is_column = [&](std::size_t i) {
    return i < words.size() && std::find(names.begin(), names.end(), words[i]) != names.end();
  };
  if (!is_column(outfmt + 2)) return std::nullopt;
  std::string list = words[outfmt + 1];
  for (std::size_t i = outfmt + 2; is_column(i); ++i) list += " " + words[i];
  return ForeignOption{"--outfmt: the columns are in one word with the number", fmt::format("--outfmt \"{}\"", list)};
}

}  // namespace

std::string option_table() {
  std::string text = "| here |", line = "| --- |";
  for (const char* program : programs) {
    text += fmt::format(" {} |", program);
    line += " --- |";
  }
  text += "\n" + line + "\n";
  for (const Row& row : rows) {
    text += fmt::format("| `{}` |", row.here);
    for (const std::string_view there : row.there) text += there.empty() ? " |" : fmt::format(" `{}` |", there);
    text += "\n";
  }
  return text;
}

std::optional<ForeignOption> find_foreign_option(std::span<const std::string> words,
                                                 std::span<const std::string> options) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string word = words[i].substr(0, words[i].find('='));
    if (word == "--outfmt" && word == words[i])
      if (auto columns = find_loose_columns(words, i)) return columns;
    if (!is_option(word) || std::find(options.begin(), options.end(), word) != options.end()) continue;
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (const std::string hint = hint_for(word, value, options); !hint.empty())
      return ForeignOption{fmt::format("unknown option '{}'", word), hint};
  }
  return std::nullopt;
}

}  // namespace speedwell::search
