// Runs a GPU solver of any kernel once, on memory that was poisoned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "speedwell/core/cuda.hpp"

namespace speedwell::npb {

/// Uploads the tables of a solver that has any.
template <class Solver>
void upload_to(Solver& solver, const core::Stream& stream) {
  if constexpr (requires { solver.upload(stream); }) solver.upload(stream);
}

template <class Solver>
auto run_once(Solver solver) {
  const core::Stream stream;
  upload_to(solver, stream);
  for (const std::span<std::byte> bytes : solver.device_work())
    core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
  std::ranges::fill(std::as_writable_bytes(solver.pinned_result()), std::byte{0xff});
  solver.run(stream);
  stream.synchronize();
  return solver.result();
}

}  // namespace speedwell::npb
