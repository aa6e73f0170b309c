#include "speedwell/apps/ssca1/codons.hpp"

#include <cctype>
#include <stdexcept>

namespace speedwell::ssca1 {
namespace {

constexpr std::string_view bases = "agct";

struct Acid {
  char symbol;
  std::string_view codons;
};
// The order of an acid's codons is that of the benchmark, not that of the codes.
constexpr Acid acids[] = {
    {'A', "gct gcc gca gcg"},
    {'C', "tgt tgc"},
    {'D', "gat gac"},
    {'E', "gaa gag"},
    {'F', "ttt ttc"},
    {'G', "ggt ggc gga ggg"},
    {'H', "cat cac"},
    {'I', "att atc ata"},
    {'K', "aaa aag"},
    {'L', "ttg tta ctt ctc cta ctg"},
    {'M', "atg"},
    {'N', "aat aac"},
    {'P', "cct ccc cca ccg"},
    {'Q', "caa cag"},
    {'R', "cgt cgc cga cgg aga agg"},
    {'S', "tct tcc tca tcg agt agc"},
    {'T', "act acc aca acg"},
    {'V', "gtt gtc gta gtg"},
    {'W', "tgg"},
    {'Y', "tat tac"},
    {'*', "taa tag tga"},
};

struct Tables {
  std::array<char, codon_count> acid{};
  std::array<std::vector<std::uint8_t>, 128> codons;

  Tables() {
    for (const Acid& a : acids) {
      std::vector<std::uint8_t>& list = codons[static_cast<std::size_t>(a.symbol)];
      list = parse_codons(a.codons);
      for (const std::uint8_t code : list) acid[code] = a.symbol;
    }
  }
};
const Tables& tables() {
  static const Tables made;
  return made;
}

std::vector<std::uint8_t> write(std::string_view string, bool last) {
  std::vector<std::uint8_t> codes;
  for (const char acid : string) codes.push_back(last ? codons_of(acid).back() : codons_of(acid).front());
  return codes;
}

constexpr ValidationString strings[6] = {
    {"ACDEFG*SIMILARTESTS*HIKLMN", "MNLKIH*SIMILARTESTS*GFEDCA", false, 57, 7, 20, 7, 20, true},
    {"ACDEFG*PARTIALCASES*HIKLMN", "MNLKIH*PARTIALCASES*GFEDCA", false, 56, 7, 20, 7, 20, true},
    {"ACDEFG*IDENTICAL*HIKLMN", "MNLKIH*IDENTICAL*GFEDCA", true, 55, 7, 17, 7, 17, false},
    {"ACDEFG*MISQRMATCHES*HIKLMN", "MNLKIH*MISRQMATCHES*GFEDCA", true, 54, 7, 20, 7, 20, false},
    {"ACDEFG*STARTGAPMIDSTEND*HIKLMN", "MNLKIH*STARTMIDSTGAPEND*GFEDCA", true, 53, 7, 24, 7, 24, false},
    {"ACDEFG*EVENLESSWKDPALIGNS*HIKLMN", "MNLKIH*EVENLESSTVMFALIGNS*GFEDCA", false, 52, 7, 26, 7, 26, true},
};

}  // namespace

int codon_code(std::string_view codon) {
  if (codon.size() != 3) return -1;
  int code = 0;
  for (const char c : codon) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t base = bases.find(lower == 'u' ? 't' : lower);
    if (base == std::string_view::npos) return -1;
    code = 4 * code + static_cast<int>(base);
  }
  return code;
}

std::string codon_bases(int code) {
  std::string codon;
  for (const int base : {code >> 4 & 3, code >> 2 & 3, code & 3}) codon += bases[static_cast<std::size_t>(base)];
  return codon;
}

char acid_of(int code) { return tables().acid[static_cast<std::size_t>(code)]; }

std::span<const std::uint8_t> codons_of(char acid) {
  const auto index = static_cast<unsigned char>(acid);
  if (index >= 128 || tables().codons[index].empty())
    throw std::invalid_argument(std::string("'") + acid + "' is no amino acid and no stop");
  return tables().codons[index];
}

std::vector<std::uint8_t> parse_codons(std::string_view text) {
  std::string packed;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) packed += c;
  std::vector<std::uint8_t> codes;
  for (std::size_t k = 0; k < packed.size(); k += 3) {
    const std::string three = packed.substr(k, 3);
    const int code = codon_code(three);
    if (code < 0) throw std::invalid_argument("'" + three + "' is no codon");
    codes.push_back(static_cast<std::uint8_t>(code));
  }
  return codes;
}

std::span<const ValidationString, 6> validation_strings() { return strings; }

std::vector<std::uint8_t> main_codons(const ValidationString& string) { return write(string.main, true); }
std::vector<std::uint8_t> match_codons(const ValidationString& string) {
  return write(string.match, string.last_codons);
}

}  // namespace speedwell::ssca1
