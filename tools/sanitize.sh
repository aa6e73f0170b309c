#!/usr/bin/env bash
# The test suite under AddressSanitizer and UndefinedBehaviorSanitizer, and the OpenMP tests under ThreadSanitizer.
# ThreadSanitizer needs an OpenMP runtime that it understands: clang's, with Archer (packages clang-19, libomp-19-dev).
set -euo pipefail
cd "$(dirname "$0")/.."
export DEBIAN_FRONTEND=noninteractive
cmake --preset asan
cmake --build --preset asan -j "$(nproc)"
ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build/asan --output-on-failure -j "$(nproc)"
