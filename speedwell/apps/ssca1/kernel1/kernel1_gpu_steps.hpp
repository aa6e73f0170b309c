// GpuTableStep: kernel 1 of SSCA#1 on one GPU by four simpler methods than that of GpuTable, each of which adds one
// idea to the one before. The first two and the last are those of the dissertation of 2012, section 4.3 and appendix B;
// the third replaces the second's launches by a scan in a single pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::ssca1 {

/// The methods, all with scores in 32 bits, from the simplest on; GpuTable follows as the last step of the ladder.
inline constexpr core::LadderStep kernel1_steps[] = {
    {"cuda-diagonals",
     "kernel 1: a launch for each anti-diagonal, a thread for each of its cells; a few microseconds for each symbol of "
     "both sequences",
     "dissertation 2012, ch. 4.3.2"},
    {"cuda-sweeps",
     "kernel 1: rows, whose memory accesses are consecutive; gaps along them by an up-sweep and a down-sweep of blocks "
     "and of their totals, in launches of their own",
     "dissertation 2012, ch. 4.3.3 and app. B"},
    {"cuda-rows", "kernel 1: one launch for each row: the scan in a single pass, with a decoupled look-back"},
    {"cuda-sections",
     "kernel 1: sections of main that overlap by the longest possible alignment, each in the registers of a warp",
     "dissertation 2012, ch. 4.3.4"},
};

/// Bytes per cell that the algorithm of a step moves between the multiprocessors and memory, caches not considered.
struct CellTraffic {
  double read = 0, written = 0;  // both 0 if cells stay on chip
};
/// Throws std::invalid_argument unless `step` is the name of one of kernel1_steps.
CellTraffic step_traffic(std::string_view step);
/// The kernels that one pass over a table of `columns` symbols of main and `rows` of match launches. Throws as
/// step_traffic().
double step_launches(std::string_view step, std::int64_t columns, std::int64_t rows);
/// Bytes of device memory for the sequences and the state of a table of `columns` x `rows` cells, on a GPU with so many
/// multiprocessors (132: H200). The scores, 2 bytes each, and the list of candidates, 24 MiB, are in addition. Throws
/// as step_traffic().
double step_state_bytes(std::string_view step, std::int64_t columns, std::int64_t rows, const Scoring& scoring,
                        const EndpointRules& rules, int multiprocessors = 132);
/// The bytes of device memory that a step allocates in all: those of step_state_bytes(), the scores and the list.
double step_device_bytes(std::string_view step, std::int64_t columns, std::int64_t rows, const Scoring& scoring,
                         const EndpointRules& rules, int multiprocessors = 132);

/// The results of pairwise_align and GpuTable: the table is exact, every cell is tested, and the selection is made on
/// the host. With more than 2^20 candidates the table is computed several times, and each pass lists the candidates of
/// a part of it.
class GpuTableStep {
 public:
  /// The maximum length of either sequence.
  static constexpr std::int64_t max_length = std::int64_t{1} << 30;

  /// Allocates its memory on the device. `step`: the name of one of kernel1_steps. main and match must exist until
  /// upload() has returned, and scoring as long as this object. `device`: index of the CUDA device. Throws as GpuTable,
  /// and std::invalid_argument for another name and for sequences longer than max_length.
  GpuTableStep(std::string_view step, Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules = {},
               int device = 0);
  GpuTableStep(GpuTableStep&&) noexcept;
  GpuTableStep& operator=(GpuTableStep&&) noexcept;
  ~GpuTableStep();

  /// Copies the arguments to the device, and waits. Must be called once, before the first run(). Throws
  /// core::DeviceError if CUDA fails.
  void upload(const core::Stream& stream);
  /// Computes the table, and selects the endpoints on the host; waits for the results, and may be repeated. Throws
  /// core::DeviceError if CUDA fails.
  void run(const core::Stream& stream);

  /// The results of the last run(); empty before.
  const Endpoints& endpoints() const;
  /// Kernels that the last run() launched.
  std::int64_t launches() const;
  /// Times that the last run() computed the table: more than one if there are more candidates than the list holds.
  std::int64_t passes() const;
  /// Bytes of device memory that the constructor has allocated.
  std::size_t device_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::ssca1
