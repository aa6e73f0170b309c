#include "speedwell/io/fasta.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace speedwell::io {
namespace {

std::vector<SequenceRecord> read(std::string_view bytes) { return parse_sequences(bytes, "x.fa").records; }

// A gzip member with zlib's own writer.
std::string gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Gives one byte at a time, as a slow pipe may: every look ahead crosses the end of the buffer.
class Trickle : public Source {
 public:
  explicit Trickle(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(std::span<char> buffer) override {
    if (at_ == bytes_.size() || buffer.empty()) return 0;
    buffer[0] = bytes_[at_++];
    return 1;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// One header and `residues` residues on one line, without ever holding them.
class LongLine : public Source {
 public:
  explicit LongLine(std::size_t residues) : left_(residues) {}
  std::size_t read(std::span<char> buffer) override {
    if (!started_) {
      started_ = true;
      std::copy_n(">long\n", 6, buffer.data());
      return 6;
    }
    const std::size_t count = std::min(left_, buffer.size());
    std::fill_n(buffer.data(), count, 'A');
    left_ -= count;
    return count;
  }

 private:
  std::size_t left_;
  bool started_ = false;
};

constexpr std::string_view example =
    ">sp|P1|ONE first protein\nMKVL\nAAGI\n>two\nmkvx*\n\n; a comment\n>three \t spaced  out \t\nM "
    "K\tV\n>four\n>five\nW";

void expect_example(const std::vector<SequenceRecord>& records) {
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].name, "sp|P1|ONE");
  EXPECT_EQ(records[0].description, "first protein");
  EXPECT_EQ(records[0].sequence, "MKVLAAGI");
  EXPECT_EQ(records[0].line, 1u);
  EXPECT_EQ(records[1].name, "two");
  EXPECT_EQ(records[1].description, "");
  EXPECT_EQ(records[1].sequence, "mkvx*");
  EXPECT_EQ(records[2].name, "three");
  EXPECT_EQ(records[2].description, "spaced  out");
  EXPECT_EQ(records[2].sequence, "MKV");
  EXPECT_EQ(records[2].line, 8u);
  EXPECT_EQ(records[3].name, "four");
  EXPECT_EQ(records[3].sequence, "") << "a record without residues is kept";
  EXPECT_EQ(records[4].sequence, "W") << "the last line may lack its end";
  for (const auto& record : records) EXPECT_EQ(record.qualities, "");
}

TEST(Fasta, ReadsWrappedBlankedAndCommentedRecords) { expect_example(read(example)); }

TEST(Fasta, ReadsCarriageReturnLineFeed) {
  std::string bytes;
  for (const char c : example) bytes += c == '\n' ? "\r\n" : std::string(1, c);
  expect_example(read(bytes));
  expect_example(read(bytes + "\r"));  // cut between the two
}

TEST(Fasta, ReadsTheSameFromAPipeThatGivesOneByteAtATime) {
  std::string bytes;
  for (const char c : example) bytes += c == '\n' ? "\r\n" : std::string(1, c);
  SequenceReader reader(decompressed(std::make_unique<Trickle>(bytes), "pipe"), "pipe");
  std::vector<SequenceRecord> records;
  for (SequenceRecord record; reader.next(record);) records.push_back(record);
  expect_example(records);
}

TEST(Fasta, ReadsGzipOfOneAndOfSeveralMembersAndZeroPadding) {
  expect_example(read(gzip(example)));
  std::string members;
  for (std::size_t i = 0; i < example.size(); i += 7) members += gzip(example.substr(i, 7));
  expect_example(read(members));
  expect_example(read(gzip("") + members + gzip("")));  // bgzip ends its files with an empty member
  expect_example(read(members + std::string(512, '\0')));
  SequenceReader slow(decompressed(std::make_unique<Trickle>(members), "pipe"), "pipe");
  std::vector<SequenceRecord> records;
  for (SequenceRecord record; slow.next(record);) records.push_back(record);
  expect_example(records);
}

TEST(Fasta, BeginsAfterAByteOrderMarkBlankLinesAndComments) {
  const auto records = read("\xef\xbb\xbf\r\n \n;old style\n\n>a\nMKV\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].name, "a");
  EXPECT_EQ(records[0].line, 5u);
}

TEST(Fasta, KeepsTextOfAnyLanguageAndNcbisMergedTitles) {
  const auto records = read(">a \xc3\xa9t\xc3\xa9\x01>b second title\nMKV\n");
  EXPECT_EQ(records[0].name, "a");
  EXPECT_EQ(records[0].description, "\xc3\xa9t\xc3\xa9\x01>b second title");
}

TEST(Fasta, RemovesGapsAndCountsThemInOneWarning) {
  const Sequences all = parse_sequences(">a\nMK-V\n>b\n..MKV--\n", "aligned.fa");
  EXPECT_EQ(all.records[0].sequence, "MKV");
  EXPECT_EQ(all.records[1].sequence, "MKV");
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_EQ(all.warnings[0].id, "input.fasta.gap");
  EXPECT_EQ(all.warnings[0].count, 5u);
  EXPECT_EQ(to_string(all.warnings[0]).find("aligned.fa:2:3: gap characters"), 0u) << to_string(all.warnings[0]);
  EXPECT_NE(to_string(all.warnings[0]).find("(and 4 more)"), std::string::npos);
}

TEST(Fasta, NotesResiduesThatTheCallerNames) {
  SequenceRules rules{.noted = [](char c) { return c == 'U' || c == 'u'; }, .noted_message = "U is scored as C"};
  const Sequences all = parse_sequences(">a\nMKUV\nu\n", "x", rules);
  EXPECT_EQ(all.records[0].sequence, "MKUVu");
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_EQ(all.warnings[0].column, 3u);
  EXPECT_EQ(all.warnings[0].count, 2u);
  rules.strict = true;
  try {
    parse_sequences(">a\nMKUV\n", "x", rules);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "x:2:3: U is scored as C");
    EXPECT_EQ(error.id(), "input.sequence.replaced");
  }
  rules.noted = nullptr;
  EXPECT_THROW(parse_sequences(">a\nMK-V\n", "x", rules), InputError) << "strict refuses gaps as well";
}

TEST(Fasta, StopsAtTheResiduePastTheLimit) {
  for (const bool noted : {false, true}) {
    SequenceRules rules{.max_residues = 5};
    if (noted) rules.noted = [](char) { return true; };
    EXPECT_EQ(parse_sequences(">a\nMKVLA\n", "x", rules).records.size(), 1u);
    try {
      parse_sequences(">a\nMK\nVLAM\n", "x", rules);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(error.id(), "input.fasta.too_long");
      EXPECT_EQ(error.line(), 3u);
      EXPECT_EQ(error.column(), 4u);
    }
  }
}

TEST(Fasta, ReadsALineOfThirtyTwoMillionResidues) {
  constexpr std::size_t residues = 32'000'001;
  SequenceReader reader(std::make_unique<LongLine>(residues), "long");
  SequenceRecord record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.sequence.size(), residues);
  EXPECT_FALSE(reader.next(record));
}

TEST(Fasta, RefusesAHeaderLineWithoutEnd) {
  std::string bytes = ">" + std::string(limits::header_bytes + 1, 'n');
  try {
    read(bytes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), "input.fasta.header_too_long");
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

TEST(Fasta, FindsABadResidueFarIntoALongLine) {
  std::string bytes = ">a\n" + std::string(limits::buffer_bytes * 2 + 17, 'M') + "!";
  try {
    read(bytes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.line(), 2u);
    EXPECT_EQ(error.column(), limits::buffer_bytes * 2 + 18);
  }
}

TEST(Fastq, ReadsFourLineRecords) {
  const std::string_view bytes = "@r1 lane 1\nACGT\n+\nII@!\n@r2\nacgtn\n+r2\n+~I>;\n\n\n@r3\n\n+\n\n";
  for (const bool crlf : {false, true}) {
    std::string text;
    for (const char c : bytes) text += c == '\n' && crlf ? "\r\n" : std::string(1, c);
    SequenceReader reader(memory_source(text, "x.fq"), "x.fq");
    EXPECT_EQ(reader.format(), SequenceFormat::fastq);
    SequenceRecord record;
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.name, "r1");
    EXPECT_EQ(record.description, "lane 1");
    EXPECT_EQ(record.sequence, "ACGT");
    EXPECT_EQ(record.qualities, "II@!");
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.sequence, "acgtn");
    EXPECT_EQ(record.qualities, "+~I>;");
    EXPECT_EQ(record.line, 5u);
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.name, "r3");
    EXPECT_EQ(record.sequence, "");
    EXPECT_FALSE(reader.next(record));
    EXPECT_FALSE(reader.next(record)) << "the end stays the end";
  }
}

TEST(Fastq, TheLastLineMayLackItsEnd) {
  EXPECT_EQ(read("@a\nACGT\n+\nIIII")[0].qualities, "IIII");
  EXPECT_EQ(read("@a\n\n+\n")[0].sequence, "")
      << "no residues, so no qualities, and the fourth line is the missing end";
}

// A megabyte of gzip holds 358 million records without residues.
TEST(Sequences, RefusesManyRecordsThatAreShortOnAverage) {
  SequenceRules rules;
  rules.max_short_records = 100;
  std::string empty, reads;
  for (int n = 0; n < 101; ++n) {
    empty += ">a\n";
    reads += ">a\nACGTACGTACGTACGT\n";
  }
  EXPECT_EQ(parse_sequences(std::string_view(empty).substr(3), "a.fa", rules).records.size(), 100U);
  EXPECT_EQ(parse_sequences(reads, "a.fa", rules).records.size(), 101U);
  try {
    parse_sequences(empty, "a.fa", rules);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(e.id(), "input.fasta.records");
    EXPECT_EQ(e.line(), 101U);
  }
}

}  // namespace
}  // namespace speedwell::io
