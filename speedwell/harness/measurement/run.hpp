// Run: one variant, set up on one problem. The harness calls it; it never times, prints or judges itself.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/core/verdict.hpp"

namespace speedwell::harness {

enum class ElementType { f64, f32, i64, i32, u8 };

/// A result of a run in host memory, after download(): `count` elements at `data`.
struct Output {
  std::string name;
  ElementType type = ElementType::f64;
  void* data = nullptr;
  std::size_t count = 0;
  /// Extents of the array, from the slowest to the contiguous index; their product is `count`. Empty: one dimension.
  std::vector<std::size_t> extents = {};
  /// If the result is a state that execute() advances: the `count` elements of the same type before execute(), which
  /// are unchanged where execute() skips work. Null: execute() overwrites memory whose contents do not matter.
  const void* initial = nullptr;
};

/// The life of a run: allocate, plan, upload, poison, then any number of { reset, execute, synchronize }, download,
/// verify; the last two may come again. The phases allocate, plan, upload, execute (to its synchronize) and download
/// are timed; the rest is not. A run that throws is reported with its exit status; the others of the comparison go on.
/// On several ranks each has a run, and all go through this life together: a phase takes as long as the slowest. Only
/// the first rank's is asked for its verdict, its outputs and its choices. A run that throws there ends the job.
class Run {
 public:
  virtual ~Run() = default;

  /// Takes the memory that the variant works in, on the host or the device.
  virtual void allocate() {}
  /// What is done once for many executes: a transform's plan. Timed apart, and part of no other phase, end to end
  /// included. May overwrite what allocate() took. Returns whether there is such a thing.
  virtual bool plan() { return false; }
  /// Host to device, on the run's own stream; returns when the data has arrived. Nothing on a CPU.
  virtual void upload() {}
  /// Puts the initial state back where execute() changes its inputs.
  virtual void reset() {}
  /// Overwrites every output, on the device too, with NaN or 0xFF bytes: what execute() does not write cannot pass.
  /// An answer is whole without it, too: after upload(), reset(), execute() and download() verify() passes.
  virtual void poison() = 0;
  /// The computation. On a GPU it may return before the device has finished.
  virtual void execute() = 0;
  /// Waits until execute() has finished. Nothing on a CPU.
  virtual void synchronize() {}
  /// Device to host; returns when outputs() are in host memory.
  virtual void download() {}

  /// Holds the outputs against the oracle, by the application's one verify().
  virtual core::Verdict verify() = 0;
  /// The results in host memory, valid after download(). The harness digests them; the tests plant faults in them.
  virtual std::vector<Output> outputs() = 0;

  /// How many of its updates the execute() has done that is under way, if the variant can tell: asked by another thread
  /// meanwhile, so that somebody who waits long may know.
  virtual std::optional<double> updates_so_far() const { return std::nullopt; }
  /// Seconds that the device itself counted for the last execute() that was synchronised, if the variant can tell.
  virtual std::optional<double> device_seconds() { return std::nullopt; }
  /// Seconds of all executes so far in which this rank communicated or waited for others and did not compute, if the
  /// variant runs on ranks and counts them: the communication that it does not hide.
  virtual std::optional<double> exchange_seconds() const { return std::nullopt; }
  /// What the variant chose by itself (block sizes, an algorithm): stands in the record.
  virtual std::vector<std::pair<std::string, std::string>> choices() { return {}; }
};

}  // namespace speedwell::harness
