// The messages of a ProgressWatch while a run executes, and their end when the run ends.
#include "speedwell/harness/measurement/progress_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace speedwell::harness {
namespace {

using namespace std::chrono_literals;

class Half final : public Run {
 public:
  explicit Half(bool knows) : knows_(knows) {}
  void poison() override {}
  void execute() override {}
  core::Verdict verify() override { return {}; }
  std::vector<Output> outputs() override { return {}; }
  std::optional<double> updates_so_far() const override {
    ++asked;
    return knows_ ? std::optional<double>(5e8) : std::nullopt;
  }
  mutable std::atomic<int> asked{0};

 private:
  bool knows_;
};

void wait_until_asked(const Half& run, int times) {
  const auto patience = std::chrono::steady_clock::now() + 10s;
  const int before = run.asked;
  while (run.asked < before + times && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(1ms);
  ASSERT_GE(run.asked, before + times);
}

TEST(ProgressWatch, SaysHowFarARunIsUntilItIsLeft) {
  std::vector<std::string> messages;
  const ProgressWatch::Say say = [&](const std::string& text) { messages.push_back(text); };
  const Half half(true), unknown(false);
  ProgressWatch watch(say, 1ms);
  watch.watch(half, "uts: serial", 1e9, "node");
  wait_until_asked(half, 3);
  watch.leave();
  const std::size_t count = messages.size();
  ASSERT_GE(count, 2u);
  EXPECT_EQ(messages.front(), "uts: serial, 50 % of 1e+09 nodes");
  const int asked = half.asked;
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(messages.size(), count) << "no progress is read after leave()";
  EXPECT_EQ(half.asked, asked);
  watch.watch(unknown, "gups: serial", 1e9, "update");
  wait_until_asked(unknown, 3);
  watch.leave();
  ASSERT_GT(messages.size(), count) << "a run without known progress is announced, too";
  EXPECT_EQ(messages.back(), "gups: serial") << "without known progress there is no percentage";
  watch.announce("fft: fftw");  // before there is a run: while it is set up
  for (int i = 0; i < 10000; ++i) {
    std::this_thread::sleep_for(1ms);
    watch.announce("fft: fftw");  // under the lock under which messages are passed on
    if (messages.back() == "fft: fftw") break;
  }
  watch.leave();
  EXPECT_EQ(messages.back(), "fft: fftw");
}

TEST(ProgressWatch, WatchesNothingWithoutAReceiver) {
  const ProgressWatch::Say no_output;
  const Half half(true);
  ProgressWatch watch(no_output, 1ms);
  watch.watch(half, "uts: serial", 1e9, "node");
  std::this_thread::sleep_for(20ms);
  watch.leave();
  EXPECT_EQ(half.asked, 0);
}

TEST(ProgressText, SaysWhatIsKnown) {
  EXPECT_EQ(progress_text("uts", 1234567, 0, "node"), "uts, 1.23e+06 nodes");
  EXPECT_EQ(progress_text("uts", 2e6, 1e6, "node"), "uts, 2e+06 nodes") << "more than was expected";
  EXPECT_EQ(progress_text("uts", 0, 1e6, "node"), "uts, 0 % of 1e+06 nodes");
}

}  // namespace
}  // namespace speedwell::harness
