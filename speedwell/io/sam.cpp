#include "speedwell/io/sam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "speedwell/io/escape.hpp"

namespace speedwell::io {
namespace {

constexpr std::int64_t max_position = (std::int64_t{1} << 31) - 1;

bool is_printable(char c) { return c >= '!' && c <= '~'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Test>
bool all_of(std::string_view text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

void require(bool condition, std::string_view field, std::string_view value) {
  if (!condition) throw std::invalid_argument(fmt::format("SAM {}: '{}' is not allowed", field, escape(value, 80)));
}
void require_range(std::int64_t value, std::int64_t min, std::int64_t max, std::string_view field) {
  if (value < min || value > max)
    throw std::invalid_argument(fmt::format("SAM {}: {} is not between {} and {}", field, value, min, max));
}

// A value in a line of the header: no tab, which would begin another field, and no other control code.
bool is_header_value(std::string_view text) {
  return all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

bool consumes_query(char operation) { return std::string_view("MIS=X").find(operation) != std::string_view::npos; }

void check_sequence(const SamRecord& r) {
  require(all_of(r.sequence, [](char c) { return is_letter(c) || c == '=' || c == '.'; }), "SEQ", r.sequence);
  require(all_of(r.qualities, is_printable), "QUAL", r.qualities);
  if (!r.qualities.empty() && r.qualities.size() != r.sequence.size())
    throw std::invalid_argument(
        fmt::format("SAM QUAL: {} qualities of {} residues", r.qualities.size(), r.sequence.size()));
  if (r.sequence.empty() || r.cigar.empty()) return;
  std::int64_t consumed = 0;
  for (const CigarRun& run : r.cigar) consumed += consumes_query(run.operation) ? run.length : 0;
  if (consumed != static_cast<std::int64_t>(r.sequence.size()))
    throw std::invalid_argument(fmt::format("SAM CIGAR: it has {} of {} residues", consumed, r.sequence.size()));
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && all_of(text, is_digit);
}
// [-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?
bool is_real(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  if (e != text.size() && !is_integer(text.substr(e + 1))) return false;
  std::string_view digits = text.substr(0, e);
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view fraction = point == digits.size() ? digits : digits.substr(point + 1);
  return all_of(digits.substr(0, point), is_digit) && !fraction.empty() && all_of(fraction, is_digit);
}
bool is_hex(std::string_view text) {
  return text.size() % 2 == 0 && all_of(text, [](char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); });
}
// "c,1,-2,3": the type of the numbers, and the numbers.
bool is_array(std::string_view text) {
  if (text.empty() || std::string_view("cCsSiIf").find(text[0]) == std::string_view::npos) return false;
  const bool real = text[0] == 'f';
  for (text.remove_prefix(1); !text.empty();) {
    if (text[0] != ',') return false;
    text.remove_prefix(1);
    const std::string_view number = text.substr(0, text.find(','));
    if (!(real ? is_real(number) : is_integer(number))) return false;
    text.remove_prefix(number.size());
  }
  return true;
}

bool is_tag_value(char type, std::string_view value) {
  switch (type) {
    case 'A':
      return value.size() == 1 && is_printable(value[0]);
    case 'i':
      return is_integer(value);
    case 'f':
      return is_real(value);
    case 'Z':
      return all_of(value, [](char c) { return c == ' ' || is_printable(c); });
    case 'H':
      return is_hex(value);
    case 'B':
      return is_array(value);
    default:
      return false;
  }
}

void append_tags(const std::vector<SamTag>& tags, std::string& line) {
  std::set<std::string_view> seen;
  for (const SamTag& tag : tags) {
    const std::string text = fmt::format("{}:{}:{}", tag.name, tag.type, tag.value);
    require(tag.name.size() == 2 && is_letter(tag.name[0]) && (is_letter(tag.name[1]) || is_digit(tag.name[1])) &&
                is_tag_value(tag.type, tag.value) && seen.insert(tag.name).second,
            "optional field", text);
    line += '\t' + text;
  }
}

std::string_view or_star(std::string_view text) { return text.empty() ? "*" : text; }

}  // namespace

bool is_sam_query_name(std::string_view name) {
  return !name.empty() && name.size() <= 254 && all_of(name, [](char c) { return is_printable(c) && c != '@'; });
}

bool is_sam_reference_name(std::string_view name) {
  return !name.empty() && name[0] != '*' && name[0] != '=' && all_of(name, [](char c) {
    return is_printable(c) && std::string_view("\\,\"`'()[]{}<>").find(c) == std::string_view::npos;
  });
}

std::string sam_header(std::span<const SamReference> references, const SamProgram& program) {
  std::string text = "@HD\tVN:1.6\tSO:unknown\n";
  std::set<std::string_view> seen;
  for (const SamReference& reference : references) {
    require(is_sam_reference_name(reference.name) && seen.insert(reference.name).second, "SN", reference.name);
    require_range(reference.length, 1, max_position, "LN");
    fmt::format_to(std::back_inserter(text), "@SQ\tSN:{}\tLN:{}\n", reference.name, reference.length);
  }
  require(!program.name.empty() && is_header_value(program.name), "ID", program.name);
  text += fmt::format("@PG\tID:{0}\tPN:{0}", program.name);
  for (const auto& [field, value] : {std::pair{"VN", &program.version}, std::pair{"CL", &program.command_line}}) {
    require(is_header_value(*value), field, *value);
    if (!value->empty()) fmt::format_to(std::back_inserter(text), "\t{}:{}", field, *value);
  }
  return text + '\n';
}

std::string cigar_text(std::span<const CigarRun> cigar) {
  std::string text;
  for (const auto& [operation, length] : cigar) {
    require(std::string_view("MIDNSHP=X").find(operation) != std::string_view::npos, "CIGAR", {&operation, 1});
    require_range(length, 1, max_position, "CIGAR");
    fmt::format_to(std::back_inserter(text), "{}{}", length, operation);
  }
  return text.empty() ? "*" : text;
}

std::string sam_line(const SamRecord& r) {
  require(is_sam_query_name(r.query_name), "QNAME", r.query_name);
  require_range(r.flag, 0, 0xffff, "FLAG");
  require(r.reference_name == "*" || is_sam_reference_name(r.reference_name), "RNAME", r.reference_name);
  require_range(r.position, 0, max_position, "POS");
  require_range(r.mapping_quality, 0, 255, "MAPQ");
  require(r.next_reference == "*" || r.next_reference == "=" || is_sam_reference_name(r.next_reference), "RNEXT",
          r.next_reference);
  require_range(r.next_position, 0, max_position, "PNEXT");
  require_range(r.template_length, -max_position, max_position, "TLEN");
  check_sequence(r);
  std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", r.query_name, r.flag, r.reference_name,
                                 r.position, r.mapping_quality, cigar_text(r.cigar), r.next_reference, r.next_position,
                                 r.template_length, or_star(r.sequence), or_star(r.qualities));
  append_tags(r.tags, line);
  return line + '\n';
}

std::string sam_md(std::span<const CigarRun> cigar, std::string_view reference) {
  std::string text;
  std::int64_t equal = 0;
  std::size_t at = 0;  // in the reference
  for (const auto& [operation, length] : cigar) {
    require(std::string_view("=XIDSHP").find(operation) != std::string_view::npos, "MD", {&operation, 1});
    require_range(length, 1, max_position, "CIGAR");
    if (std::string_view("=XD").find(operation) == std::string_view::npos) continue;
    const auto count = static_cast<std::size_t>(length);
    if (count > reference.size() - at)
      throw std::invalid_argument(
          fmt::format("SAM MD: the alignment is longer than the {} residues of the reference", reference.size()));
    const std::string_view residues = reference.substr(at, count);
    at += count;
    if (operation == '=') {
      equal += length;
      continue;
    }
    if (operation == 'D') text += std::to_string(std::exchange(equal, 0)) + '^' + std::string(residues);
    if (operation == 'X')
      for (const char residue : residues) text += std::to_string(std::exchange(equal, 0)) + residue;
  }
  return text + std::to_string(equal);
}

}  // namespace speedwell::io
