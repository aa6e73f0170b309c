#include "speedwell/harness/message_ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::harness {
namespace {

using Word = std::uint64_t;
using Clock = std::chrono::steady_clock;

class MessageBench {
 public:
  MessageBench(const comm::Communicator& ranks, machine::Effort effort)
      : ranks_(ranks), effort_(effort), out_(takes_part() ? words : 0), in_(out_.size()) {
    for (std::size_t i = 0; i < out_.size(); ++i) out_[i] = core::random_bits(salt(ranks_.rank()), i);
  }

  machine::Ceilings measure() {
    const std::string size = core::format_bytes(static_cast<double>(words * sizeof(Word))) + " a message";
    const auto bytes = static_cast<double>(messages * words * sizeof(Word));
    add("mpi.latency", "us", "8 bytes, half of the round trip", [&] { return round_trip() / 2 * 1e6; });
    spoil();
    add("mpi.bandwidth", "GB/s", size, [&] { return bytes / one_way() * 1e-9; });
    check("mpi.bandwidth", 1);
    spoil();
    add("mpi.bandwidth_both", "GB/s", size, [&] { return bytes / both_ways() * 1e-9; });
    check("mpi.bandwidth_both", 0);
    return std::move(ceilings_);
  }

 private:
  static constexpr std::size_t words = (std::size_t{16} << 20) / sizeof(Word);
  static constexpr int messages = 4, round_trips = 1000;

  bool takes_part() const { return ranks_.rank() < 2; }
  bool leads() const { return ranks_.rank() == 0; }
  int other() const { return 1 - ranks_.rank(); }
  static Word salt(int rank) { return 21 + static_cast<Word>(rank); }

  // Rank 0 decides how many samples are taken, and all take them together. The first one is a warm-up.
  template <class Sample>
  void add(const std::string& name, const std::string& unit, const std::string& note, const Sample& sample) {
    const auto continues = [&](bool go) { return ranks_.broadcast(static_cast<std::int32_t>(go)) != 0; };
    if (!leads()) {
      while (continues(false)) (void)sample();
      return;
    }
    const auto together = [&] {
      (void)continues(true);
      return sample();
    };
    (void)together();
    auto samples = machine::take_samples(effort_, together, unit == "us");
    (void)continues(false);
    ceilings_.entries.push_back(machine::make_ceiling(name, unit, std::move(samples), note));
  }

  // Ranks without a part return at once.
  template <class Work>
  double seconds(const Work& work) {
    if (!takes_part()) return 1;
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  double round_trip() {
    return seconds([&] {
             Word word = 0;
             for (int i = 0; i < round_trips; ++i) {
               if (leads()) ranks_.send(std::span<const Word>(&word, 1), other());
               ranks_.receive(std::span<Word>(&word, 1), other());
               if (!leads()) ranks_.send(std::span<const Word>(&word, 1), other());
             }
           }) /
           round_trips;
  }
  // Rank 1 acknowledges the last message.
  double one_way() {
    return seconds([&] {
      Word last = 0;
      if (leads()) {
        for (int i = 0; i < messages; ++i) ranks_.send(std::span<const Word>(out_), other());
        ranks_.receive(std::span<Word>(&last, 1), other());
      } else {
        for (int i = 0; i < messages; ++i) ranks_.receive(std::span<Word>(in_), other());
        ranks_.send(std::span<const Word>(&last, 1), other());
      }
    });
  }
  double both_ways() {
    return seconds([&] {
      for (int i = 0; i < messages; ++i) {
        comm::Request incoming = ranks_.start_receive(std::span<Word>(in_), other());
        comm::Request outgoing = ranks_.start_send(std::span<const Word>(out_), other());
        incoming.wait();
        outgoing.wait();
      }
    });
  }

  void spoil() { std::fill(in_.begin(), in_.end(), ~Word{0}); }
  // Collective. Ranks from `first` to 1 must have received what the other one sent.
  void check(const char* name, int first) {
    std::int64_t wrong = 0;
    if (takes_part() && ranks_.rank() >= first)
      for (std::size_t i = 0; i < in_.size(); ++i) wrong += in_[i] != core::random_bits(salt(other()), i);
    if (ranks_.reduce(wrong, comm::Reduction::sum) != 0)
      throw core::DeviceError(std::string("the messages of ") + name + " brought wrong data");
  }

  const comm::Communicator& ranks_;
  machine::Effort effort_;
  std::vector<Word> out_, in_;
  machine::Ceilings ceilings_;
};

}  // namespace

machine::Ceilings measure_messages(const comm::Communicator& ranks, machine::Effort effort) {
  if (ranks.size() < 2) throw core::Unavailable("messages between ranks need two ranks, and there is one");
  return MessageBench(ranks, effort).measure();
}

}  // namespace speedwell::harness
