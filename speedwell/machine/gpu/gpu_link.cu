// The link between host and GPU: copies from and to page-locked and ordinary memory, and both directions at once.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {
namespace {

using Word = std::uint64_t;
using Clock = std::chrono::steady_clock;

class LinkBench {
 public:
  LinkBench(GpuSession& session, std::size_t words)
      : s_(session),
        pinned_up_(words),
        pinned_down_(words),
        pageable_up_(words),
        pageable_down_(words),
        there_(words),
        other_(words) {
    for (std::size_t i = 0; i < words; ++i) pinned_up_.data()[i] = pageable_up_[i] = core::random_bits(7, i);
    note_ = core::format_bytes(bytes()) + " a copy";
  }

  void measure() {
    // Measured with the host's clock, because a copy of pageable memory occupies the calling thread, which stages it.
    measure_direction(
        "gpu.link.up.pinned", [&] { up(pinned_up_.data()); }, [&] { return arrived(pinned_up_.data()); });
    measure_direction(
        "gpu.link.down.pinned", [&] { down(pinned_down_.data()); }, [&] { return same(pinned_down_.data()); });
    measure_direction(
        "gpu.link.up.pageable", [&] { up(pageable_up_.data()); }, [&] { return arrived(pageable_up_.data()); });
    measure_direction(
        "gpu.link.down.pageable", [&] { down(pageable_down_.data()); }, [&] { return same(pageable_down_.data()); });
    duplex();
  }

 private:
  double bytes() const { return static_cast<double>(there_.bytes()); }
  void up(const Word* from) { core::copy_by_driver_async(there_.data(), from, there_.size(), s_.stream); }
  void down(Word* to) { core::copy_by_driver_async(to, there_.data(), there_.size(), s_.stream); }
  bool same(const Word* got) const { return std::memcmp(got, pinned_up_.data(), there_.bytes()) == 0; }

  // Whether the data on the device are those that were sent: downloaded into overwritten memory.
  bool arrived(const Word* sent) {
    spoil_host();
    down(pinned_down_.data());
    s_.stream.synchronize();
    return std::memcmp(pinned_down_.data(), sent, there_.bytes()) == 0;
  }
  void spoil_host() {
    std::memset(pinned_down_.data(), 0xff, pinned_down_.bytes());
    std::memset(pageable_down_.data(), 0xff, pageable_down_.bytes());
  }

  template <class Copy, class Correct>
  void measure_direction(const std::string& name, const Copy& copy, const Correct& correct) {
    const auto took = [&] {
      const auto begin = Clock::now();
      copy();
      s_.stream.synchronize();
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    // Before an upload the data on the device are overwritten; before a download its target is.
    spoil_host();
    if (name.find(".up.") != std::string::npos) fill_bytes_async(there_, 0xff, s_.stream);
    (void)took();
    if (!correct()) wrong(name);
    auto rates = take_samples(s_.effort, [&] { return bytes() / took() * 1e-9; });
    s_.ceilings.entries.push_back(make_ceiling(name, "GB/s", std::move(rates), note_));
  }

  void duplex() {
    core::Stream back;
    core::Event begun, ended;
    constexpr int copies = 4;
    core::copy_async(other_.data(), pinned_up_.data(), other_.size(), s_.stream);
    s_.stream.synchronize();
    const auto both = [&] {
      begun.record(s_.stream);
      core::check(cudaStreamWaitEvent(back.get(), begun.get(), 0));
      for (int i = 0; i < copies; ++i) {
        up(pinned_up_.data());
        core::copy_async(pinned_down_.data(), other_.data(), other_.size(), back);
      }
      ended.record(back);
      core::check(cudaStreamWaitEvent(s_.stream.get(), ended.get(), 0));
    };
    spoil_host();
    fill_bytes_async(there_, 0xff, s_.stream);
    both();
    s_.stream.synchronize();
    if (!same(pinned_down_.data()) || !arrived(pinned_up_.data())) wrong("gpu.link.duplex.pinned");
    auto rates = take_samples(s_.effort, [&] { return 2 * copies * bytes() / s_.seconds(both) * 1e-9; });
    s_.ceilings.entries.push_back(make_ceiling("gpu.link.duplex.pinned", "GB/s", std::move(rates), note_));
  }

  [[noreturn]] void wrong(const std::string& name) const {
    throw core::DeviceError("the copy of " + name + " brought other data than were sent, on GPU " +
                            std::to_string(s_.device));
  }

  GpuSession& s_;
  core::PinnedBuffer<Word> pinned_up_, pinned_down_;
  core::HostBuffer<Word> pageable_up_, pageable_down_;
  core::DeviceBuffer<Word> there_, other_;
  std::string note_;
};

}  // namespace

void measure_gpu_link(GpuSession& session) {
  const std::size_t bytes = session.effort == Effort::quick ? std::size_t{64} << 20 : std::size_t{256} << 20;
  LinkBench(session, bytes / sizeof(Word)).measure();
}

}  // namespace speedwell::machine
