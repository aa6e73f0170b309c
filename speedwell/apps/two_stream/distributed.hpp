// DistributedColumns: an atmosphere whose columns are divided among ranks. Columns do not interact: each rank solves
// its own with the functions for one process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/two_stream/problem.hpp"
#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::two_stream {

/// All members but those that return what is known are collective. `whole` is read or written on rank 0 only.
template <class T>
class DistributedColumns {
 public:
  /// Contiguous parts of the problem's columns that differ by at most one. Throws std::invalid_argument as
  /// require_problem(), and for more ranks than columns. `ranks` must outlive the object.
  DistributedColumns(const comm::Communicator& ranks, const Problem& problem);

  /// Distributes an atmosphere of the problem's extents and source, with its clouds if it has any.
  void scatter(const Atmosphere<T>* whole);
  /// The columns of this rank, with the arrays that scatter() has received.
  Atmosphere<T> atmosphere() const;
  std::int64_t columns() const { return part_.size(); }
  /// Collects `rows` rows of all columns: [row][column], of this rank's columns and of all.
  void gather(std::span<const T> own, std::int64_t rows, T* whole) const;

 private:
  void scatter(const T* whole, std::int64_t rows, core::HostBuffer<T>& own) const;

  const comm::Communicator& ranks_;
  Problem problem_;
  comm::Range part_;
  core::HostBuffer<T> optical_depth_, albedo_, asymmetry_, mu0_, incident_, ground_direct_, ground_diffuse_;
  core::HostBuffer<T> planck_level_, planck_middle_, planck_ground_, emissivity_;
  std::int64_t cloud_top_ = 0;  // the first layer with clouds, the same on all ranks
  // Stratiform and convective clouds, as in Atmosphere; empty if it has none.
  core::HostBuffer<T> cloud_fraction_, cloud_optical_depth_, cloud_albedo_, cloud_asymmetry_;
  std::vector<T> weight_;
};

}  // namespace speedwell::two_stream
