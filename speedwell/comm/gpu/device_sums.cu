#include <stdexcept>

#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/core/cuda_trace.hpp"

namespace speedwell::comm {
namespace {

template <int n>
__global__ void sum_kernel(const DeviceSumsView* sums, double* values) {
  double terms[n];
  for (int i = 0; i < n; ++i) terms[i] = values[i];
  sums->sum(terms);
  for (int i = 0; i < n; ++i) values[i] = terms[i];
}

std::size_t bytes_of(const Communicator& ranks) {
  if (ranks.size() > DeviceSumsView::max_ranks)
    throw core::Unavailable("sums over the memory of GPUs: at most " + std::to_string(DeviceSumsView::max_ranks) +
                            " ranks, not " + std::to_string(ranks.size()));
  return static_cast<std::size_t>(2 * ranks.size() * DeviceSumsView::max_values * 2) * sizeof(unsigned long long);
}

}  // namespace

DeviceSums::DeviceSums(const Communicator& ranks) : words_(ranks, bytes_of(ranks)), counters_(2), waited_(1) {
  core::check(cudaMemset(waited_.data(), 0, waited_.bytes()));
  core::check(cudaMemset(counters_.data(), 0, counters_.bytes()));
  core::check(cudaDeviceSynchronize());
  view_.rank = ranks.rank();
  view_.ranks = ranks.size();
  view_.sequence = counters_.data();
  view_.timed_out = reinterpret_cast<int*>(counters_.data() + 1);
  view_.waited = waited_.data();
  for (int r = 0; r < ranks.size(); ++r) view_.of_rank[r] = reinterpret_cast<unsigned long long*>(words_.of(r));
  device_view_ = core::DeviceBuffer<DeviceSumsView>(1);
  core::check(cudaMemcpy(device_view_.data(), &view_, sizeof(view_), cudaMemcpyHostToDevice));
}

void DeviceSums::sum(double* values, int count, const core::Stream& stream) const {
  const core::DeviceSpan span("sum over ranks", core::TraceCategory::communication, stream.get());
  switch (count) {
    case 1:
      sum_kernel<1><<<1, 1, 0, stream.get()>>>(view(), values);
      break;
    case 2:
      sum_kernel<2><<<1, 1, 0, stream.get()>>>(view(), values);
      break;
    case 3:
      sum_kernel<3><<<1, 1, 0, stream.get()>>>(view(), values);
      break;
    case 4:
      sum_kernel<4><<<1, 1, 0, stream.get()>>>(view(), values);
      break;
    default:
      throw std::invalid_argument(std::to_string(count) + " sums over ranks at a time: 1 to 4");
  }
  core::check(cudaGetLastError());
}

double DeviceSums::seconds() const {
  unsigned long long nanoseconds = 0;
  core::check(cudaDeviceSynchronize());
  core::check(cudaMemcpy(&nanoseconds, waited_.data(), sizeof(nanoseconds), cudaMemcpyDeviceToHost));
  return static_cast<double>(nanoseconds) * 1e-9;
}

void DeviceSums::check(const core::Stream& stream) const {
  int timed_out = 0;
  core::copy_async(&timed_out, static_cast<const int*>(view_.timed_out), 1, stream);
  stream.synchronize();
  if (timed_out) throw core::DeviceError("a rank did not come to a sum over the GPUs within 20 s");
}

}  // namespace speedwell::comm
