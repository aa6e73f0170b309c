// The pieces of a staged copy, over a device that transfers as late as it may.
#include "speedwell/core/cuda/staged_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace speedwell::core::detail {
namespace {

/// Transfers are done when they are waited for, and not before.
class LateStage {
 public:
  static constexpr std::size_t piece = 100, slots = 3;

  explicit LateStage(std::size_t bytes) : device(bytes) {}
  std::byte* wait(std::size_t slot) {
    if (pending_[slot]) std::exchange(pending_[slot], nullptr)();
    return buffers_[slot].data();
  }
  void send(std::size_t slot, std::size_t offset, std::size_t count) {
    EXPECT_FALSE(pending_[slot]);
    pending_[slot] = [=, this] {
      std::copy_n(buffers_[slot].begin(), count, device.begin() + static_cast<long>(offset));
    };
  }
  void fetch(std::size_t slot, std::size_t offset, std::size_t count) {
    EXPECT_FALSE(pending_[slot]);
    pending_[slot] = [=, this] {
      std::copy_n(device.begin() + static_cast<long>(offset), count, buffers_[slot].begin());
    };
  }
  bool has_pending() const {
    return std::any_of(pending_.begin(), pending_.end(), [](const auto& transfer) { return bool(transfer); });
  }

  std::vector<std::byte> device;

 private:
  std::array<std::array<std::byte, piece>, slots> buffers_{};
  std::array<std::function<void()>, slots> pending_;
};

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t k = 0; k < bytes; ++k) made[k] = static_cast<std::byte>((k * 7 + k / 251 + seed) & 255);
  return made;
}

TEST(StagedCopy, BringsEveryByteThereAndBack) {
  for (const std::size_t bytes : {0, 1, 99, 100, 101, 299, 300, 301, 399, 400, 1000, 1234}) {
    LateStage stage(bytes);
    for (unsigned round = 0; round < 2; ++round) {  // the second one finds the buffers in use
      const auto sent = pattern(bytes, round);
      auto source = sent;
      upload_in_pieces(stage, source.data(), bytes);
      std::fill(source.begin(), source.end(), std::byte{0});  // may be reused at once
      std::vector<std::byte> got(bytes);
      download_in_pieces(stage, got.data(), bytes);
      EXPECT_EQ(got, sent) << bytes << " bytes";
      EXPECT_EQ(stage.device, sent) << bytes << " bytes";
      EXPECT_FALSE(stage.has_pending()) << bytes << " bytes";
    }
  }
}

TEST(StagedCopy, ThreadsCopyEveryByte) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{1000003}}) {
    const auto from = pattern(bytes, 3);
    std::vector<std::byte> to(bytes);
    copy_by_threads(to.data(), from.data(), bytes);
    EXPECT_EQ(to, from);
  }
}

}  // namespace
}  // namespace speedwell::core::detail
