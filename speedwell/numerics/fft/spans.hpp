// Checks of the spans passed to transforms on CPUs and GPUs.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "speedwell/numerics/fft/overlap.hpp"

namespace speedwell::fft {

inline void require_size(std::size_t got, std::int64_t expected, const char* what) {
  if (got != static_cast<std::size_t>(expected))
    throw std::invalid_argument("fft: " + std::string(what) + " has " + std::to_string(got) + " entries, the plan " +
                                std::to_string(expected));
}

template <class In, class Out>
void require_disjoint(std::span<In> in, std::span<Out> out) {
  if (overlap(in.data(), in.size_bytes(), out.data(), out.size_bytes()))
    throw std::invalid_argument("fft: in and out overlap without being the same");
}

}  // namespace speedwell::fft
