#include "speedwell/io/source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/fasta.hpp"
#include "speedwell/io/vtk.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

std::string id_of(const std::string& path) {
  try {
    read_file(path, 1000);
    return "no error";
  } catch (const InputError& error) {
    return error.id();
  }
}

TEST(Source, AFileThatCannotBeOpenedSaysWhy) {
  EXPECT_EQ(id_of("/no/such/file.fa"), "input.open");
  EXPECT_EQ(id_of(testing::TempDir()), "input.open");
  try {
    read_file("/no/such/file.fa", 10);
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/no/such/file.fa: cannot be opened: No such file or directory");
  }
  try {
    read_file(testing::TempDir(), 10);
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(), "is a folder, not a file");
  }
}

using SourceFiles = test::FolderFixture;

TEST_F(SourceFiles, ThatCannotBeLookedAtAreNotTakenForMissing) {
  EXPECT_TRUE(is_there(root_));
  EXPECT_FALSE(is_there(root_ + "/no-such-file"));
  EXPECT_FALSE(is_there("/dev/null/below-a-file"));
  const std::string loop = root_ + "/loop-of-links";
  std::filesystem::create_symlink(loop, loop);
  try {
    is_there(loop);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), "input.open");
  }
}

TEST(Source, AReadThatFailsIsAnInputError) {
  // /proc/self/mem opens, and reading address 0 fails.
  if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "no /proc";
  EXPECT_EQ(id_of("/proc/self/mem"), "input.read");
}

TEST_F(SourceFiles, AreReadUpToTheirLimit) {
  const std::string path = write("limit.txt", std::string(1000, 'x'));
  EXPECT_EQ(read_file(path, 1000).size(), 1000u);
  try {
    read_file(path, 999);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.id(), "input.too_large");
  }
  EXPECT_EQ(read_file(write("empty.txt", ""), 0), "");
}

TEST(Source, ADashIsStandardInput) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  std::thread writer([&] {
    for (const char* part : {">a", "\nM", "KV\n>", "\n"})
      ASSERT_GT(::write(ends[1], part, std::string(part).size()), 0);
    ::close(ends[1]);
  });
  try {
    read_sequences("-");
    ADD_FAILURE() << "the second header has no identifier";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "<stdin>:3:2: a header line without an identifier");
  }
  writer.join();
  ::dup2(saved, STDIN_FILENO);
  for (const int descriptor : {saved, ends[0]}) ::close(descriptor);
}

TEST(Escape, LeavesPrintableTextAlone) {
  EXPECT_EQ(escape("sp|P12345| a\\b 'q' ~"), "sp|P12345| a\\b 'q' ~");
  EXPECT_EQ(escape("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\x9f"), "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\x9f");
}

TEST(Escape, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(escape("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(escape("a\nb\tc\r\x7f"), "a\\x0ab\\x09c\\x0d\\x7f");
  EXPECT_EQ(escape("\xc2\x9b"), "\\xc2\\x9b") << "C1 control";
  EXPECT_EQ(escape("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
  EXPECT_EQ(escape("\xe2\x80\x8b\xef\xbb\xbf"), "\\xe2\\x80\\x8b\\xef\\xbb\\xbf") << "zero width";
  EXPECT_EQ(escape("\xe2\x81\xa6"), "\\xe2\\x81\\xa6") << "isolate";
}

TEST(Escape, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(escape("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(escape("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(escape("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(escape("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past U+10FFFF";
  EXPECT_EQ(escape("\xe4\xb8"), "\\xe4\\xb8") << "cut";
  EXPECT_EQ(escape("\xe4"
                   "a"),
            "\\xe4"
            "a");
}

TEST(Escape, CutsAtALimitBetweenCharacters) {
  EXPECT_EQ(escape("abcdef", 6), "abcdef");
  EXPECT_EQ(escape("abcdef", 3), "abc...");
  EXPECT_EQ(escape("a\xc3\xa9", 2), "a...");
  EXPECT_EQ(escape("", 0), "");
}

TEST(Escape, DescribesBytes) {
  EXPECT_EQ(describe_byte('!'), "'!'");
  EXPECT_EQ(describe_byte('\t'), "a tab");
  EXPECT_EQ(describe_byte(' '), "a blank");
  EXPECT_EQ(describe_byte(0), "byte 0x00");
  EXPECT_EQ(describe_byte(0xff), "byte 0xff");
}

TEST(Errors, AreOneSafeLineAndKeepTheirParts) {
  const InputError error("input.x", "a\x1b.fa", 7, 12, "bad\nthing", "try y");
  EXPECT_STREQ(error.what(), "a\\x1b.fa:7:12: bad\\x0athing");
  EXPECT_EQ(error.file(), "a\x1b.fa");
  EXPECT_EQ(error.message(), "bad\nthing");
  EXPECT_EQ(error.hint(), "try y");
  EXPECT_STREQ(InputError("i", "f", 7, 0, "m").what(), "f:7: m");
  EXPECT_STREQ(InputError("i", "f", 0, 3, "m").what(), "f: m");
  const OutputError output("output.write", "f", "m");
  EXPECT_STREQ(output.what(), "f: m");
  EXPECT_EQ(output.id(), "output.write");
  EXPECT_EQ(output.file(), "f");
}

using Pvd = test::FolderFixture;

TEST_F(Pvd, NamesAreXmlAndComeBackAsTheyWere) {
  const std::string path = root_ + "/names.pvd";
  const std::vector<TimedFile> files = {{0, "a&b<c>\"d\".vti"}, {0.30000000000000004, "&amp;.vti"}};
  write_pvd(path, files);
  const std::string text = read_file(path, 4096);
  EXPECT_NE(text.find("a&amp;b&lt;c>&quot;d&quot;.vti"), std::string::npos) << text;
  EXPECT_NE(text.find("&amp;amp;.vti"), std::string::npos) << text;
  const auto read = read_pvd(path);
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(read[n].file, files[n].file);
    EXPECT_EQ(read[n].time, files[n].time);
  }
}

}  // namespace
}  // namespace speedwell::io
