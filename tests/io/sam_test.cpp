// SAM lines written by hand from the specification: its example in section 1.1, and what each field refuses.
#include "speedwell/io/sam.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace speedwell::io {
namespace {

// The alignment of section 1.1 of SAMv1.pdf.
TEST(Sam, WritesTheExampleOfTheSpecification) {
  const std::vector<SamReference> references = {{"ref", 45}};
  EXPECT_EQ(sam_header(references, {"aligner", "1.0", "aligner ref reads"}),
            "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:ref\tLN:45\n@PG\tID:aligner\tPN:aligner\tVN:1.0\tCL:aligner ref reads\n");
  EXPECT_EQ(sam_line({.query_name = "r001",
                      .flag = sam_paired | sam_proper_pair | sam_next_reverse | sam_first,
                      .reference_name = "ref",
                      .position = 7,
                      .mapping_quality = 30,
                      .cigar = {{'M', 8}, {'I', 2}, {'M', 4}, {'D', 1}, {'M', 3}},
                      .next_reference = "=",
                      .next_position = 37,
                      .template_length = 39,
                      .sequence = "TTAGATAAAGGATACTG"}),
            "r001\t99\tref\t7\t30\t8M2I4M1D3M\t=\t37\t39\tTTAGATAAAGGATACTG\t*\n");
  EXPECT_EQ(sam_line({.query_name = "r003",
                      .reference_name = "ref",
                      .position = 9,
                      .mapping_quality = 30,
                      .cigar = {{'S', 5}, {'M', 6}},
                      .sequence = "GCCTAAGCTAA",
                      .tags = {{"SA", 'Z', "ref,29,-,6H5M,17,0;"}}}),
            "r003\t0\tref\t9\t30\t5S6M\t*\t0\t0\tGCCTAAGCTAA\t*\tSA:Z:ref,29,-,6H5M,17,0;\n");
  EXPECT_EQ(sam_line({.query_name = "r003",
                      .flag = sam_supplementary | sam_reverse,
                      .reference_name = "ref",
                      .position = 29,
                      .mapping_quality = 17,
                      .cigar = {{'H', 6}, {'M', 5}},
                      .sequence = "TAGGC",
                      .tags = {{"SA", 'Z', "ref,9,+,5S6M,30,1;"}}}),
            "r003\t2064\tref\t29\t17\t6H5M\t*\t0\t0\tTAGGC\t*\tSA:Z:ref,9,+,5S6M,30,1;\n");
  EXPECT_EQ(sam_line({.query_name = "r001",
                      .flag = sam_paired | sam_proper_pair | sam_reverse | sam_last,
                      .reference_name = "ref",
                      .position = 37,
                      .mapping_quality = 30,
                      .cigar = {{'M', 9}},
                      .next_reference = "=",
                      .next_position = 7,
                      .template_length = -39,
                      .sequence = "CAGCGGCAT",
                      .tags = {{"NM", 'i', "1"}}}),
            "r001\t147\tref\t37\t30\t9M\t=\t7\t-39\tCAGCGGCAT\t*\tNM:i:1\n");
}

TEST(Sam, WritesAnUnmappedReadWithItsQualities) {
  EXPECT_EQ(
      sam_line(
          {.query_name = "read", .flag = sam_unmapped, .mapping_quality = 0, .sequence = "ACGT", .qualities = "!I~I"}),
      "read\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t!I~I\n");
  EXPECT_EQ(sam_line({}), "*\t0\t*\t0\t255\t*\t*\t0\t0\t*\t*\n");
}

// Input that is refused, with the field that the message names.
std::string refused(const std::function<void(SamRecord&)>& change) {
  SamRecord record{.query_name = "q",
                   .reference_name = "r",
                   .position = 1,
                   .cigar = {{'=', 3}, {'D', 2}, {'S', 1}},
                   .sequence = "ACGT",
                   .qualities = "IIII"};
  change(record);
  try {
    return "written: " + sam_line(record);
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(':'));
  }
}

TEST(Sam, RefusesWhatTheSpecificationDoesNotHave) {
  EXPECT_EQ(refused([](SamRecord&) {}), "written: q\t0\tr\t1\t255\t3=2D1S\t*\t0\t0\tACGT\tIIII\n");
  for (const std::string& name : {std::string(), std::string("a@b"), std::string("a b"), std::string(255, 'n')})
    EXPECT_EQ(refused([&](SamRecord& r) { r.query_name = name; }), "SAM QNAME") << name;
  EXPECT_EQ(refused([](SamRecord& r) { r.query_name = std::string(254, 'n'); }).substr(0, 8), "written:");
  EXPECT_EQ(refused([](SamRecord& r) { r.flag = 1u << 16; }), "SAM FLAG");
  for (const std::string name : {"*r", "=", "r(1)", "a,b", "a\tb", ""})
    EXPECT_EQ(refused([&](SamRecord& r) { r.reference_name = name; }), "SAM RNAME") << name;
  EXPECT_EQ(refused([](SamRecord& r) { r.position = -1; }), "SAM POS");
  EXPECT_EQ(refused([](SamRecord& r) { r.position = std::int64_t{1} << 31; }), "SAM POS");
  EXPECT_EQ(refused([](SamRecord& r) { r.mapping_quality = 256; }), "SAM MAPQ");
  EXPECT_EQ(refused([](SamRecord& r) { r.cigar[0].operation = 'Y'; }), "SAM CIGAR");
  EXPECT_EQ(refused([](SamRecord& r) { r.cigar[1].length = 0; }), "SAM CIGAR");
  EXPECT_EQ(refused([](SamRecord& r) { r.cigar[0].length = 4; }), "SAM CIGAR") << "5 of 4 residues";
  EXPECT_EQ(refused([](SamRecord& r) { r.next_reference = "*x"; }), "SAM RNEXT");
  EXPECT_EQ(refused([](SamRecord& r) { r.next_position = -1; }), "SAM PNEXT");
  EXPECT_EQ(refused([](SamRecord& r) { r.template_length = std::int64_t{-1} << 31; }), "SAM TLEN");
  EXPECT_EQ(refused([](SamRecord& r) { r.sequence = "AC*T"; }), "SAM SEQ");
  EXPECT_EQ(refused([](SamRecord& r) { r.qualities = "III"; }), "SAM QUAL");
  EXPECT_EQ(refused([](SamRecord& r) { r.qualities = "II I"; }), "SAM QUAL");
}

TEST(Sam, ChecksOptionalFields) {
  const auto written = [](std::vector<SamTag> tags) {
    const std::string text = refused([&](SamRecord& r) { r.tags = std::move(tags); });
    const auto at = text.find("IIII\t");
    return at == std::string::npos ? text : text.substr(at + 5, text.size() - at - 6);
  };
  for (const SamTag& tag : std::vector<SamTag>{{"AS", 'i', "-18"},
                                               {"ZE", 'f', "2.54e-38"},
                                               {"ZE", 'f', ".5"},
                                               {"ZE", 'f', "5"},
                                               {"XA", 'A', "!"},
                                               {"X0", 'Z', ""},
                                               {"CO", 'Z', "two words"},
                                               {"XH", 'H', "1AE301"},
                                               {"XB", 'B', "c,1,-2"},
                                               {"XB", 'B', "f,1.5,2"}})
    EXPECT_EQ(written({tag}), tag.name + ":" + tag.type + ":" + tag.value);
  for (const SamTag& tag : std::vector<SamTag>{{"A", 'i', "1"},
                                               {"1S", 'i', "1"},
                                               {"AS", 'i', "1.5"},
                                               {"AS", 'i', ""},
                                               {"ZE", 'f', "nan"},
                                               {"ZE", 'f', "1."},
                                               {"ZE", 'f', ".+5"},
                                               {"ZE", 'f', "-"},
                                               {"ZE", 'f', "1e"},
                                               {"XA", 'A', "ab"},
                                               {"CO", 'Z', "a\tb"},
                                               {"XH", 'H', "1AE"},
                                               {"XB", 'B', "x,1"},
                                               {"XB", 'B', "c,1.5"},
                                               {"AS", 'q', "1"}})
    EXPECT_EQ(written({tag}), "SAM optional field") << tag.name << tag.type << tag.value;
  EXPECT_EQ(written({{"AS", 'i', "1"}, {"AS", 'i', "2"}}), "SAM optional field") << "the same tag twice";
}

TEST(Sam, RefusesHeadersThatOthersCannotRead) {
  const auto header = [](std::vector<SamReference> references, const SamProgram& program) {
    try {
      return sam_header(references, program);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(header({}, {"p", "", ""}), "@HD\tVN:1.6\tSO:unknown\n@PG\tID:p\tPN:p\n");
  EXPECT_EQ(header({{"r", 1}, {"r", 2}}, {"p", "", ""}), "SAM SN: 'r' is not allowed");
  EXPECT_EQ(header({{"*", 1}}, {"p", "", ""}), "SAM SN: '*' is not allowed");
  EXPECT_EQ(header({{"r", 0}}, {"p", "", ""}), "SAM LN: 0 is not between 1 and 2147483647");
  EXPECT_EQ(header({}, {"p", "1", "a\tb"}), "SAM CL: 'a\\x09b' is not allowed");
  EXPECT_EQ(header({}, {"", "", ""}), "SAM ID: '' is not allowed");
}

// SAMtags.pdf, section 1.1: "10A5^AC6 means from the leftmost reference base in the alignment, there are 10 matches
// followed by an A on the reference which is different from the aligned read base; the next 5 reference bases are
// matches followed by a 2bp deletion from the reference; the deleted sequence is AC; the last 6 bases are matches."
TEST(Sam, WritesTheMdTagOfTheSpecification) {
  const std::vector<CigarRun> cigar = {{'=', 10}, {'X', 1}, {'=', 5}, {'D', 2}, {'=', 6}};
  EXPECT_EQ(sam_md(cigar, "GGGGGGGGGGAGGGGGACGGGGGG"), "10A5^AC6");
  EXPECT_EQ(
      sam_md(std::vector<CigarRun>{{'S', 2}, {'X', 2}, {'I', 3}, {'X', 1}, {'D', 1}, {'X', 1}, {'H', 4}}, "ACGTG"),
      "0A0C0G0^T0G0");
  EXPECT_EQ(sam_md({}, ""), "0");
  EXPECT_THROW(sam_md(std::vector<CigarRun>{{'M', 3}}, "ACG"), std::invalid_argument);
  EXPECT_THROW(sam_md(std::vector<CigarRun>{{'=', 4}}, "ACG"), std::invalid_argument);
}

TEST(Sam, WritesCigars) {
  EXPECT_EQ(cigar_text({}), "*");
  EXPECT_EQ(cigar_text(std::vector<CigarRun>{{'S', 3}, {'=', 10}, {'N', 2}, {'P', 1}}), "3S10=2N1P");
}

}  // namespace
}  // namespace speedwell::io
