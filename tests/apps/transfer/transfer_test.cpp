#include "speedwell/apps/transfer/transfer.hpp"

#include <algorithm>
#include <stdexcept>

#include "speedwell/core/random.hpp"
#include "tests/apps/transfer/variants.hpp"

namespace speedwell::transfer {
namespace {

class TransferVariants : public ::testing::TestWithParam<std::string> {};
TEST_P(TransferVariants, LeaveTheirBlocksWhole) {
  expect_right(application(), GetParam(), {1, 7, 8, 4095, 4096, 4097, 1000003});
}
TEST_P(TransferVariants, HaveTheirFaultsRejected) { expect_faults_rejected(application(), GetParam(), 1000003); }
INSTANTIATE_TEST_SUITE_P(Host, TransferVariants, ::testing::Values(std::string("serial"), std::string("openmp")));

TEST(Transfer, ThePatternIsTheBytesOfTheRandomWords) {
  std::vector<unsigned char> bytes(8 * 1000 + 5), again(bytes.size());
  fill_pattern(bytes, 3, 1);
  for (std::size_t i = 0; i < 1000; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8 * i, 8);
    ASSERT_EQ(word, core::random_bits(3, i));
  }
  fill_pattern(again, 3, 3);
  EXPECT_EQ(bytes, again);
}

TEST(Transfer, ABlockOfAnotherLengthIsWrong) {
  const Problem problem{.operation = Operation::copy, .bytes = 100};
  std::vector<unsigned char> block(block_bytes(100));
  poison_block(block);
  EXPECT_EQ(verify(problem, {block}).error, 100) << "0xFF throughout, unlike the pattern by chance in no byte";
  fill_pattern({block.data() + guard_bytes, 100}, problem.seed);
  EXPECT_TRUE(verify(problem, {block}).passed);
  EXPECT_FALSE(verify(problem, {std::span<const unsigned char>(block).first(block.size() - 1)}).passed);
  EXPECT_FALSE(verify(problem, {}).passed);
  EXPECT_FALSE(verify(problem, {block, block}).passed);
}

TEST(Transfer, HostCopyTouchesItsPartAndNothingElse) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{300007}, std::size_t{2000003}})
    for (const int threads : {1, 2, 3, 8}) {
      std::vector<unsigned char> from(n), to(n + 2, 0x11);
      fill_pattern(from, 1);
      host_copy(from, std::span<unsigned char>(to).subspan(1, n), threads);
      EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1));
      EXPECT_EQ(to.front(), 0x11);
      EXPECT_EQ(to.back(), 0x11);
    }
}

TEST(Transfer, MisuseIsRefused) {
  std::vector<unsigned char> a(10), b(9);
  EXPECT_THROW(host_copy(a, b, 1), std::invalid_argument);
  EXPECT_THROW(host_copy(a, a, -1), std::invalid_argument);
}

TEST(Transfer, MoreThanTheShareOfPageLockedMemoryIsRefused) {
  const harness::Application a = application();
  const auto refusal = [&](std::int64_t bytes, double share) {
    return harness::row(a, "cuda-pinned")
        .unsupported_reason(
            problem_with(a, {{"operation", std::string("upload")}, {"bytes", bytes}, {"pinned_share", share}}));
  };
  EXPECT_FALSE(refusal(1 << 20, 0.25));
  ASSERT_TRUE(refusal(std::int64_t{1} << 42, 0.25));
  EXPECT_NE(refusal(std::int64_t{1} << 42, 0.25)->find("pinned_share"), std::string::npos);
  EXPECT_TRUE(refusal(1 << 20, 0.0));
}

TEST(Transfer, EveryOperationHasAVariantAndEveryVariantAnOperation) {
  const harness::Application a = application();
  std::vector<std::string> done;
  for (const harness::Variant& v : a.variants) {
    const std::vector<std::string> does = operations_of(a, v.name);
    EXPECT_FALSE(does.empty()) << v.name;
    done.insert(done.end(), does.begin(), does.end());
  }
  for (const std::string& operation : a.parameters[0].choices)
    EXPECT_NE(std::find(done.begin(), done.end(), operation), done.end()) << operation;
}

TEST(Transfer, BlocksThatAreKeptCountAsMemory) {
  const harness::Application a = application();
  const auto footprint = [&](const char* operation, std::int64_t repeats) {
    return harness::row(a, "cuda-device").footprint(problem_of_variant(a, operation, 1 << 20, repeats));
  };
  const double block = block_bytes(1 << 20);
  EXPECT_EQ(footprint("allocate", 100).device_bytes, 2 * block);
  for (const char* operation : {"allocate-kept", "free"}) {
    EXPECT_EQ(footprint(operation, 1).device_bytes, 2 * block) << operation;
    EXPECT_EQ(footprint(operation, 100).device_bytes, 101 * block) << operation;
    EXPECT_EQ(footprint(operation, 100).host_bytes, 103 * block) << operation << ": page-locked";
    EXPECT_TRUE(harness::row(a, "cuda-pinned")
                    .unsupported_reason(problem_of_variant(a, operation, std::int64_t{1} << 30, 10000)))
        << operation << " of 10 TB of page-locked memory";
  }
}

TEST(TransferWork, CountsBytesOnceForEachDirection) {
  const harness::Application a = application();
  const auto of = [&](const char* operation) { return a.work(problem_of_variant(a, operation, 1000, 3)); };
  EXPECT_EQ(of("upload").bytes_read, 3000);
  EXPECT_EQ(of("upload").bytes_written, 0);
  EXPECT_TRUE(of("upload").over_link);
  EXPECT_EQ(of("download").bytes_written, 3000);
  EXPECT_EQ(of("duplex").bytes_read + of("duplex").bytes_written, 6000);
  EXPECT_FALSE(of("copy").over_link);
  EXPECT_EQ(of("peer").bytes_written, 3000);
  EXPECT_EQ(of("peer").bytes_read, 0);
  EXPECT_EQ(of("peer-duplex").bytes_read, 3000);
  EXPECT_EQ(of("peer-duplex").bytes_written, 3000);
  for (const char* operation : {"peer", "peer-duplex"})
    EXPECT_TRUE(of(operation).over_link && of(operation).between_gpus) << operation;
  EXPECT_FALSE(of("upload").between_gpus);
  EXPECT_EQ(of("launch").updates, 3);
  for (const char* operation : {"allocate", "allocate-kept", "free"})
    EXPECT_EQ(of(operation).bytes_read + of(operation).bytes_written, 0) << operation;
}

TEST(Transfer, NewPagesAreNotThoseOfBefore) {
  for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 20, std::size_t{16} << 20}) {
    for (int round = 0; round < 3; ++round) {
      const NewPages block(bytes);
      touch(block.span(), 2);
      EXPECT_EQ(std::count(block.span().begin(), block.span().end(), 1), static_cast<std::ptrdiff_t>(bytes / 4096));
      std::fill(block.span().begin(), block.span().end(), static_cast<unsigned char>(2));
    }
  }
  EXPECT_TRUE(NewPages(0).span().empty());
  EXPECT_THROW(NewPages(std::size_t{1} << 62), std::bad_alloc);
}

}  // namespace
}  // namespace speedwell::transfer
