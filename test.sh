#!/usr/bin/env bash
# Installs what is missing (with apt), builds everything, and runs all tests. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")"
./tools/install-packages.sh test
cmake --preset "${SPEEDWELL_TEST_PRESET:-dev}" -DSPEEDWELL_TESTS=ON
cmake --build --preset "${SPEEDWELL_TEST_PRESET:-dev}" -j "$(nproc)"
exec ctest --test-dir "build/${SPEEDWELL_TEST_PRESET:-dev}" --output-on-failure -j "$(nproc)" "$@"
