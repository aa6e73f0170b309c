// SAM, the text format of alignments to reference sequences: header and records as lines of text.
//   Sequence Alignment/Map Format Specification, version 1.6 (samtools/hts-specs: SAMv1.pdf, SAMtags.pdf).
// Positions count from 1. What the specification does not allow in a field is refused with std::invalid_argument, so
// that a line that was written can be read by other programs; names can be checked before with is_sam_query_name() and
// is_sam_reference_name().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::io {

/// A reference sequence, a line @SQ: section 1.3.
struct SamReference {
  std::string name;
  std::int64_t length = 0;  // residues, 1 to 2^31 - 1
};

/// The program that wrote the records, a line @PG. Without control codes: io::escape() writes them as text.
struct SamProgram {
  std::string name;          // ID and PN
  std::string version;       // VN, left out if empty
  std::string command_line;  // CL, left out if empty
};

/// @HD (version 1.6, order "unknown"), @SQ for every reference, @PG. Throws std::invalid_argument for a name that is no
/// reference name or that two references share, a length out of range, and control codes in the program's fields.
std::string sam_header(std::span<const SamReference> references, const SamProgram& program);

/// Bits of SamRecord::flag, section 1.4.2.
enum SamFlag : unsigned {
  sam_paired = 0x1,
  sam_proper_pair = 0x2,
  sam_unmapped = 0x4,
  sam_next_unmapped = 0x8,
  sam_reverse = 0x10,  // `sequence` is the reverse complement of what was read
  sam_next_reverse = 0x20,
  sam_first = 0x40,
  sam_last = 0x80,
  sam_secondary = 0x100,  // another record has the primary alignment
  sam_filtered = 0x200,
  sam_duplicate = 0x400,
  sam_supplementary = 0x800
};

/// `length` residues or gaps of one kind, one of "MIDNSHP=X": section 1.4.6.
struct CigarRun {
  char operation;
  std::int64_t length;
  friend bool operator==(const CigarRun&, const CigarRun&) = default;
};

/// An optional field, section 1.5: "AS:i:18" is {"AS", 'i', "18"}. Types: A, i, f, Z, H, B.
struct SamTag {
  std::string name;
  char type;
  std::string value;
};

/// A line: the eleven mandatory fields of section 1.4, in their order, and optional ones.
struct SamRecord {
  std::string query_name = "*";      // QNAME
  unsigned flag = 0;                 // FLAG
  std::string reference_name = "*";  // RNAME
  std::int64_t position = 0;         // POS of the first aligned reference residue; 0 where there is none
  int mapping_quality = 255;         // MAPQ; 255: not available
  std::vector<CigarRun> cigar{};     // CIGAR; empty: "*"
  std::string next_reference = "*";  // RNEXT
  std::int64_t next_position = 0;    // PNEXT
  std::int64_t template_length = 0;  // TLEN
  std::string sequence{};            // SEQ; empty: "*"
  std::string qualities{};           // QUAL, Phred + 33; empty: "*"
  std::vector<SamTag> tags{};
};

/// The record with a line feed. Throws std::invalid_argument naming the field: characters or a range that the
/// specification does not have, a CIGAR that does not consume all of the sequence, qualities of another length than the
/// sequence, the same tag twice.
std::string sam_line(const SamRecord& record);

/// [!-?A-~]{1,254}.
bool is_sam_query_name(std::string_view name);
/// Section 1.2.1: printable characters but for \ , " ` ' ( ) [ ] { } < >, not beginning with * or =.
bool is_sam_reference_name(std::string_view name);

/// "3S10=2D5=": runs as a CIGAR string; "*" if there are none. Throws std::invalid_argument for another operation and
/// for a length below 1.
std::string cigar_text(std::span<const CigarRun> cigar);

/// The value of the tag MD (SAMtags, section 1.1): runs of equal residues, the reference's residues where the query has
/// others, and '^' with those that the query lacks. `cigar` has '=', 'X', 'I', 'D', 'S', 'H' and 'P' only (not M, which
/// does not say what is equal), and `reference` the residues from the record's position on. Throws
/// std::invalid_argument for other operations, and for a reference that is shorter than the alignment.
std::string sam_md(std::span<const CigarRun> cigar, std::string_view reference);

}  // namespace speedwell::io
