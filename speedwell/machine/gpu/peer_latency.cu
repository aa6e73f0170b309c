// Latencies between two GPUs, measured by one resident thread on each that stores into the other's memory and polls its
// own: the round trip of a flag, and an all-reduce of one double.
#include <array>
#include <bit>
#include <cstdint>
#include <cuda/atomic>
#include <optional>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/machine/gpu/peer_session.hpp"

namespace speedwell::machine {
namespace {

using Word = std::uint64_t;
using SystemAtomic = cuda::atomic_ref<Word, cuda::thread_scope_system>;

constexpr Word timeout_ns = 2'000'000'000;

// What a kernel leaves behind.
struct Finish {
  Word ns;        // of all rounds but the first, in which the two kernels wait for each other to start
  double sum;     // of the last all-reduce
  int timed_out;  // whether the other GPU did not answer within timeout_ns
};

__device__ Word now_ns() {
  Word now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Polls until arrived(); returns false at the deadline.
template <class Arrived>
__device__ bool wait_until(const Arrived& arrived, Word deadline) {
  for (unsigned polls = 1; !arrived(); ++polls)
    if (polls % 1024 == 0 && now_ns() > deadline) return false;
  return true;
}

// Rounds 0 to `rounds` of a flag: GPU 0 sends the number of the round and waits for its return, GPU 1 returns it. `own`
// is in the memory of this GPU, `remote` in that of the other.
__global__ void flag_kernel(Word* own, Word* remote, Word first, int rounds, int rank, Finish* finish) {
  const Word deadline = now_ns() + timeout_ns;
  SystemAtomic received(*own), sent(*remote);
  Word begin = 0;
  bool arrived = true;
  for (int i = 0; i <= rounds && arrived; ++i) {
    const Word number = first + static_cast<Word>(i);
    if (rank == 0) sent.store(number, cuda::memory_order_release);
    arrived = wait_until([&] { return received.load(cuda::memory_order_acquire) == number; }, deadline);
    if (rank == 1 && arrived) sent.store(number, cuda::memory_order_release);
    if (i == 0) begin = now_ns();
  }
  *finish = {now_ns() - begin, 0, !arrived};
}

// What a GPU adds to all-reduce `number`: it depends on the sum before, so that no round can begin early. The product
// is exact, hence the host computes the same bits whether or not the addition is fused.
__host__ __device__ double contribution(int rank, double sum_before, unsigned number) {
  return 0.25 * (rank + 1) * sum_before + (rank + 1) * static_cast<double>(number % 64);
}

// All-reduces 0 to `rounds` by the LL protocol: a double is sent as two 8-byte words, each half of its bits and the
// number of the all-reduce, so that the arrival of a word is the arrival of its data and no fence is needed. There are
// two pairs of words in turn: a GPU that sends number i + 2 has received i + 1, which the other sent after it had read
// i.
__global__ void all_reduce_kernel(Word* own, Word* remote, unsigned first, int rounds, int rank, Finish* finish) {
  const Word deadline = now_ns() + timeout_ns;
  Word begin = 0;
  double sum = 0;
  bool arrived = true;
  for (int i = 0; i <= rounds && arrived; ++i) {
    const unsigned number = first + static_cast<unsigned>(i), slot = 2 * (number % 2);
    const Word tag = static_cast<Word>(number) << 32;
    const double mine = contribution(rank, sum, number);
    const Word bits = static_cast<Word>(__double_as_longlong(mine));
    SystemAtomic(remote[slot]).store(tag | (bits & 0xffffffffu), cuda::memory_order_relaxed);
    SystemAtomic(remote[slot + 1]).store(tag | (bits >> 32), cuda::memory_order_relaxed);
    Word low = 0, high = 0;
    arrived = wait_until(
        [&] {
          low = SystemAtomic(own[slot]).load(cuda::memory_order_relaxed);
          high = SystemAtomic(own[slot + 1]).load(cuda::memory_order_relaxed);
          return low >> 32 == number && high >> 32 == number;
        },
        deadline);
    const double other = __longlong_as_double(static_cast<long long>((high << 32) | (low & 0xffffffffu)));
    sum = rank == 0 ? mine + other : other + mine;  // in the order of the GPUs
    if (i == 0) begin = now_ns();
  }
  *finish = {now_ns() - begin, sum, !arrived};
}

class LatencyBench {
 public:
  explicit LatencyBench(PeerSession& session)
      : s_(session),
        words_{s_.sides[0].allocate<Word>(words), s_.sides[1].allocate<Word>(words)},
        finish_{s_.sides[0].allocate<Finish>(1), s_.sides[1].allocate<Finish>(1)} {
    // A kernel is loaded at its first launch, which may wait for kernels that run: no round waits for the other GPU.
    clear();
    for (std::size_t k = 0; k < 2; ++k) {
      launch_flag(k, 0, -1);
      launch_all_reduce(k, 0, -1);
    }
    synchronize();
  }

  void measure() {
    measure_flag();
    measure_all_reduce();
  }

 private:
  static constexpr std::size_t words = 64;  // the flag and the words of the all-reduce, more than a cache line apart
  static constexpr std::size_t flag_at = 0, data_at = 32;

  using Finishes = std::array<Finish, 2>;

  int rounds() const { return s_.effort == Effort::quick ? 1000 : 4000; }
  void synchronize() const {
    for (const PeerSide& side : s_.sides) side.stream.synchronize();
  }
  void clear() {
    for (std::size_t k = 0; k < 2; ++k) s_.sides[k].fill_bytes(words_[k], 0);
    synchronize();
  }
  void launch_flag(std::size_t k, Word first, int count) {
    const core::DeviceGuard guard(s_.sides[k].device);
    flag_kernel<<<1, 1, 0, s_.sides[k].stream.get()>>>(words_[k].data() + flag_at, words_[1 - k].data() + flag_at,
                                                       first, count, static_cast<int>(k), finish_[k].data());
    core::check(cudaGetLastError());
  }
  void launch_all_reduce(std::size_t k, unsigned first, int count) {
    const core::DeviceGuard guard(s_.sides[k].device);
    all_reduce_kernel<<<1, 1, 0, s_.sides[k].stream.get()>>>(words_[k].data() + data_at, words_[1 - k].data() + data_at,
                                                             first, count, static_cast<int>(k), finish_[k].data());
    core::check(cudaGetLastError());
  }
  // Both kernels at once; nothing if one waited in vain, as where a tool runs one kernel at a time.
  template <class Launch>
  std::optional<Finishes> run(const Launch& launch) {
    for (const std::size_t k : {1, 0}) launch(k);
    const Finishes got = {s_.sides[0].first_element(finish_[0]), s_.sides[1].first_element(finish_[1])};
    if (got[0].timed_out || got[1].timed_out) return std::nullopt;
    return got;
  }

  // Samples sample(), microseconds of one round, which is nothing if the kernels did not meet. They must meet in every
  // round if they met in the first.
  template <class Sample>
  void add(const std::string& name, const std::string& how, const Sample& sample) {
    if (!sample()) return;
    auto samples = take_samples(
        s_.effort,
        [&] {
          const std::optional<double> us = sample();
          if (!us) throw core::DeviceError("the kernels of " + name + " did not end within 2 s");
          return *us;
        },
        true);
    s_.ceilings.entries.push_back(make_ceiling(name, "us", std::move(samples), s_.note + ", " + how));
  }

  void measure_flag() {
    clear();
    Word first = 1;
    add("link.flag", "one thread each, release and acquire", [&]() -> std::optional<double> {
      const auto got = run([&](std::size_t k) { launch_flag(k, first, rounds()); });
      if (!got) return std::nullopt;
      const Word last = first + static_cast<Word>(rounds());
      if (s_.sides[0].first_element(words_[0]) != last || s_.sides[1].first_element(words_[1]) != last)
        wrong("link.flag");
      first = last + 1;
      return static_cast<double>((*got)[0].ns) / rounds() * 1e-3;
    });
  }

  void measure_all_reduce() {
    clear();
    unsigned first = 1;
    add("link.all_reduce", "one double, one thread each", [&]() -> std::optional<double> {
      const auto got = run([&](std::size_t k) { launch_all_reduce(k, first, rounds()); });
      if (!got) return std::nullopt;
      double expected = 0;
      for (int i = 0; i <= rounds(); ++i) {
        const unsigned number = first + static_cast<unsigned>(i);
        expected = contribution(0, expected, number) + contribution(1, expected, number);
      }
      for (const Finish& finish : *got)
        if (std::bit_cast<Word>(finish.sum) != std::bit_cast<Word>(expected)) wrong("link.all_reduce");
      first += static_cast<unsigned>(rounds()) + 1;
      return static_cast<double>((*got)[0].ns) / rounds() * 1e-3;
    });
  }

  [[noreturn]] void wrong(const std::string& name) const {
    throw core::DeviceError("the kernels of " + name + " exchanged wrong data: " + s_.note);
  }

  PeerSession& s_;
  std::array<core::DeviceBuffer<Word>, 2> words_;
  std::array<core::DeviceBuffer<Finish>, 2> finish_;
};

}  // namespace

void measure_peer_latency(PeerSession& session) { LatencyBench(session).measure(); }

}  // namespace speedwell::machine
