#!/usr/bin/env bash
# Installs what is missing (with apt), builds everything, and runs all tests. Arguments go to ctest. With
# SPEEDWELL_TEST_ONLY_BUILD set it ends before the tests.
set -euo pipefail
cd "$(dirname "$0")"
./tools/install-packages.sh test
cmake --preset "${SPEEDWELL_TEST_PRESET:-dev}" -DSPEEDWELL_TESTS=ON
cmake --build --preset "${SPEEDWELL_TEST_PRESET:-dev}" -j "$(nproc)"
[ -z "${SPEEDWELL_TEST_ONLY_BUILD:-}" ] || exit 0
exec ctest --test-dir "build/${SPEEDWELL_TEST_PRESET:-dev}" --output-on-failure -j "$(nproc)" "$@"
