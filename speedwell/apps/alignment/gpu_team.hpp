// GpuTeam: GPUs that compute one pair together, each driven by a thread or a process of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment {

/// Memory of every member of a team, as kernels of this member address it.
struct TeamMemory {
  virtual ~TeamMemory() = default;
  std::vector<std::byte*> of_member;
};

/// What one member knows of its team. The functions from share() on are collective: all members call them in the same
/// order. They throw core::Unavailable and core::DeviceError; a member that fails alone must not leave the others
/// waiting.
class GpuTeam {
 public:
  virtual ~GpuTeam() = default;
  /// 1 to 16, and the number of this member, from 0.
  virtual int size() const = 0;
  virtual int member() const = 0;

  /// Allocates `bytes` on the current device of this member. The members may give different numbers. Destroying the
  /// memory is collective, too.
  virtual std::unique_ptr<TeamMemory> share(std::size_t bytes) = 0;
  /// Copies the bytes of all members, equally many of each, in order, to every member.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Enqueues a barrier: what is enqueued after it begins when all members have done what they enqueued before it, and
  /// sees what that has written.
  virtual void barrier(const core::Stream& stream) = 0;
};

/// The values of all members.
template <class T>
std::vector<T> gather(GpuTeam& team, std::span<const T> mine) {
  std::vector<T> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.gather(std::as_bytes(mine), std::as_writable_bytes(std::span<T>(all)));
  return all;
}
template <class T>
std::vector<T> gather(GpuTeam& team, const T& mine) {
  return gather(team, std::span<const T>(&mine, 1));
}

}  // namespace speedwell::alignment
