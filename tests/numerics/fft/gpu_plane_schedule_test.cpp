// The order of planes: every part of every plane once, columns after their rows and not too far behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "speedwell/numerics/fft/gpu/device/plane_schedule.hpp"

namespace speedwell::fft::gpu {
namespace {

using Kind = PlaneTask::Kind;

void expect_order(const PlaneSchedule& schedule) {
  std::vector<int> rows(schedule.planes * schedule.row_tasks), columns(schedule.planes * schedule.column_tasks);
  std::vector<int> rows_of(schedule.planes);
  std::uint32_t ticket = 0;
  for (PlaneTask task = schedule.task(0); task.kind != Kind::finished; task = schedule.task(++ticket)) {
    if (task.kind == Kind::rows) {
      ++rows.at(task.plane * schedule.row_tasks + task.tile);
      ++rows_of.at(task.plane);
    }
    if (task.kind == Kind::columns) {
      ++columns.at(task.plane * schedule.column_tasks + task.tile);
      EXPECT_EQ(rows_of.at(task.plane), schedule.row_tasks) << "plane " << task.plane << ", ticket " << ticket;
      const auto ahead = std::min<std::int64_t>(task.plane + schedule.lag + 1, schedule.planes);
      for (auto plane = ahead; plane < schedule.planes; ++plane) EXPECT_EQ(rows_of[plane], 0) << plane;
    }
  }
  EXPECT_EQ(std::count(rows.begin(), rows.end(), 1), static_cast<std::int64_t>(rows.size()));
  EXPECT_EQ(std::count(columns.begin(), columns.end(), 1), static_cast<std::int64_t>(columns.size()));
  for (const std::uint32_t later : {1u, 5u, 1000u}) EXPECT_EQ(schedule.task(ticket + later).kind, Kind::finished);
}

TEST(FftGpuPlaneSchedule, HasEveryTaskOnceAndColumnsAfterTheirRows) {
  for (const std::int64_t planes : {1, 2, 7, 40})
    for (const int lag : {1, 2, 4, 50})
      for (const auto& [row_tasks, column_tasks] : {std::pair{1, 1}, {64, 64}, {16, 64}, {64, 16}, {3, 5}, {1, 8}})
        expect_order({planes, row_tasks, column_tasks, lag});
}

// With a lag of 0, columns would come before their rows: the check above must detect that.
TEST(FftGpuPlaneSchedule, NeedsALag) {
  const PlaneSchedule schedule{2, 4, 4, 0};
  bool columns_first = false;
  for (std::uint32_t ticket = 0, rows = 0; ticket < 8; ++ticket) {
    const PlaneTask task = schedule.task(ticket);
    rows += task.kind == Kind::rows;
    columns_first |= task.kind == Kind::columns && rows < 4;
  }
  EXPECT_TRUE(columns_first);
}

}  // namespace
}  // namespace speedwell::fft::gpu
