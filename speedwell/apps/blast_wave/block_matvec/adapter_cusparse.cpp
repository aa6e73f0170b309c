// The peer: cuSPARSE's product of block rows, columns in order, the five variables of a point side by side.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter_workload.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/peers/cusparse.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

using harness::check;
using harness::cusparse;

struct BlockRows {
  std::vector<int> offsets, columns;
  std::vector<double> values;  // blocks by rows of 5
};

BlockRows block_rows(const Blocks7& a) {
  const Extents e = a.extents();
  const auto points = static_cast<std::size_t>(e.points());
  BlockRows rows{std::vector<int>(points + 1), std::vector<int>(neighbours * points),
                 std::vector<double>(entries_of_point * points)};
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < e.points(); ++p) {
    const std::int64_t i = p % e.nx, j = p / e.nx % e.ny, k = p / e.nx / e.ny;
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return static_cast<int>((x + e.nx) % e.nx + e.nx * ((y + e.ny) % e.ny + e.ny * ((z + e.nz) % e.nz)));
    };
    std::array<std::pair<int, int>, neighbours> order = {{{at(i, j, k), 0},
                                                          {at(i - 1, j, k), 1},
                                                          {at(i + 1, j, k), 2},
                                                          {at(i, j - 1, k), 3},
                                                          {at(i, j + 1, k), 4},
                                                          {at(i, j, k - 1), 5},
                                                          {at(i, j, k + 1), 6}}};
    std::sort(order.begin(), order.end());
    const auto row = static_cast<std::size_t>(p);
    rows.offsets[row + 1] = neighbours * static_cast<int>(p + 1);
    for (std::size_t n = 0; n < neighbours; ++n) {
      rows.columns[neighbours * row + n] = order[n].first;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c)
          rows.values[(neighbours * row + n) * block * block + static_cast<std::size_t>(r * block + c)] =
              a.entry(p, static_cast<Neighbour>(order[n].second), r, c);
    }
  }
  return rows;
}

class LibraryProduct {
 public:
  LibraryProduct(const BlockWorkload& workload, const harness::Context&)
      : workload_(workload), points_(static_cast<std::size_t>(workload.problem().extents.points())) {}

  void allocate(const core::Stream& stream) {
    sparse_.emplace(stream, CUSPARSE_POINTER_MODE_HOST);
    matrix_.emplace();
    rows_ = block_rows(workload_.matrix());
    offsets_ = core::DeviceBuffer<int>(rows_.offsets.size());
    columns_ = core::DeviceBuffer<int>(rows_.columns.size());
    values_ = core::DeviceBuffer<double>(rows_.values.size());
    x_ = core::DeviceBuffer<double>(block * points_);
    y_ = core::DeviceBuffer<double>(block * points_);
    pairs_.resize(block * points_);
  }
  void upload(const core::Stream& stream) {
    const std::size_t stride = workload_.matrix().stride();
    for (std::size_t p = 0; p < points_; ++p)
      for (std::size_t c = 0; c < block; ++c) pairs_[block * p + c] = workload_.x()[c * stride + p];
    core::copy_async(offsets_.data(), rows_.offsets.data(), offsets_.size(), stream);
    core::copy_async(columns_.data(), rows_.columns.data(), columns_.size(), stream);
    core::copy_async(values_.data(), rows_.values.data(), values_.size(), stream);
    core::copy_async(x_.data(), pairs_.data(), x_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(y_, 0xff, stream); }
  void download(std::vector<double>& y, const core::Stream& stream) {
    core::copy_async(pairs_.data(), y_.data(), y_.size(), stream);
    stream.synchronize();
    const std::size_t stride = workload_.matrix().stride();
    for (std::size_t c = 0; c < block; ++c)
      for (std::size_t p = 0; p < points_; ++p) y[c * stride + p] = pairs_[block * p + c];
  }
  void execute(const core::Stream&) {
    const double one = 1, zero = 0;
    const int n = static_cast<int>(points_);
    check(cusparse().dbsrmv(sparse_->get(), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, n, n,
                            neighbours * n, &one, matrix_->get(), values_.data(), offsets_.data(), columns_.data(),
                            block, x_.data(), &zero, y_.data()));
  }

 private:
  const BlockWorkload& workload_;
  std::size_t points_;
  std::optional<harness::CusparseHandle> sparse_;
  std::optional<harness::CusparseDescription> matrix_;
  BlockRows rows_;
  core::DeviceBuffer<int> offsets_, columns_;
  core::DeviceBuffer<double> values_, x_, y_;
  std::vector<double> pairs_;  // x, then y, the five variables of a point side by side
};

}  // namespace

std::vector<harness::Binding> cusparse_runs() {
  return {{"cusparse", harness::device_solver<BlockWorkload, LibraryProduct>(), harness::cusparse_missing}};
}

}  // namespace speedwell::blast_wave::block_matvec
