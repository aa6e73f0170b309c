// GpuPair: exact Smith-Waterman of one pair of up to 2^31 - 1 residues each on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

/// The decomposition of a pair; 0: chosen from its lengths. Results do not depend on it.
struct GpuPairTuning {
  int strip_rows = 0;   // query rows in a half of a lane, for which kernels are compiled (band_kernel.cu)
  int block_warps = 0;  // warps of a multiprocessor
  int kept_bands = 0;   // for the traceback: bands from one stored row of the table to the next, if memory suffices
  /// Prune cells that cannot be part of the best alignment: most of the table for related sequences, nothing for
  /// others.
  bool prune = true;
  /// Store checks of every band for a verdict: PairChecks. 8 bytes for each of check_blocks blocks of columns of a
  /// band.
  bool checks = false;
};

/// Statistics of a traceback (segments.hpp): the numbers of rounds and of traced jobs.
struct TracebackCounts {
  int rounds = 0;
  std::size_t segments = 0, jobs = 0;
};

/// The score of a pair and the end of its alignment, as find_end(), and the alignment, as align(), computed in 16 bits
/// relative to a moving base, so that scores may use 32 bits. Device memory: one byte per query residue and two for its
/// class, and 7 bytes per subject residue.
class GpuPair {
 public:
  /// `device`: index of the CUDA device. Throws core::Unavailable if there is no such device.
  explicit GpuPair(int device = 0);
  GpuPair(GpuPair&&) noexcept;
  GpuPair& operator=(GpuPair&&) noexcept;
  ~GpuPair();

  /// Throws std::invalid_argument as alignment.hpp's find_end(), and if scores of neighbouring cells differ so much
  /// that 16 bits do not hold those of a warp: 639 (highest score + gap_extend) + 10 gap_open + 4 gap_extend must not
  /// exceed 32767 (all published matrices and gap costs are far below); core::Unavailable, with the bytes needed and
  /// available, before an allocation that does not fit; and core::DeviceError if CUDA fails.
  EndPoint find_end(Codes query, Codes subject, const Scoring& scoring);

  /// The same alignment as alignment.hpp's align(). Rows of the table are stored on the device, each 1024th or as many
  /// as nine tenths of its memory hold: 4 bytes per subject residue each. The table between two of them is recomputed
  /// where best alignments may be (segments.hpp). Of `options` only `stop` is used, and only during the traceback. Also
  /// throws core::Unavailable if there is no memory for a gap of millions of residues.
  Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options = {});

  /// For the last pair.
  std::size_t device_bytes() const;
  GpuPairTuning tuning() const;
  /// Counters of the last traceback.
  TracebackCounts traceback_counts() const;

 private:
  friend class GpuPairSteps;  // gpu_steps.hpp: the steps of a computation, for benchmarks
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment
