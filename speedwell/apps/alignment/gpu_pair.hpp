// GpuPair: exact Smith-Waterman of one pair of up to 2^31 - 1 letters each on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/pair_checks.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment {

/// How a pair is cut up; 0: chosen from its lengths. Equal results whatever it is.
struct GpuPairTuning {
  int strip_rows = 0;   // query rows in a half of a lane: what kernels are compiled for (band_kernel.cu)
  int block_warps = 0;  // warps of a multiprocessor
  int kept_bands = 0;   // for the path: from a row of the table that is kept to the next, if there is memory
  /// Leave out what cannot be part of the best alignment: most of the table for relatives, nothing for others.
  bool prune = true;
  /// Keep checks of every band for a verdict: PairChecks. 8 bytes for each of check_blocks blocks of columns of a band.
  bool checks = false;
};

/// How a path was found (segments.hpp): in so many rounds, that traced so many jobs.
struct PathCounts {
  int rounds = 0;
  std::size_t segments = 0, jobs = 0;
};

/// The score of a pair and where its alignment ends, as find_end() says, and the alignment, as align() says, computed
/// in 16 bits relative to a base that moves, so that scores may be as large as 32 bits hold. Device memory: a byte for
/// a query letter and twice that for its classes, 7 bytes a subject letter.
class GpuPair {
 public:
  /// `device`: CUDA's index. Throws core::Unavailable if there is no such device.
  explicit GpuPair(int device = 0);
  GpuPair(GpuPair&&) noexcept;
  GpuPair& operator=(GpuPair&&) noexcept;
  ~GpuPair();

  /// Throws std::invalid_argument where alignment.hpp's find_end() does, and if scores of neighbouring cells are so far
  /// apart that 16 bits do not hold a warp's: 639 (highest score + gap_extend) + 10 gap_open + 4 gap_extend must not
  /// exceed 32767 (every published matrix and gap cost is far below);
  /// core::Unavailable, with the bytes needed and available, before it takes memory that is not there;
  /// core::DeviceError if CUDA fails.
  EndPoint find_end(Codes query, Codes subject, const Scoring& scoring);

  /// The same alignment as alignment.hpp's align(). Rows of the table are kept on the device, each 1024th or as many as
  /// nine tenths of its memory hold: 4 bytes a subject letter each. The table between two of them is computed again
  /// where best alignments may lie (segments.hpp). Of `options` only `stop` matters, and only while the path is looked
  /// for. Throws core::Unavailable also if there is no memory for a gap of millions of letters.
  Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options = {});

  /// find_end() in pieces, in this order, for a caller who times or repeats them. The sequences are referred to until
  /// upload() returns. enqueue() may be repeated; all but allocate() use `stream` and those that copy wait for it.
  /// `with_path`: with room for special rows, so that find_path() may follow.
  void allocate(Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning = {},
                bool with_path = false);
  void upload(const core::Stream& stream);
  /// Sets all bytes of the results on the device to 0xFF.
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);
  /// Of the last download(). No bands, if no checks were asked for or a sequence is empty.
  PairChecks checks() const;
  /// Of the last download().
  EndPoint end() const;
  /// After download(), with the sequences as they were: the alignment. Waits for it.
  Alignment find_path(const core::Stream& stream, const AlignOptions& options = {});

  /// Of the pair allocated last.
  std::size_t device_bytes() const;
  GpuPairTuning tuning() const;
  /// Of the path found last.
  PathCounts path_counts() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace speedwell::alignment
